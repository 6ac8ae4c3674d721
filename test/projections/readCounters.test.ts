/** What counters answer while the read models are behind, or being written. */

import { beforeEach, describe, expect, test } from 'vitest'
import type { CounterCall } from '../../src/engine/language/counters.ts'
import {
  buildCounterId,
  buildWarmUpId,
  counterCollection,
  warmUpCollection,
} from '../../src/projections/evaluation/counters.ts'
import type { ProjectionState } from '../../src/projections/running/projectionState.ts'
import { createCounterKeys } from '../../src/state/evaluation/listTallies.ts'
import {
  hasManyPending,
  notePendingTallies,
  waitForManyPending,
} from '../../src/state/evaluation/pendingTallies.ts'
import {
  type CounterContext,
  noteHead,
  readCounters,
} from '../../src/state/evaluation/readCounters.ts'
import type { LoadedDocument } from '../../src/stores/readStore.ts'

const account = 'acc_a'
const now = Date.UTC(2026, 10, 30)
const day = 24 * 3_600_000
const series = {
  ...{ id: 'seriesOfTest', text: 'count(evaluations, by(flow.id))', kind: 'count' as const },
  ...{ source: 'evaluations' as const, by: [{ name: 'flow.id' }] },
}
const call: CounterCall = { name: 'a counter', series, window: '1h' }
const keyring = {
  subject: (...texts: readonly string[]) => texts.join().padEnd(22, '-'),
  keys: never,
  digest: () => '',
}
const findText = () => 'flo_1'

async function never(): Promise<never> {
  throw new Error('not asked')
}

const key = createCounterKeys(keyring, account, findText)(series) ?? ''
const counter = (position: number, count: number): LoadedDocument => {
  const newest = Math.floor(now / 10_000)
  const grains = `${newest.toString(36)}:${count.toString(36)}`
  const id = buildCounterId(series.id, key)
  return { id, position, body: { newest, ends_at: now + 31 * day, grains } }
}

let passed = 100
/** Of the log. */
let head = 100
/** What each reading finds, the last one for good. */
let loads: LoadedDocument[][] = []
let checkpoint = 100
let waited: number[] = []
let states: readonly ProjectionState[] = []
const context: CounterContext = {
  keyring,
  clock: { nowMs: () => now },
  followed: { position: 0, asOfMs: undefined, heads: [] },
  pendingTallies: { keys: new Map(), countOf: new Map() },
  counterLoads: { next: undefined },
  events: { head: async () => head } as CounterContext['events'],
  projections: {
    active: () => 1,
    passed: () => passed,
    position: () => passed,
    progress: () => states,
    waitFor: async (position) => {
      waited.push(position)
      return position <= passed
    },
  },
  documents: {
    get: never,
    find: never,
    load: async ({ name }) =>
      (loads.length > 1 ? (loads.shift() ?? []) : (loads[0] ?? [])).filter(
        ({ id }) => id.startsWith(account) === (name === warmUpCollection.name),
      ),
    checkpoints: async () => [
      {
        ...{ projection: counterCollection.projection, version: 1, position: checkpoint },
        ...{ ready: true, collections: [] },
      },
    ],
  },
}
const read = (sinceMs: number | undefined = now - day, timeMs = now) =>
  readCounters(context, { account, calls: [call], findText, timeMs, sinceMs: () => sinceMs })
const answer = async (...asked: Parameters<typeof read>) => {
  const { answers } = await read(...asked)
  return answers.get(call.name)
}

beforeEach(() => {
  passed = 100
  head = 100
  checkpoint = 100
  loads = [[counter(90, 3)]]
  waited = []
  states = []
  context.followed.heads = [{ atMs: now - 600, position: 100 }]
  context.pendingTallies.keys.clear()
  context.pendingTallies.countOf.clear()
})

describe('a counter', () => {
  test('is answered as of the position that the read models have passed', async () => {
    expect(await read()).toEqual({
      answers: new Map([['a counter', { value: 3 }]]),
      countedTo: 100,
    })
  })

  test('has no answer while an event of a second ago is not counted', async () => {
    context.followed.heads = [{ atMs: now - 1_000, position: 101 }]

    expect(await answer()).toEqual({ reason: 'behind' })
  })

  test('has one while only younger events are not counted', async () => {
    noteHead(context.followed, { atMs: now - 300, position: 150 })

    expect(await answer()).toEqual({ value: 3 })
  })

  test('has none right after a start of which the read models are behind', async () => {
    context.followed.heads = [{ atMs: now, position: 101 }]

    expect(await answer()).toEqual({ reason: 'behind' })
  })

  test.each([
    { when: 'all that is in the log', end: 100, expected: { value: 3 } },
    { when: 'less', end: 101, expected: { reason: 'behind' } },
  ])('has one after a pause of the process where the read models have $when', async (of) => {
    context.followed.heads = [{ atMs: now - 5_000, position: 100 }]
    head = of.end

    expect(await answer()).toEqual(of.expected)
  })

  test('is read again when its document is later than what was passed', async () => {
    loads = [[counter(120, 4)], [counter(120, 4)]]
    checkpoint = 130

    expect(await read()).toMatchObject({ countedTo: 130 })
  })

  test('has no answer when documents keep being later than their checkpoint', async () => {
    loads = [[counter(120, 4)]]

    expect(await answer()).toEqual({ reason: 'behind' })
    expect(await read()).toMatchObject({ countedTo: undefined })
  })

  test('has no answer by a clock that is more than five minutes late', async () => {
    expect(await answer(now - day, now - 6 * 60_000)).toEqual({ reason: 'behind' })
  })

  test.each([
    ['an event of its account', ['acc_b', account], { reason: 'behind' }],
    ['an event of which nobody knows whose it is', [''], { reason: 'behind' }],
    ['an event of another account alone', ['acc_b'], { value: 3 }],
  ])('is answered, or not, where %s is parked', async (_, parkedAccounts, expected) => {
    const { projection, version } = counterCollection
    const of = { name: projection, version, position: 100, active: version, activePosition: 100 }
    states = [{ ...of, status: 'live', parked: 2, parkedAccounts }]

    expect(await answer()).toEqual(expected)
  })

  test('waits for what was recorded here under its key, and for nothing else', async () => {
    notePendingTallies(context, account, { tallies: [['another', key, 1]], position: 110 })
    await read()
    notePendingTallies(context, account, { tallies: [[series.id, key, 1]], position: 111 })
    await read()

    expect(waited).toEqual([111])
  })
})

describe('a young counter', () => {
  const warmUp = (since: number, from: number): LoadedDocument => ({
    ...{ id: buildWarmUpId(account, series.id), position: 80 },
    body: { since, from },
  })
  const hour = 3_600_000

  test('has no answer', async () => {
    expect(await answer(now - hour)).toEqual({ reason: 'warming' })
  })

  const minute = 60_000
  test.each([
    { when: 'all was counted', warmed: [now - minute, 0], expected: { value: 3 } },
    {
      when: 'its window was counted',
      warmed: [now - minute, now - 2 * hour],
      expected: { value: 3 },
    },
    {
      when: 'half of its window was counted',
      warmed: [now - minute, now - hour / 2],
      expected: { reason: 'warming' },
    },
    {
      when: 'it came into force again since',
      warmed: [now - 2 * minute, 0],
      expected: { reason: 'warming' },
    },
  ])('that was warmed when $when', async ({ warmed: [since = 0, from = 0], expected }) => {
    loads = [[counter(90, 3), warmUp(since, from)]]

    expect(await answer(now - minute)).toEqual(expected)
  })

  test('has its account wait, and no other, while very many of its keys are not in the documents', async () => {
    const tallies = Array.from({ length: 6_001 }, (_, at) => [series.id, `key ${at}`, 1] as const)
    notePendingTallies(context, account, { tallies, position: 110 })
    const [own, others] = [account, 'acc_b'].map((one) => hasManyPending(context, one))
    await waitForManyPending(context, account)
    const inVain = waited.length
    passed = 110
    await waitForManyPending(context, account)

    expect([own, others, inVain, waited.length, hasManyPending(context, account)]).toEqual([
      ...[true, false, 5, 6, false],
    ])
  })
})
