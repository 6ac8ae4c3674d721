/** The export of evaluations against a plain reading of the raw events, over HTTP. */

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { decode, openEvent } from '../../src/events/catalogue.ts'
import { readClock } from '../../src/events/evaluation/evaluationEvents.ts'
import { decodeEvidence } from '../../src/events/evaluation/evidenceRecord.ts'
import { draws } from '../support/draws.ts'
import { openVigilOfFile } from '../support/openOfFile.ts'
import { type Customer, openCustomer } from '../support/openVigil.ts'

const start = Date.UTC(2026, 10, 21, 9, 30)
const from = new Date(start - 1).toISOString()
const vigil = await openVigilOfFile()
const { context } = vigil.service

const people = ['+33611111111', '+33622222222', '+33633333333'] as const
const dispatched = { ip: '203.0.113.7', device_id: 'd-1' }

interface Shop {
  readonly customer: Customer
  readonly flows: readonly string[]
  readonly liveRecipes: ReadonlySet<string>
  /** The rules of each recipe, in their order. */
  readonly rules: ReadonlyMap<string, readonly string[]>
}

async function openShop(): Promise<Shop> {
  vigil.setTime(start)
  const customer = await openCustomer(vigil)
  const french = await customer.rule('signal.ext.shop == "FR"')
  const listed = await customer.rule('signal.ip != "198.51.100.1"')
  const dear = await customer.rule('double(signal.ext.total) > 100.0')
  const members = (...ids: readonly string[]) =>
    ids.map((rule_id, at) => ({ rule_id, weight: 40 + 20 * at }))
  const rules = new Map<string, readonly string[]>()
  const recipe = async (ids: readonly string[], status: 'LIVE' | 'SHADOW') => {
    const id = await customer.recipe(members(...ids), { status })
    rules.set(id, ids)
    return id
  }
  const one = await recipe([french, listed], 'LIVE')
  const other = await recipe([dear], 'LIVE')
  const shadow = await recipe([dear, french], 'SHADOW')
  const flows = [await customer.flow([one, shadow]), await customer.flow([shadow, one, other])]
  return { customer, flows, liveRecipes: new Set([one, other]), rules }
}

type Body = Record<string, unknown>

interface Label {
  readonly person: string
  readonly name: string
  readonly at: number
  readonly evaluation?: string
}

/** What was reported, and of whom: the log has the persons sealed. */
interface Reported {
  readonly labels: readonly Label[]
  /** By evaluation. */
  readonly persons: ReadonlyMap<string, string>
}

const unreported: Reported = { labels: [], persons: new Map() }

/** A row as the raw events have it, with what conditions ask that no column shows. */
interface Expected {
  readonly at: number
  readonly row: Body
  readonly live: readonly {
    readonly recipe_id: string
    readonly score: number
    readonly outcomes: string
  }[]
}

const nothing = undefined
const columns =
  'flow,verdict,recipe,score,rules,missing,labels,signal.ext.shop,signal.ext["a total"],signal.ip,phone_country,forgotten'

/** The account's evaluations in the order of time, those of one time by their ids. */
async function readRaw(shop: Shop, reported: Reported): Promise<readonly Expected[]> {
  // the whole log of this file
  const log = await context.events.readAll({ after: 0, limit: 10_000 })
  const opened = await Promise.all(
    log
      .filter(({ type }) => type === 'FlowEvaluated')
      .map((recorded) => openEvent(decode(recorded), context.keyring)),
  )
  const key = ({ row }: Expected) => `${row['evaluated_at']} ${row['id']}`
  return opened
    .filter(({ metadata }) => metadata.account === shop.customer.accountId)
    .map((one) => toExpected(one as never, shop, reported))
    .toSorted((one, other) => (key(one) < key(other) ? -1 : 1))
}

type Opened = Parameters<typeof readClock>[0] & {
  readonly position: number
  readonly event: { readonly data: Body & Parameters<typeof decodeEvidence>[0] }
}

function toExpected(opened: Opened, shop: Shop, { persons, labels }: Reported): Expected {
  const data = opened.event.data as Body & {
    readonly recipes: readonly { recipe_id: string; score: number; outcomes: string }[]
    readonly missing?: readonly (readonly [string])[]
  }
  const number = data['phone_number']
  const person = typeof number === 'string' ? number : nothing
  const values =
    person === nothing
      ? new Map()
      : decodeEvidence(data['arrived'] as never, data['evidence'] as never)
  const live = data.recipes.filter(({ recipe_id }) => shop.liveRecipes.has(recipe_id))
  const missing = data.missing?.map(([name]) => name) ?? []
  const id = String(data['evaluation_id'])
  const row: Body = {
    id,
    evaluated_at: new Date(readClock(opened as never)).toISOString(),
    flow: data['flow_id'],
    verdict: data['verdict'],
    recipe: live.map(({ recipe_id }) => recipe_id),
    score: live.map(({ score }) => score),
    rules: live.flatMap(({ recipe_id, outcomes }) =>
      (shop.rules.get(recipe_id) ?? []).filter((_, at) => outcomes[at] === 'T'),
    ),
    missing,
    // what was reported outlives the erasure of its person
    labels: labelsOf({ id, person: persons.get(id) ?? '', at: opened.position }, labels),
    'signal.ext.shop': values.get('signal.ext.shop')?.value,
    'signal.ext.a total': values.get('signal.ext.a total')?.value,
    'signal.ip': values.get('signal.ip')?.value,
    phone_country: person === nothing ? nothing : 'FR',
    forgotten: person === nothing,
  }
  return { at: opened.position, row, live }
}

/** Of those that name it, and of its target later on. */
function labelsOf(
  { id, person, at }: { readonly id: string; readonly person: string; readonly at: number },
  labels: readonly Label[],
): string[] {
  const own = labels.filter((label) =>
    label.evaluation === nothing
      ? label.person === person && label.at > at
      : label.evaluation === id,
  )
  return [...new Set(own.map(({ name }) => name))].sort()
}

interface Where {
  readonly text: string
  readonly holds: (one: Expected) => boolean
}

const wheres = (shop: Shop): readonly Where[] => [
  { text: '', holds: () => true },
  { text: 'verdict = FLAG', holds: ({ row }) => row['verdict'] === 'FLAG' },
  { text: `flow != ${shop.flows[0]}`, holds: ({ row }) => row['flow'] !== shop.flows[0] },
  { text: 'signal.ext.shop = FR', holds: ({ row }) => row['signal.ext.shop'] === 'FR' },
  {
    text: 'ext.shop != FR and score >= 40',
    holds: ({ row, live }) =>
      row['signal.ext.shop'] !== nothing &&
      row['signal.ext.shop'] !== 'FR' &&
      live.some(({ score }) => score >= 40),
  },
  { text: 'signal.ip = 203.0.113.0/24', holds: ({ row }) => row['signal.ip'] !== nothing },
  {
    text: 'missing = signal.ip',
    holds: ({ row }) => [row['missing']].flat().includes('signal.ip'),
  },
  {
    text: 'label = payment.chargeback and verdict = PASS',
    holds: ({ row }) =>
      row['verdict'] === 'PASS' && (row['labels'] as string[]).includes('payment.chargeback'),
  },
  {
    text: 'outcome = NOT_EVALUATED and score = 40',
    holds: ({ live }) => live.some(({ score, outcomes }) => score === 40 && outcomes.includes('M')),
  },
  {
    text: `phone = "${people[1]}" and partial = true`,
    holds: ({ row, live }) =>
      row['person'] === people[1] && live.some(({ outcomes }) => /[MU]/.test(outcomes)),
  },
]

interface Asked {
  readonly order?: 'newest' | 'oldest'
  readonly where?: string
  readonly limit?: number
}

const read = async (send: Customer['send'], asked: Asked, minPosition = '0') => {
  const query = new URLSearchParams({ from, columns, min_position: minPosition })
  for (const [name, value] of Object.entries(asked))
    if (value !== '') query.set(name, String(value))
  const { status, text } = await send('GET', `/v2/watch/evaluations/export?${query}`)
  expect(status, text).toBe(200)
  const rows = text.split('\n').filter((line) => line !== '')
  return rows.map((line) => JSON.parse(line) as Body)
}

const evaluateStep = fc.record({
  flow: fc.nat(1),
  person: fc.constantFrom(...people),
  ext: fc.record(
    { shop: fc.constantFrom('FR', 'DE', 'a, "b"\n'), total: fc.constantFrom('1e2', '250', 'x') },
    { requiredKeys: [] },
  ),
  withDispatch: fc.boolean(),
  seconds: fc.nat(1),
})
const labelStep = fc.record({
  person: fc.constantFrom(...people),
  name: fc.constantFrom('payment.chargeback', 'user.banned'),
  named: fc.boolean(),
})
const step = fc.oneof(
  { weight: 8, arbitrary: evaluateStep.map((one) => ({ evaluate: one })) },
  { weight: 2, arbitrary: labelStep.map((one) => ({ label: one })) },
  { weight: 1, arbitrary: fc.constantFrom(...people).map((erase) => ({ erase })) },
)
type Step = typeof step extends fc.Arbitrary<infer One> ? One : never

/** Plays the steps against the service; remembers what the log has no plain text of. */
async function play(shop: Shop, steps: readonly Step[]) {
  const { send, dispatch, evaluate } = shop.customer
  /** The person of each evaluation. */
  const persons = new Map<string, string>()
  const labels: Label[] = []
  const played = { persons, labels, position: '0' }
  let timeMs = start
  const ok = ({ status, text, headers, body }: Awaited<ReturnType<typeof send>>) => {
    if (status !== 200) throw new Error(text)
    played.position = String(headers['x-vigil-position'])
    return body
  }
  const carryOut = {
    evaluate: async (one: typeof evaluateStep extends fc.Arbitrary<infer One> ? One : never) => {
      timeMs += one.seconds * 1_000
      vigil.setTime(timeMs)
      const sent = {
        target: { phone_number: one.person },
        signals: { ext: { ...one.ext, 'a total': 'spaced' } },
        ...(one.withDispatch && { dispatch_id: await dispatch(dispatched) }),
      }
      const { id } = ok(await evaluate(shop.flows[one.flow] ?? '', sent))
      persons.set(String(id), one.person)
    },
    label: async (one: typeof labelStep extends fc.Arbitrary<infer One> ? One : never) => {
      const evaluation = one.named ? [...persons.keys()].at(-1) : nothing
      const named = evaluation === nothing ? {} : { evaluation_id: evaluation }
      const target = { type: 'phone_number', value: one.person }
      const entry = { target, label: one.name, confidence: 'high', ...named }
      ok(await send('POST', '/v2/watch/event', { events: [entry] }))
      const at = Number(played.position)
      labels.push({ ...one, at, ...(evaluation !== nothing && { evaluation }) })
    },
    erase: async (phone_number: string) => {
      ok(await send('POST', '/v2/watch/subjects/erase', { phone_number, reason: 'asked for' }))
    },
  }
  for (const one of steps) {
    const [kind, asked] = Object.entries(one)[0] as [keyof typeof carryOut, never]
    await carryOut[kind](asked)
  }
  return played
}

/** The order of several labels is not compared. */
const comparable = (row: Body): Body => ({
  ...row,
  labels: (row['labels'] as string[]).toSorted(),
})

test('every question is answered by what the raw events give: each evaluation once, in order', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 16 }), async (steps) => {
      const shop = await openShop()
      const { send } = shop.customer
      const { persons, labels, position } = await play(shop, steps)
      const all = await readRaw(shop, { persons, labels })

      for (const { text, holds } of wheres(shop)) {
        const asOf = (one: Expected) => ({
          ...one,
          row: { ...one.row, person: persons.get(String(one.row['id'])) },
        })
        const expected = all.filter((one) => holds(asOf(one))).map(({ row }) => row)
        const rows = await read(send, { where: text }, position)

        expect(rows.map(comparable)).toEqual(JSON.parse(JSON.stringify(expected)))
        expect(await read(send, { where: text, order: 'newest' })).toEqual(rows.toReversed())
        expect(await read(send, { where: text, limit: 2 })).toEqual(rows.slice(0, 2))
      }
    }),
    { numRuns: draws(40) },
  )
})

test('while others write, each evaluation there was is in it once, in order, and nothing behind its end', async () => {
  const shop = await openShop()
  const { send, evaluate } = shop.customer
  const evaluateSome = async (count: number) => {
    for (let some = 0; some < count; some += 1) {
      const target = { phone_number: people[0] }
      await evaluate(shop.flows[0] ?? '', { target, signals: { ext: { shop: 'FR' } } })
    }
  }
  // some hundred of one time, so that pages end among them
  const times = [start, start + 1_000]
  for (const timeMs of times) {
    vigil.setTime(timeMs)
    await Promise.all([evaluateSome(80), evaluateSome(80), evaluateSome(80)])
  }
  const before = (await readRaw(shop, unreported)).map(({ at }) => at)
  const known = String(Math.max(...before))

  const [, ...reads] = await Promise.all([
    evaluateSome(60),
    read(send, {}, known),
    read(send, { order: 'newest' }, known),
    read(send, { where: 'ext.shop = FR and outcome = TRIGGERED' }, known),
  ])

  const all = await readRaw(shop, unreported)
  const positions = all.map(({ at }) => at).toSorted((one, other) => one - other)
  for (const [index, rows] of reads.entries()) {
    const end = positions[rows.length - 1] ?? 0
    const expected = all.filter(({ at }) => at <= end).map(({ row }) => row['id'])
    expect(rows.length).toBeGreaterThanOrEqual(before.length)
    expect(rows.map(({ id }) => id)).toEqual(index === 1 ? expected.toReversed() : expected)
  }
})

test('another account is shown nothing of it, whatever ids it asks for', async () => {
  const [shop, other] = [await openShop(), await openShop()]
  const { position } = await play(shop, [
    { evaluate: { flow: 0, person: people[0], ext: {}, withDispatch: true, seconds: 0 } },
  ])
  const flow = shop.flows[0] ?? ''
  const [recipe] = shop.liveRecipes

  expect(await read(shop.customer.send, { where: `flow = ${flow}` }, position)).toHaveLength(1)
  for (const where of ['', `flow = ${flow}`, `recipe = ${recipe}`, `phone = ${people[0]}`]) {
    expect(await read(other.customer.send, { where })).toEqual([])
  }
})

test('a slice that nobody waits for any more is given up before its next evaluation', async () => {
  const shop = await openShop()
  const { position } = await play(shop, [
    { evaluate: { flow: 0, person: people[0], ext: {}, withDispatch: false, seconds: 0 } },
  ])
  await read(shop.customer.send, {}, position)
  const slice = {
    account: shop.customer.accountId,
    ...({ fromMs: 0, toMs: start + 1, order: 'oldest', where: [], labelClasses: [] } as const),
    fold: { kind: 'rows', columns: ['rules'] } as const,
  }

  expect(await context.scanSlice(slice, new AbortController().signal)).toMatchObject({ scanned: 1 })
  await expect(context.scanSlice(slice, AbortSignal.abort())).rejects.toThrow('given up')
})

test('a slice says how many it looked at, also when it ends with those that match', async () => {
  const shop = await openShop()
  const evaluate = { flow: 0, person: people[0], ext: {}, withDispatch: false, seconds: 0 }
  const { position } = await play(shop, [{ evaluate }, { evaluate }, { evaluate }])
  await read(shop.customer.send, {}, position)
  const slice = {
    account: shop.customer.accountId,
    ...({ fromMs: 0, toMs: start + 1, order: 'newest', where: [], labelClasses: [] } as const),
    fold: { kind: 'rows', columns: ['flow'] } as const,
  }

  const { scanned, matched, after } = await context.scanSlice(
    { ...slice, matchedMax: 2 },
    new AbortController().signal,
  )

  expect([scanned, matched, after === nothing]).toEqual([2, 2, false])
})
