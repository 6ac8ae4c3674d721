/** Long streams are opened from snapshots, which are never believed without the log. */

import { createHmac } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Family } from '../../src/commands/handling/family.ts'
import { openStreams } from '../../src/commands/handling/streams.ts'
import { rulebookSnapshot } from '../../src/commands/rulebook/rulebookSnapshot.ts'
import type { DecodedEvent, DomainEvent } from '../../src/events/recording/event.ts'
import { emptyRulebook, evolveRulebook } from '../../src/events/rulebook/rulebook.ts'
import { trimRulebook } from '../../src/events/rulebook/trimRulebook.ts'
import type { RecordedEvent } from '../../src/stores/eventStore.ts'
import type { SnapshotHead, SnapshotStore } from '../../src/stores/snapshotStore.ts'
import { draws } from '../support/draws.ts'
import { memoryEventStore } from '../support/memoryEventStore.ts'
import { decisionOf, eventsOf, type Step, step } from './support/rulebookSteps.ts'

type Added = DomainEvent<'Added', { readonly amount: number }>

const sumOf = (shape: string): Family<{ total: number }, Added> => ({
  initial: () => ({ total: 0 }),
  evolve: ({ total }, { data }) => ({ total: total + data.amount }),
  weigh: () => 0,
  snapshot: {
    shape,
    take: ({ total }) => [total],
    build: () => {
      let total = 0
      return {
        add: (part) => {
          total += Number(part)
        },
        state: () => ({ total }),
      }
    },
  },
})

function decode(recorded: RecordedEvent): DecodedEvent<Added> {
  const { stream, revision, position } = recorded
  const data = JSON.parse(recorded.data)
  return {
    event: { type: 'Added', data },
    metadata: JSON.parse(recorded.metadata),
    stream,
    revision,
    position,
  }
}

function memorySnapshots(): SnapshotStore & { heads: SnapshotHead[]; parts: Map<string, string> } {
  const heads: SnapshotHead[] = []
  const parts = new Map<string, string>()
  const keyOf = (...place: readonly unknown[]) => JSON.stringify(place)
  return {
    heads,
    parts,
    newest: async (stream) => heads.findLast((head) => head.stream === stream),
    part: async ({ stream, revision, part }) => parts.get(keyOf(stream, revision, part)),
    putPart: async ({ stream, revision, part }, text) => {
      parts.set(keyOf(stream, revision, part), text)
    },
    publish: async (head) => {
      heads.push(head)
    },
    drop: async ({ stream, revision }) => {
      const kept = heads.filter((head) => head.stream !== stream || head.revision > revision)
      heads.splice(0, heads.length, ...kept)
    },
    close: async () => undefined,
  }
}

const count = 1_000

/** A stream of many events, of which a snapshot has been made. */
async function long() {
  const store = memoryEventStore()
  for (let number = 0; number < count; number += 1) {
    const id = `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`
    const metadata = { command: `c${number}`, key: `k${number}`, digest: 'd', time: 1 }
    const event = {
      id,
      type: 'Added',
      data: JSON.stringify({ amount: number }),
      metadata: JSON.stringify(metadata),
    }
    store.log.push({ ...event, stream: 's', revision: number, position: number + 1 })
  }
  const snapshots = memorySnapshots()
  const open = (shape = 'sum 1') => {
    const read: number[] = []
    const faults: unknown[] = []
    const under: Promise<void>[] = []
    const streams = openStreams({
      store: {
        ...store,
        readNews: async (stream, page) => {
          const news = await store.readNews(stream, page)
          read.push(...news.events.map(({ revision }) => revision))
          return news
        },
      },
      decode,
      family: sumOf(shape),
      bytesMax: 1_000_000,
      isFollowed: () => true,
      snapshots: {
        store: snapshots,
        digest: (purpose, text) =>
          createHmac('sha256', 'k')
            .update(purpose + text)
            .digest('hex'),
        run: (work) => under.push(work()),
        onFault: (error) => faults.push(error),
      },
    })
    return { streams, read, faults, settled: () => Promise.all(under) }
  }
  const first = open()
  const { state } = await first.streams.folded('s')
  await first.settled()
  expect(first.read).toHaveLength(count)
  expect(snapshots.heads).toHaveLength(1)
  return { store, snapshots, open, state: { ...state } }
}

const last = count - 1

test('a long stream is opened from its snapshot, with the commands it remembers', async () => {
  const { open, state } = await long()

  const again = open()
  const folded = await again.streams.folded('s')

  expect(again.read).toEqual([])
  expect(folded).toMatchObject({ state, revision: last, position: count })
  expect([...folded.commands].at(-1)).toEqual([`k${last}`, last])
  expect(folded.commands.size).toBe(count)
})

test('the stream as it was is read on from the snapshot, never from a later one', async () => {
  const { open } = await long()
  const { streams } = open()

  expect((await streams.stateAt('s', 3)).total).toBe(0 + 1 + 2)
  expect((await streams.stateAt('s', count)).total).toBe((last * count) / 2)
})

describe('from the beginning a stream is read', () => {
  type Long = Awaited<ReturnType<typeof long>>
  const harms: readonly [string, (given: Long) => void][] = [
    ['a part is lost', ({ snapshots }) => snapshots.parts.clear()],
    [
      'a part says something else',
      ({ snapshots: { parts } }) => {
        for (const [key, text] of parts) parts.set(key, text.replace('499500', '499501'))
      },
    ],
    [
      'a part is no JSON',
      ({ snapshots: { parts } }) => {
        for (const key of parts.keys()) parts.set(key, '{')
      },
    ],
    [
      'the head says something else',
      ({ snapshots: { heads } }) => {
        heads.push({ ...(heads.pop() as SnapshotHead), position: 7 })
      },
    ],
  ]

  test.each(harms)('when %s', async (_, harm) => {
    const given = await long()
    harm(given)

    const again = given.open()
    const { state } = await again.streams.folded('s')

    expect(again.read).toHaveLength(count)
    expect(state).toEqual(given.state)
  })

  test('when the event that the snapshot stands on is another, or gone', async () => {
    for (const harm of ['changed', 'cut'] as const) {
      const { store, open, snapshots } = await long()
      const event = store.log.pop() as RecordedEvent
      if (harm === 'changed') store.log.push({ ...event, data: '{"amount":0}' })

      const again = open()
      const { state } = await again.streams.folded('s')

      expect(state.total).toBe(((last - 1) * last) / 2)
      expect(snapshots.heads.every(({ revision }) => revision <= last)).toBe(true)
    }
  })

  test('when the snapshot is of another shape', async () => {
    const { open, state } = await long()

    const again = open('sum 2')

    expect((await again.streams.folded('s')).state).toEqual(state)
    expect(again.read).toHaveLength(count)
  })

  test('when the snapshots are away, which is told', async () => {
    const { open, snapshots, state } = await long()
    const away = new Error('away')
    Object.assign(snapshots, { newest: () => Promise.reject(away) })

    const again = open()

    expect((await again.streams.folded('s')).state).toEqual(state)
    expect(again.faults).toEqual([away])
  })
})

test('whatever a rulebook has gone through, it is made again of its parts, and goes on as if nothing had happened', () =>
  fc.assert(
    fc.property(fc.array(step), fc.array(step, { maxLength: 30 }), (before, after) => {
      const state = goOn(emptyRulebook(), before, 0)
      const kept = again(state)

      for (const one of [state, kept]) goOn(one, after, before.length)

      expect(kept).toEqual(state)
      expect([...kept.rules.keys()]).toEqual([...state.rules.keys()])
    }),
    { numRuns: draws(200) },
  ))

test('the form of a rulebook is the one that its shape names', () => {
  const state = emptyRulebook()
  const expression = { kind: 'literal', type: 'bool', value: true, at: [1, 1] } as const
  const rules = [{ rule_id: 'r', weight: 1, version_id: 'v' }]
  evolveRulebook(state, {
    type: 'RulePublished',
    data: { rule_id: 'r', version_id: 'v', name: 'n', text: 't', expression },
  })
  evolveRulebook(state, {
    type: 'RecipePublished',
    data: { recipe_id: 'p', version_id: 'w', name: 'n', status: 'LIVE', threshold: 1, rules },
  })
  evolveRulebook(state, {
    type: 'FlowPublished',
    data: { flow_id: 'f', version_id: 'x', name: 'n', recipes: ['p'] },
  })

  const parts = JSON.parse(JSON.stringify([...rulebookSnapshot.take(state)]))

  // whoever changes this gives the form another shape
  expect([rulebookSnapshot.shape, ...parts.slice(1)]).toEqual([
    'rulebook 3',
    {
      kind: 'rules',
      rows: [
        [
          'r',
          'v',
          [{ version_id: 'v', name: 'n', text: 't', expression: JSON.stringify(expression) }],
          ['p'],
          { places: rules },
        ],
      ],
    },
    {
      kind: 'recipes',
      rows: [
        [
          'p',
          'w',
          [{ version_id: 'w', name: 'n', threshold: 1, rules }],
          ['f'],
          { status: 'LIVE' },
        ],
      ],
    },
    {
      kind: 'flows',
      rows: [['f', 'x', [{ version_id: 'x', name: 'n', recipes: ['p'] }], [], {}]],
    },
  ])
})

function goOn(state: ReturnType<typeof emptyRulebook>, steps: readonly Step[], from: number) {
  for (const [number, one] of steps.entries()) {
    const events = eventsOf(decisionOf(one, state, from + number), state)
    for (const event of events) evolveRulebook(state, event)
    trimRulebook(state, events)
  }
  return state
}

/** As a store gives it back. */
function again(state: ReturnType<typeof emptyRulebook>) {
  const building = rulebookSnapshot.build()
  for (const part of rulebookSnapshot.take(state)) building.add(JSON.parse(JSON.stringify(part)))
  return building.state() as typeof state
}
