import fc from 'fast-check'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { ComparisonFolded } from '../../src/queries/analysis/scan/foldComparison.ts'
import {
  openSliceScanner,
  type ScanSliceRequest,
  type ScanSliceResult,
} from '../../src/queries/analysis/scan/scanSlice.ts'
import { type ReadModelsRun, runReadModels } from '../projections/readModelsRun.ts'
import { draws } from '../support/draws.ts'
import { load } from '../support/load.ts'

interface Ran {
  readonly verdict: 'PASS' | 'FLAG'
  readonly outcomes: string
}

interface Evaluated {
  readonly account: 'acc_a' | 'acc_b'
  readonly time: number
  /** What ran, by recipe. */
  readonly recipes: Readonly<Partial<Record<'one' | 'other' | 'third', Ran>>>
}

let run: ReadModelsRun
beforeEach(() => {
  run = runReadModels()
})
afterEach(() => run.projections.close())

const ran = fc.record<Ran>({
  verdict: fc.constantFrom('PASS', 'FLAG'),
  outcomes: fc.constantFrom('T', 'N', 'TM', 'U', 'S'),
})
const evaluated = fc.record<Evaluated>({
  account: fc.constantFrom('acc_a', 'acc_a', 'acc_b'),
  time: fc.integer({ min: 0, max: 5 }),
  recipes: fc.record({ one: ran, other: ran, third: ran }, { requiredKeys: [] }),
})

async function tellAll(all: readonly Evaluated[]): Promise<void> {
  for (const [at, { account, time, recipes }] of all.entries()) {
    const listed = Object.entries(recipes).map(([recipe_id, result]) => ({
      recipe_id,
      score: 0,
      ...result,
    }))
    const data = {
      evaluation_id: `evl_${at}`,
      arrived: {},
      flow_id: 'flo',
      plan: 'p',
      verdict: 'PASS',
      recipes: listed,
    }
    await run.tell({ type: 'FlowEvaluated', data }, { account, time })
  }
}

const partial = ({ outcomes }: Ran) => outcomes.includes('M') || outcomes.includes('U')

/** How often each combination comes up, by plain counting. */
function counted(all: readonly Evaluated[], from: number, to: number): Map<string, number> {
  const counts = new Map<string, number>()
  for (const { account, time, recipes } of all) {
    const { one, other } = recipes
    if (account !== 'acc_a' || time < from || time >= to || !one || !other) continue
    const key = `${one.verdict} ${other.verdict} ${partial(one) || partial(other)}`
    counts.set(key, (counts.get(key) ?? 0) + 1)
  }
  return counts
}

/** The folded slices, each of so many evaluations. */
async function scanInSlices(
  asked: Pick<ScanSliceRequest, 'fromMs' | 'toMs'>,
  matchedMax: number,
): Promise<readonly ComparisonFolded[]> {
  const scanSlice = openSliceScanner({ ...run.readers, ...load, ...neverRead } as never)
  const fold = { kind: 'comparison', recipeId: 'one', otherRecipeId: 'other' } as const
  const request = { ...asked, account: 'acc_a', where: [], labelClasses: [], fold }
  const slices: ComparisonFolded[] = []
  let next: Partial<Pick<ScanSliceRequest, 'after' | 'end'>> | undefined
  do {
    const slice: ScanSliceResult = await scanSlice(
      { ...request, order: 'newest', matchedMax, ...next },
      new AbortController().signal,
    )
    slices.push(slice.folded as ComparisonFolded)
    next = slice.after && { after: slice.after, end: slice.end }
  } while (next && slices.length < 20)
  return slices
}

/** What verdicts need not: a comparison opens no record. */
const neverRead = {
  events: { readStream: () => expect.fail('a record was read') },
  keys: () => expect.fail('keys were read'),
}

test('in slices of any size, the counts add up to what plain counting gives', () =>
  fc.assert(
    fc.asyncProperty(
      fc.array(evaluated, { minLength: 1, maxLength: 12 }),
      fc.integer({ min: 1, max: 13 }),
      fc.tuple(fc.integer({ min: 0, max: 3 }), fc.integer({ min: 4, max: 6 })),
      async (all, sliceMax, [fromMs, toMs]) => {
        await run.projections.close()
        run = runReadModels()
        await tellAll(all)

        const slices = await scanInSlices({ fromMs, toMs }, sliceMax)

        const sums = new Map<string, number>()
        for (const { outcomes, scanned } of slices) {
          expect(scanned).toBeLessThanOrEqual(sliceMax)
          expect(outcomes).toHaveLength(8)
          for (const outcome of outcomes) {
            const { unlabelled, fraud, legitimate } = outcome.evaluations
            const key = `${outcome.recipe} ${outcome.with} ${outcome.partial_evidence}`
            if (unlabelled > 0) sums.set(key, (sums.get(key) ?? 0) + unlabelled)
            expect([fraud, legitimate]).toEqual([0, 0])
            expect(outcome.examples).toHaveLength(Math.min(5, unlabelled))
          }
        }
        expect(sums).toEqual(counted(all, fromMs, toMs))
        const inTime = all.filter(
          (one) => one.account === 'acc_a' && one.time >= fromMs && one.time < toMs,
        )
        expect(slices.reduce((sum, { scanned }) => sum + scanned, 0)).toBe(inTime.length)
      },
    ),
    { numRuns: draws(60) },
  ))
