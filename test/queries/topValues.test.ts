/** Top values and what was missing are what a plain recount of the evaluations says, however they fall into slices. */

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { openScheduler } from '../../src/domain/load/scheduler.ts'
import {
  addMissing,
  buildMissing,
  createMissingSum,
} from '../../src/queries/analysis/missingReport.ts'
import type { FoldedMissing } from '../../src/queries/analysis/scan/foldMissing.ts'
import { toldApartMax } from '../../src/queries/analysis/scan/foldMissing.ts'
import { type FoldOrder, openFold } from '../../src/queries/analysis/scan/folds.ts'
import { createTopCounts, type FoldedTop } from '../../src/queries/analysis/scan/foldTop.ts'
import type { ScannedEvaluation } from '../../src/queries/analysis/scan/scanNames.ts'
import { compileWhere } from '../../src/queries/analysis/scan/where.ts'
import {
  addPair,
  createPairTable,
  hashTarget,
  pairsMax,
} from '../../src/queries/analysis/targetPairs.ts'
import { addTop, buildTop, createTopSum, valuesMax } from '../../src/queries/analysis/topValues.ts'
import { draws } from '../support/draws.ts'

interface Drawn {
  readonly time: number
  readonly flagged: boolean
  /** Of a live recipe, and of a shadow. */
  readonly partial: boolean
  readonly shadowPartial: boolean
  readonly fragile: boolean
  readonly target: string
  readonly missing: readonly string[]
  readonly ext: Readonly<Record<string, string>>
  readonly forgotten: boolean
}

const word = fc.constantFrom('cart', 'crat', 'cart_total', 'Cart', 'shop', 'shops')
const drawn = fc.record<Drawn>({
  time: fc.integer({ min: 1_000, max: 9_000 }),
  flagged: fc.boolean(),
  partial: fc.boolean(),
  shadowPartial: fc.boolean(),
  fragile: fc.boolean(),
  target: fc.constantFrom('a', 'b', 'c', 'd'),
  missing: fc.array(
    word.map((name) => `signal.ext.${name}`),
    { maxLength: 3 },
  ),
  ext: fc.dictionary(word, fc.constantFrom('1', 'x', 'true', '2026-11-21', ' '), { maxKeys: 3 }),
  forgotten: fc.boolean(),
})
const slices = fc.array(fc.array(drawn, { maxLength: 6 }), { maxLength: 6 })
const read = new Set(['signal.ext.cart_total', 'signal.ext.shop'])

function asScanned(one: Drawn): ScannedEvaluation {
  const { time, flagged, partial, shadowPartial, fragile, missing, ext, forgotten } = one
  const entries = Object.entries(ext).map(([key, value]) => [
    `signal.ext.${key}`,
    { value, source: 'request' },
  ])
  return {
    isForgotten: forgotten,
    body: {
      ...{ time, verdict: flagged ? 'FLAG' : 'PASS', phone_digest: one.target },
      recipes: [{ partial }, { partial: shadowPartial }],
    },
    planDocument: { recipes: [{ status: 'LIVE' }, { status: 'SHADOW' }] },
    record: {
      missing: missing.map((name) => [name, 'absent']),
      arrived: { ext: Object.keys(ext) },
      ...(fragile && { fragile }),
    },
    runnable: { shownNames: read },
    evidence: forgotten ? undefined : new Map(entries as never),
  } as unknown as ScannedEvaluation
}

/** What each slice comes to. */
function fold<Folded>(order: FoldOrder, drawnSlices: readonly (readonly Drawn[])[]) {
  return drawnSlices.map((slice) => {
    const folding = openFold(order, compileWhere([]), {} as never)
    for (const one of slice) void folding.add(asScanned(one))
    return folding.take() as Folded
  })
}

/** The figures of some evaluations among all. */
function figures(some: readonly Drawn[], all: readonly Drawn[], hasTargets: boolean) {
  const flagged = (of: readonly Drawn[]) => of.filter((one) => one.flagged).length
  const times = some.map(({ time }) => time).toSorted((one, other) => one - other)
  const iso = (ms: number | undefined) => (ms === undefined ? null : new Date(ms).toISOString())
  const share = some.length === 0 ? null : flagged(some) / some.length
  return {
    evaluations: some.length,
    flagged: flagged(some),
    share,
    partial: some.filter(({ partial }) => partial).length,
    lift:
      share === null || flagged(all) === 0
        ? null
        : expect.closeTo(share / (flagged(all) / all.length), 10),
    targets: hasTargets ? new Set(some.map(({ target }) => target)).size : null,
    first_seen: iso(times[0]),
    last_seen: iso(times.at(-1)),
  }
}

describe.each([
  ['one value', 'signal.ext.shop', ({ ext }: Drawn) => ('shop' in ext ? [ext['shop'] ?? ''] : [])],
  ['several values', 'missing', ({ missing }: Drawn) => [...new Set(missing)]],
])('of %s each', (_, name, valuesOf) => {
  test('every figure is that of a recount, and the rows close the sum', () =>
    fc.assert(
      fc.property(slices, fc.integer({ min: 1, max: 4 }), (drawnSlices, limit) => {
        const sum = createTopSum()
        for (const folded of fold<FoldedTop>({ kind: 'top', name }, drawnSlices)) {
          addTop(sum, folded)
        }
        const all = drawnSlices.flat()
        const known = all.filter(({ forgotten }) => !forgotten)
        const values = [...new Set(known.flatMap(valuesOf))]
        const having = (value: string) => known.filter((one) => valuesOf(one).includes(value))
        const sorted = values.toSorted((one, other) => having(other).length - having(one).length)
        const others = sorted.slice(limit)

        expect(buildTop(sum, limit)).toEqual({
          values: sorted
            .slice(0, limit)
            .map((value) => ({ value, ...figures(having(value), all, true) })),
          missing: figures(
            known.filter((one) => valuesOf(one).length === 0),
            all,
            true,
          ),
          forgotten: figures(
            all.filter(({ forgotten }) => forgotten),
            all,
            true,
          ),
          others: { values: others.length, ...figures(others.flatMap(having), all, false) },
          all: figures(all, all, false),
        })
      }),
      { numRuns: draws(1_000) },
    ))
})

/** A slice in which each of these values has one evaluation of a target of its own. */
function sliceOf(values: readonly string[], targets: readonly string[], timeMs: number): FoldedTop {
  const one = { evaluations: 1, flagged: 0, partial: 0, firstMs: timeMs, lastMs: timeMs }
  const none = { ...createTopCounts(), targets: [] }
  return {
    targets,
    values: values.map((value, index) => [value, { ...one, targets: [index % targets.length] }]),
    missing: none,
    forgotten: none,
    all: { ...one, evaluations: values.length },
  }
}

test('more values than are told apart stand with the others, and the answer says since when', () => {
  const sum = createTopSum()
  const names = (from: number, count: number) =>
    Array.from({ length: count }, (_, index) => `value ${from + index}`)

  addTop(sum, sliceOf(names(0, valuesMax), ['a'], 5_000))
  addTop(sum, sliceOf(names(valuesMax - 1, 3), ['b'], 4_000))
  addTop(sum, sliceOf(names(valuesMax + 5, 1), ['b'], 3_000))
  const { values, others, all, cut } = buildTop(sum, 1)

  expect(values).toMatchObject([{ value: `value ${valuesMax - 1}`, evaluations: 2, targets: 2 }])
  expect(others).toMatchObject({ values: null, evaluations: valuesMax + 2, targets: null })
  expect(all.evaluations).toBe(valuesMax + 4)
  expect(cut).toEqual({ values_until: new Date(4_000).toISOString() })
})

test('values that are long together are cut likewise', () => {
  const sum = createTopSum()
  const long = Array.from({ length: 1_025 }, (_, index) => `${index} `.padEnd(8_192, 'x'))

  addTop(sum, sliceOf(long, ['a'], 5_000))

  expect(buildTop(sum, 1_000).others).toMatchObject({ values: null, evaluations: 25 })
})

test('more end users than are remembered are not counted, and the answer says since when', () => {
  const sum = createTopSum()
  const size = 100_000
  for (let from = 0; from < pairsMax; from += size) {
    const targets = Array.from({ length: size }, (_, index) => `target ${from + index}`)
    const all = Array.from({ length: size }, (_, index) => index)
    const slice = sliceOf(['x'], targets, 5_000)
    addTop(sum, {
      ...slice,
      values: slice.values.map(([value, group]) => [value, { ...group, targets: all }]),
    })
  }
  const before = buildTop(sum, 1)
  addTop(sum, sliceOf(['x', 'x'], ['target 7', 'another'], 4_000))
  const after = buildTop(sum, 1)

  expect(before.values).toMatchObject([{ targets: pairsMax }])
  expect(before.cut).toBeUndefined()
  expect(after.values).toMatchObject([{ targets: pairsMax }])
  expect(after.cut).toEqual({ targets_until: new Date(4_000).toISOString() })
})

test('pairs of a group and a target are told apart', () =>
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.nat({ max: 50 }), fc.base64String()), { maxLength: 300 }),
      (pairs) => {
        const table = createPairTable()
        const known = new Set<string>()
        for (const [group, target] of pairs) {
          const pair = `${group} ${target}`
          const expected = known.has(pair) ? 'known' : 'new'
          known.add(pair)
          expect(addPair(table, group, hashTarget(target))).toBe(expected)
        }
      },
    ),
    { numRuns: draws(200) },
  ))

test('what was missing, and what arrived, is that of a recount', () =>
  fc.assert(
    fc.asyncProperty(slices, async (drawnSlices) => {
      const sum = createMissingSum()
      for (const folded of fold<FoldedMissing>({ kind: 'missing' }, drawnSlices)) {
        addMissing(sum, folded)
      }
      const all = drawnSlices.flat()
      const names = new Set(all.flatMap(({ missing }) => missing))
      const keys = new Set(all.flatMap(({ ext }) => Object.keys(ext)))
      const form = { '1': 'number', x: 'text', true: 'boolean', '2026-11-21': 'date', ' ': 'empty' }

      const found = await buildMissing({ scheduler: openScheduler() }, sum)

      expect(found.evaluations).toBe(all.length)
      expect(found.forgotten).toBe(all.filter(({ forgotten }) => forgotten).length)
      expect(found.names.map(({ evaluations }) => -evaluations)).toEqual(
        found.names.map(({ evaluations }) => -evaluations).toSorted((one, other) => one - other),
      )
      expect(new Map(found.names.map(({ name, ...rest }) => [name, rest]))).toEqual(
        new Map(
          [...names].map((name) => {
            const having = all.filter(({ missing }) => missing.includes(name))
            const fragile = having.filter((one) => one.fragile).length
            const { length } = having
            return [name, { evaluations: length, share: length / all.length, fragile }]
          }),
        ),
      )
      expect(new Map(found.keys.map(({ key, near: _, ...rest }) => [key, rest]))).toEqual(
        new Map(
          [...keys].map((key) => {
            const having = all.filter(({ ext }) => key in ext)
            const values = having.flatMap(({ forgotten, ext }) =>
              forgotten ? [] : [ext[key] ?? ''],
            )
            const lengths = values.map(({ length }) => length)
            const forms = { number: 0, boolean: 0, date: 0, text: 0, empty: 0 }
            for (const value of values)
              forms[form[value as keyof typeof form] as keyof typeof forms] += 1
            return [
              key,
              {
                ...{ evaluations: having.length, forms, read: read.has(`signal.ext.${key}`) },
                shortest: values.length > 0 ? Math.min(...lengths) : null,
                longest: values.length > 0 ? Math.max(...lengths) : null,
              },
            ]
          }),
        ),
      )
      const near: Readonly<Record<string, readonly string[]>> = {
        cart: ['Cart', 'crat'],
        crat: ['Cart', 'cart'],
        Cart: ['cart', 'crat'],
        shops: ['shop'],
      }
      for (const { key, near: said } of found.keys) {
        const waited = (near[key] ?? []).map((name) => `signal.ext.${name}`)
        expect(said).toEqual(waited.filter((name) => names.has(name)))
      }
    }),
    { numRuns: draws(1_000) },
  ))

test('more names and keys than are told apart are counted as left out', async () => {
  const sum = createMissingSum()
  const name = (index: number) => [`name ${index}`, { evaluations: 1, fragile: 0 }] as const
  const names = new Map(Array.from({ length: toldApartMax }, (_, index) => name(index)))
  const part = { evaluations: 1, forgotten: 0, keys: new Map(), keysLeftOut: 4 }

  addMissing(sum, { ...part, names, namesLeftOut: 0 })
  addMissing(sum, { ...part, names: new Map([name(0), name(toldApartMax)]), namesLeftOut: 2 })
  const found = await buildMissing({ scheduler: openScheduler() }, sum)

  expect(found.names.length).toBe(toldApartMax)
  expect(found.names[0]).toMatchObject({ name: 'name 0', evaluations: 2 })
  expect(found.left_out).toEqual({ names: 3, keys: 8 })
})
