/** Long streams are opened from snapshots, which are never believed without the log. */

import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { DecodedEvent, DomainEvent } from '../../src/events/recording/event.ts'
import { createRulebook, evolveRulebook } from '../../src/events/rulebook/rulebook.ts'
import { openStreamCache } from '../../src/state/folding/foldedStreamCache.ts'
import { openSnapshots } from '../../src/state/folding/snapshots.ts'
import type { StreamType } from '../../src/state/folding/streamType.ts'
import { rulebookStreamType } from '../../src/state/rulebook/rulebookStreams.ts'
import type { RecordedEvent } from '../../src/stores/eventStore.ts'
import { openSnapshotFiles } from '../../src/stores/snapshotFiles.ts'
import { draws } from '../support/draws.ts'
import { load } from '../support/load.ts'
import { memoryEventStore } from '../support/memoryEventStore.ts'
import { always, flowEvent, recipeEvent, ruleEvent } from './support/rulebookEvents.ts'
import { decisionOf, eventsOf, type HistoryStep, ownStep } from './support/rulebookHistory.ts'

const { snapshot: rulebookSnapshot } = rulebookStreamType

type Added = DomainEvent<'Added', { readonly amount: number }>

/** `during` runs while a part of it is still to be written. */
const sumOf = (shape: string, during: () => void): StreamType<{ total: number }, Added> => ({
  initial: () => ({ total: 0 }),
  evolve: (state, { data }) => {
    state.total += data.amount
    return state
  },
  estimateBytes: () => 0,
  snapshot: {
    shape,
    parts: function* ({ total }) {
      yield total - 1
      during()
      yield 1
    },
    add: (state, part) => {
      state.total += Number(part)
    },
  },
})

function decode(recorded: RecordedEvent): DecodedEvent<Added> {
  const { stream, revision, position } = recorded
  const event = { type: 'Added', data: JSON.parse(recorded.data) } as const
  return { event, metadata: JSON.parse(recorded.metadata), stream, revision, position }
}

const recorded = (number: number): RecordedEvent => ({
  id: `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`,
  type: 'Added',
  data: JSON.stringify({ amount: number }),
  metadata: JSON.stringify({ command: `c${number}`, key: `k${number}`, digest: 'd', time: 1 }),
  stream: 's',
  revision: number,
  position: number + 1,
})

const count = 2_000
const last = count - 1

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'vigil-snapshots-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

const fileOf = () => join(folder, 'snapshots', 's.snapshot')

/** An instance on the folder that counts the events it reads from its log. */
function open(log: RecordedEvent[], shape = 'sum 1', during = () => {}) {
  const store = memoryEventStore(log)
  const read: number[] = []
  const faults: unknown[] = []
  const onFault = (error: unknown) => faults.push(error)
  const snapshots = openSnapshots({
    files: openSnapshotFiles(join(folder, 'snapshots')),
    log: store,
    onFault,
  })
  const streams = openStreamCache({
    ...load,
    store: {
      ...store,
      readNewEvents: async (stream, page) => {
        const news = await store.readNewEvents(stream, page)
        read.push(...news.events.map(({ revision }) => revision))
        return news
      },
    },
    decode,
    streamType: sumOf(shape, during),
    bytesMax: 1_000_000,
    snapshots,
  })
  return { streams, read, faults, snapshots }
}

/** A log that an instance has folded and left. */
async function long(events = count) {
  const log = Array.from({ length: events }, (_, number) => recorded(number))
  const first = open(log)
  const { state } = await first.streams.getFolded('s')
  await first.snapshots.close()
  expect(first.read).toHaveLength(events)
  expect(first.faults).toEqual([])
  return { log, state: { ...state } }
}

test('a long stream is opened from its snapshot, with the commands it remembers, and read on', async () => {
  const { log, state } = await long()
  log.push(recorded(count))

  const again = open(log)
  const folded = await again.streams.getFolded('s')

  expect(again.read).toEqual([count])
  expect(folded).toMatchObject({ state: { total: state.total + count }, revision: count })
  expect([...folded.commands].at(-1)).toEqual([`k${count}`, count])
  expect([...folded.commands.values()]).toContain(last)
})

test('a short stream is not kept, nor is a long one again before enough has come to it', async () => {
  await long(last)
  expect(readdirSync(folder)).toEqual([])

  const { log } = await long()
  const kept = readFileSync(fileOf())
  log.push(...Array.from({ length: last }, (_, number) => recorded(count + number)))
  const again = open(log)
  await again.streams.getFolded('s')
  await again.snapshots.close()

  expect(again.read).toHaveLength(last)
  expect(readFileSync(fileOf())).toEqual(kept)
})

test('what changes while it is written is not kept', async () => {
  const log = Array.from({ length: count }, (_, number) => recorded(number))
  const { streams, snapshots } = open(log, 'sum 1', () => streams.applyEvent(recorded(count)))
  const folded = await streams.getFolded('s')

  await snapshots.close()

  expect(folded).toMatchObject({ revision: count, savedRevision: -1 })
  expect(readdirSync(join(folder, 'snapshots'))).toEqual([])
})

describe('from the beginning a stream is read', () => {
  const harms: readonly [string, (log: RecordedEvent[]) => void, faults: number][] = [
    ['the snapshot is gone', () => rmSync(fileOf()), 0],
    ['it has no end', () => writeFileSync(fileOf(), readFileSync(fileOf()).subarray(0, -8)), 1],
    ['it is empty', () => writeFileSync(fileOf(), ''), 1],
    [
      'a byte of it is another',
      () => {
        const bytes = readFileSync(fileOf())
        bytes.writeUInt8(bytes.readUInt8(bytes.length - 12) ^ 1, bytes.length - 12)
        writeFileSync(fileOf(), bytes)
      },
      1,
    ],
    ['the event that it stands on is gone', (log) => void log.pop(), 0],
    [
      'the event that it stands on is another',
      (log) => void log.splice(last, 1, { ...recorded(last), id: recorded(0).id }),
      0,
    ],
    [
      'the event that it stands on is somewhere else',
      (log) => void log.splice(last, 1, { ...recorded(last), position: count + 7 }),
      0,
    ],
  ]

  test.each(harms)('when %s', async (_, harm, faults) => {
    const { log } = await long()
    harm(log)

    const again = open(log)
    const { state } = await again.streams.getFolded('s')

    expect(again.read).toHaveLength(log.length)
    expect(state.total).toBe(((log.length - 1) * log.length) / 2)
    expect(again.faults).toHaveLength(faults)
  })

  test('when the snapshot is of another shape', async () => {
    const { log, state } = await long()

    const again = open(log, 'sum 2')

    expect((await again.streams.getFolded('s')).state).toEqual(state)
    expect(again.read).toHaveLength(count)
  })
})

test('whatever a rulebook has gone through, it is made again of its parts, and goes on as if nothing had happened', () =>
  fc.assert(
    fc.property(fc.array(ownStep), fc.array(ownStep, { maxLength: 30 }), (before, after) => {
      const state = goOn(createRulebook(), before, 0)
      const kept = again(state)

      for (const one of [state, kept]) goOn(one, after, before.length)

      expect(kept).toEqual(state)
      expect([...kept.rules.keys()]).toEqual([...state.rules.keys()])
    }),
    { numRuns: draws(200) },
  ))

test('the form of a rulebook is the one that its shape names', () => {
  const state = createRulebook()
  const rules = [{ rule_id: 'r', weight: 1, version_id: 'v' }]
  for (const event of [
    ruleEvent('r', { version_id: 'v', text: 't' }),
    recipeEvent('p', rules, { version_id: 'w', threshold: 1 }),
    flowEvent('f', ['p'], { version_id: 'x' }),
  ]) {
    evolveRulebook(state, event)
  }
  const rule = { version_id: 'v', name: 'n', text: 't', expression: JSON.stringify(always) }
  const recipe = { version_id: 'w', name: 'n', threshold: 1, rules }
  const flow = { version_id: 'x', name: 'n', recipes: ['p'] }
  // whoever changes this gives the form another shape
  expect([rulebookSnapshot.shape, ...rulebookSnapshot.parts(state)]).toEqual([
    'rulebook 7',
    {
      lists: new Map(),
      counters: new Map(),
      size: { memberships: 1, text: 4, compiled: rule.expression.length },
      generation: 3,
    },
    {
      kind: 'rules',
      entries: [
        [
          'r',
          { current: rule, versions: new Map([['v', rule]]), referrers: new Map([['p', 'v']]) },
        ],
      ],
    },
    {
      kind: 'recipes',
      entries: [['p', { current: recipe, referrers: new Map([['f', undefined]]), status: 'LIVE' }]],
    },
    { kind: 'flows', entries: [['f', { current: flow, referrers: new Map() }]] },
  ])
})

function goOn(
  state: ReturnType<typeof createRulebook>,
  steps: readonly HistoryStep[],
  from: number,
) {
  for (const [number, one] of steps.entries()) {
    const events = eventsOf(decisionOf(one, from + number), state)
    for (const event of events) evolveRulebook(state, event)
  }
  return state
}

/** As a file gives it back. */
function again(state: ReturnType<typeof createRulebook>) {
  const made = createRulebook()
  for (const part of rulebookSnapshot.parts(state))
    rulebookSnapshot.add(made, structuredClone(part))
  return made
}
