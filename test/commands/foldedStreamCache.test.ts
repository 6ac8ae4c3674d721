import fc from 'fast-check'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { type DecodedEvent, type DomainEvent, logEpoch } from '../../src/events/recording/event.ts'
import { openStreamCache } from '../../src/state/folding/foldedStreamCache.ts'
import type { StreamType } from '../../src/state/folding/streamType.ts'
import type { RecordedEvent } from '../../src/stores/eventStore.ts'
import { draws } from '../support/draws.ts'
import { everyPauseYields, turnsDuring } from '../support/everyPauseYields.ts'
import { load } from '../support/load.ts'
import { memoryEventStore } from '../support/memoryEventStore.ts'

afterEach(() => void vi.restoreAllMocks())

type Added = DomainEvent<'Added', { readonly word: string }>

const words: StreamType<readonly string[], Added> = {
  initial: () => [],
  evolve: (said, { data }) => [...said, data.word],
  estimateBytes: () => 0,
}

function decode(recorded: RecordedEvent): DecodedEvent<Added> {
  const { stream, revision, position } = recorded
  const data = JSON.parse(recorded.data)
  const metadata = JSON.parse(recorded.metadata)
  return { event: { type: 'Added', data }, metadata, stream, revision, position }
}

let ids = 0
function open(bytesMax = 1_000_000, store = memoryEventStore()) {
  let reads = 0
  let following = true
  const hooks: { afterRead?: (() => Promise<unknown>) | undefined } = {}
  const counting: typeof store = {
    ...store,
    readNewEvents: async (stream, page) => {
      reads += 1
      const news = await store.readNewEvents(stream, page)
      await hooks.afterRead?.()
      return news
    },
  }
  const isFollowed = () => following
  const streams = openStreamCache({
    ...load,
    store: counting,
    decode,
    streamType: words,
    bytesMax,
    isFollowed,
  })
  const stopFollowing = (): void => {
    following = false
  }
  const say = async (stream: string, ...said: readonly string[]) => {
    const known = await store.readStream(stream, { from: 0, limit: 1_000_000 })
    const events = said.map((word) => {
      ids += 1
      return {
        id: `00000000-0000-4000-8000-${String(ids).padStart(12, '0')}`,
        type: 'Added',
        data: JSON.stringify({ word }),
        metadata: JSON.stringify({ command: `c${ids}`, time: 1 }),
      }
    })
    const expected = known.length === 0 ? ('no_stream' as const) : known.length - 1
    const appended = await store.append({ stream, events, expected })
    if (!appended.ok) throw new Error('the test was slower than itself')
    return appended
  }
  return { store, streams, say, hooks, stopFollowing, reads: () => reads }
}

const event = (word: string, revision: number, position = 100 + revision): DecodedEvent<Added> => ({
  event: { type: 'Added', data: { word } },
  metadata: {
    account: 'a',
    actor: 't',
    request: '',
    command: `c${revision}`,
    time: 1,
    epoch: logEpoch,
    version: 1,
  },
  stream: 's',
  revision,
  position,
})

test('a stream is read once, and stays as it was read until it is caught up', async () => {
  const { store, streams, say, reads } = open()
  await say('s', 'one')

  const first = await streams.getFolded('s')
  await say('s', 'two')
  const again = await streams.getFolded('s')

  expect(again).toBe(first)
  expect(again.state).toEqual(['one'])
  expect(reads()).toBe(1)
  expect((await streams.catchUp('s')).state).toEqual(['one', 'two'])
  const position = store.log[1]?.position
  expect(streams.peek('s')).toMatchObject({ state: ['one', 'two'], revision: 1, position })
})

test('who asks while a stream is being read waits for the same reading', async () => {
  const { streams, say, reads } = open()
  await say('s', 'one')

  const all = await Promise.all([
    streams.getFolded('s'),
    streams.getFolded('s'),
    streams.getFolded('s'),
  ])

  expect(new Set(all).size).toBe(1)
  expect(reads()).toBe(1)
})

test('who catches up while a stream is being read sees what was acknowledged before, in one more reading for all', async () => {
  const { streams, say, hooks, reads } = open()
  await say('s', 'one')
  hooks.afterRead = async () => {
    hooks.afterRead = undefined
    await say('s', 'two')
    later = [streams.catchUp('s'), streams.catchUp('s'), streams.catchUp('s')]
  }
  let later: Promise<{ state: readonly string[] }>[] = []

  await streams.getFolded('s')

  for (const { state } of await Promise.all(later)) expect(state).toEqual(['one', 'two'])
  expect(reads()).toBe(2)
})

describe('what is heard in the log', () => {
  const recorded = async (store: ReturnType<typeof memoryEventStore>, stream: string) =>
    store.readStream(stream, { from: 0, limit: 100 })

  test('is folded into the stream that is held, once, without a reading', async () => {
    const { store, streams, say, reads } = open()
    await say('s', 'one')
    await streams.getFolded('s')
    await say('s', 'two')

    for (const heard of await recorded(store, 's')) streams.applyEvent(heard)
    for (const heard of await recorded(store, 's')) streams.applyEvent(heard)

    expect((await streams.getFolded('s')).state).toEqual(['one', 'two'])
    expect(reads()).toBe(1)
  })

  test('is passed by when its stream is not held', async () => {
    const { store, streams, say, reads } = open()
    await say('s', 'one')

    for (const heard of await recorded(store, 's')) streams.applyEvent(heard)

    expect(streams.peek('s')).toBeUndefined()
    expect(reads()).toBe(0)
  })
})

test('a stream of more events than one page is read to its end', async () => {
  const { streams, say } = open()
  const said = Array.from({ length: 2_500 }, (_, index) => `${index}`)
  await say('s', ...said)

  expect((await streams.getFolded('s')).state).toEqual(said)
})

test('a reading that fails is not kept: the next one reads again', async () => {
  const { store, say } = open()
  await say('s', 'one')
  let fails = true
  const failing = openStreamCache({
    ...load,
    store: {
      ...store,
      readNewEvents: async (stream, page) => {
        if (fails) throw new Error('the store is away')
        return store.readNewEvents(stream, page)
      },
    },
    decode,
    streamType: words,
    bytesMax: 1_000_000,
  })

  await expect(failing.getFolded('s')).rejects.toThrow('the store is away')
  fails = false

  expect((await failing.getFolded('s')).state).toEqual(['one'])
})

test('only as many streams as are allowed stay in memory, those asked for last', async () => {
  // each takes some six hundred bytes
  const { streams, say } = open(1_300)
  for (const stream of ['a', 'b', 'c']) await say(stream, stream)

  await streams.getFolded('a')
  await streams.getFolded('b')
  await streams.getFolded('a')
  await streams.getFolded('c')

  expect(streams.peek('b')).toBeUndefined()
  expect(streams.peek('a')?.state).toEqual(['a'])
  expect((await streams.getFolded('b')).state).toEqual(['b'])
})

describe('folding what was appended', () => {
  test('takes what follows, and what it has already leaves it as it is', async () => {
    const { streams, say } = open()
    await say('s', 'one')
    const folded = await streams.getFolded('s')

    streams.fold(folded, [event('one', 0), event('two', 1), event('two', 1), event('three', 2)])

    expect(folded).toMatchObject({ state: ['one', 'two', 'three'], revision: 2, position: 102 })
  })

  test('refuses a hole rather than going on without what is missing', async () => {
    const { streams, say } = open()
    await say('s', 'one')
    const folded = await streams.getFolded('s')

    expect(() => streams.fold(folded, [event('three', 2)])).toThrow(
      'stream s has a hole before revision 2',
    )
    expect(folded.state).toEqual(['one'])
  })
})

/** What was said in each stream, with the position of each word. */
function model() {
  const said = new Map<string, { word: string; position: number }[]>()
  return {
    add: (stream: string, words: readonly string[], log: readonly RecordedEvent[]): void => {
      const events = log.slice(-words.length)
      const told = words.map((word, index) => ({ word, position: events[index]?.position ?? 0 }))
      said.set(stream, [...(said.get(stream) ?? []), ...told])
    },
    upTo: (stream: string, position: number) =>
      (said.get(stream) ?? []).flatMap((one) => (one.position <= position ? [one.word] : [])),
    folded: (stream: string) => {
      const all = said.get(stream) ?? []
      const state = all.map(({ word }) => word)
      return { state, revision: all.length - 1, position: all.at(-1)?.position ?? 0 }
    },
  }
}

const stream = fc.constantFrom('a', 'b', 'c')
const said = fc.array(fc.string({ minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 3 })
const step = fc.record({ stream, said: fc.option(said) })

test('whoever appends in whatever order, a stream is what its events add up to, at every position', () =>
  fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
      const { store, streams, say } = open(2 * 1_300)
      const expected = model()

      for (const one of steps) {
        if (one.said) {
          await say(one.stream, ...one.said)
          expected.add(one.stream, one.said, store.log)
        } else {
          expect(await streams.catchUp(one.stream)).toMatchObject(expected.folded(one.stream))
        }
      }

      for (const name of ['a', 'b', 'c']) {
        const between = [1, 3, 7].map((index) => (store.log[index]?.position ?? 0) + 1)
        for (const position of [0, ...between, ...store.log.map((event) => event.position)]) {
          expect(await streams.stateAt(name, position)).toEqual(expected.upTo(name, position))
        }
      }
    }),
    { numRuns: draws(80) },
  ))

test('a long stream is folded a little at a time, others having their turns in between', async () => {
  const { store, streams, say } = open()
  await say('a', ...Array.from({ length: 200 }, (_, index) => `${index}`.padEnd(2_000, '-')))
  everyPauseYields()

  const turns = await turnsDuring(() => streams.catchUp('a'))

  const state = streams.peek('a')?.state
  expect(state).toHaveLength(200)
  expect(store.log.length).toBe(200)
  expect(turns).toBeGreaterThanOrEqual(6)
})

test('of a stream as it was one is made at a time, however many ask', async () => {
  const memory = memoryEventStore()
  let [underWay, most] = [0, 0]
  const slow: typeof memory = {
    ...memory,
    readStream: async (...asked) => {
      underWay += 1
      most = Math.max(most, underWay)
      await new Promise((resolve) => setImmediate(resolve))
      underWay -= 1
      return memory.readStream(...asked)
    },
  }
  const { streams, say } = open(1_000_000, slow)
  await say('a', 'one')
  await say('a', 'two')
  await streams.catchUp('a')
  const position = memory.log[0]?.position ?? 0

  const then = await Promise.all(Array.from({ length: 20 }, () => streams.stateAt('a', position)))

  expect(then).toEqual(Array(20).fill(['one']))
  expect(most).toBe(1)
})

const crossing = fc.record({
  stream: fc.constantFrom('a', 'b', 'c'),
  kind: fc.constantFrom('append', 'use', 'decide', 'invalidate'),
})

test('however readings, appends and what is heard of them cross, nothing that was heard is missing', () =>
  fc.assert(
    fc.asyncProperty(
      fc.scheduler(),
      fc.array(crossing, { maxLength: 25 }),
      async (order, steps) => {
        const store = memoryEventStore()
        let later = async (): Promise<unknown> => order.schedule(Promise.resolve())
        const streams = openStreamCache({
          ...load,
          store: {
            ...store,
            // what was read may arrive after what was heard since
            readNewEvents: async (stream, page) => {
              await later()
              const news = await store.readNewEvents(stream, page)
              await later()
              return news
            },
          },
          decode,
          streamType: words,
          bytesMax: 2_000,
          isFollowed: () => true,
        })
        const wordsOf = (stream: string) =>
          store.log.filter((event) => event.stream === stream).map(({ id }) => id)
        let heard: Promise<unknown> = Promise.resolve()
        const append = async (stream: string): Promise<void> => {
          const known = wordsOf(stream).length
          const id = `00000000-0000-5000-8000-${String(store.log.length).padStart(12, '0')}`
          const metadata = JSON.stringify({ command: id, time: 1 })
          const events = [{ id, type: 'Added', data: JSON.stringify({ word: id }), metadata }]
          await store.append({ stream, events, expected: known === 0 ? 'no_stream' : known - 1 })
          const event = store.log.at(-1)
          heard = heard.then(later).then(() => event && streams.applyEvent(event))
        }

        const done = steps.map(async ({ stream, kind }) => {
          await later()
          if (kind === 'append') await append(stream)
          if (kind === 'invalidate') streams.invalidate(stream)
          if (kind === 'use') await streams.getFolded(stream)
          if (kind !== 'decide') return
          const acknowledged = wordsOf(stream)
          const { state } = await streams.catchUp(stream)
          expect(state.slice(0, acknowledged.length)).toEqual(acknowledged)
        })
        await order.waitFor(Promise.all(done))
        await order.waitFor(heard)
        later = async () => undefined

        for (const stream of ['a', 'b', 'c']) {
          expect((await streams.getFolded(stream)).state).toEqual(wordsOf(stream))
        }
      },
    ),
    { numRuns: draws(3_000) },
  ))
