/** What every event store promises; each implementation runs all of it. */

import { describe, expect, test } from 'vitest'
import type { Append, EventStore, RecordedEvent } from '../../src/stores/eventStore.ts'
import { answeringAsAList } from './eventStoreModel.contract.ts'
import { followingStreams, readingOn } from './eventStoreNews.contract.ts'
import { followed } from './support/followed.ts'
import { newAppend, newEvent } from './support/newEvents.ts'

interface EventStoreUnderTest {
  readonly store: EventStore
  /** Closes the store and opens it again on what it has kept. */
  readonly reopen: () => Promise<EventStore>
}

export interface EventStoreContract {
  readonly name: string
  /** An empty store; the implementation sees to its end. */
  readonly open: () => Promise<EventStoreUnderTest>
}

export function eventStoreContract(contract: EventStoreContract): void {
  describe(`${contract.name} as an event store`, () => {
    answeringAsAList(contract)
    appending(contract)
    repeating(contract)
    refusing(contract)
    reading(contract)
    readingOn(contract)
    following(contract)
    followingStreams(contract)
  })
}

function appending({ open }: EventStoreContract): void {
  describe('append', () => {
    test('given callers that race for one revision, when all append at once, then exactly one wins', async () => {
      const { store } = await open()
      const racers = Array.from({ length: 20 }, (_, index) => `racer ${index}`)

      const answers = await Promise.all(
        racers.map((racer) => store.append(newAppend('a-1', 'no_stream', racer))),
      )

      expect(answers.filter(({ ok }) => ok)).toHaveLength(1)
      expect(await store.readStream('a-1', { from: 0, limit: 100 })).toHaveLength(1)
    })

    test('given appends under way, when one of them is refused, then the others succeed', async () => {
      const { store } = await open()

      const answers = await Promise.all([
        store.append(newAppend('a-1', 'no_stream', 'x')),
        store.append(newAppend('a-2', 7, 'y')),
        store.append(newAppend('a-3', 'no_stream', 'z')),
      ])

      expect(answers.map(({ ok }) => ok)).toEqual([true, false, true])
    })

    test('given texts of every kind, when appended, then they come back unchanged', async () => {
      const { store } = await open()
      const data = JSON.stringify({
        text: 'é 漢字 🦊 \u2028 \u0000 "\\\n',
        number: 1e300,
        none: null,
      })
      const event = { ...newEvent('x'), data, metadata: '{}' }

      await store.append({ stream: 'a-1', expected: 'no_stream', events: [event] })

      const [read] = await store.readStream('a-1', { from: 0, limit: 1 })
      expect(read).toMatchObject({ ...event, stream: 'a-1', revision: 0 })
    })

    test.each(texts)(
      'given the JSON %s, when appended, then it comes back to the byte',
      async (text) => {
        const { store } = await open()
        const event = { ...newEvent('x'), data: text, metadata: text }

        await store.append({ stream: 'a-1', expected: 'no_stream', events: [event] })

        const [followedEvent] = await followed(store, 0, 1)
        expect(followedEvent).toMatchObject(event)
        expect(await store.readAll({ after: 0, limit: 1 })).toEqual([followedEvent])
        expect(await store.readStream('a-1', { from: 0, limit: 1 })).toEqual([followedEvent])
      },
    )
  })
}

/** Texts that `JSON.stringify` would write in another way. */
const texts = [
  '{ "b": 1.0, "a": [ 1e2, -0 ],\n"10": "x", "2": "\\u0041" }',
  '{"__proto__":{"a":1},"a":1,"a":2}',
  '9007199254740993',
  'null',
  '"\u{1f98a} é"',
]

function repeating({ open }: EventStoreContract): void {
  describe('append of the same ids again', () => {
    test('given other data under the same ids, when sent again, then it succeeds and nothing is rewritten', async () => {
      const { store } = await open()
      const first = await store.append(newAppend('a-1', 'no_stream', 'x'))

      const again = await store.append({
        stream: 'a-1',
        expected: 'no_stream',
        events: [{ ...newEvent('x'), type: 'Other', data: '{"other":true}' }],
      })

      expect(again).toEqual(first)
      const [event] = await store.readStream('a-1', { from: 0, limit: 1 })
      expect(event).toMatchObject(newEvent('x'))
    })

    test('given the same append from several callers at once, then all have the same answer and it is there once', async () => {
      const { store } = await open()
      const append = newAppend('a-1', 'no_stream', 'x', 'y')

      const answers = await Promise.all(Array.from({ length: 10 }, () => store.append(append)))

      expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1)
      expect(await store.readStream('a-1', { from: 0, limit: 10 })).toHaveLength(2)
    })
  })
}

function refusing({ open }: EventStoreContract): void {
  describe('append of what cannot be kept', () => {
    test.each<[string, Append]>([
      ['no event', { stream: 'a-1', expected: 'no_stream', events: [] }],
      ['an id that is not a UUID', withEvent({ id: 'not a uuid' })],
      ['an empty type', withEvent({ type: '' })],
      ['an empty stream', { ...newAppend('', 'no_stream', 'x') }],
      ['a revision below 0', newAppend('a-1', -1, 'x')],
      ["a stream of the store's own", newAppend('$a-1', 'no_stream', 'x')],
      ["a type of the store's own", withEvent({ type: '$x' })],
    ])(
      'when it has %s, then it throws an error that is no failure of the store',
      async (_, append) => {
        const { store } = await open()

        const refused = store.append(append)

        await expect(refused).rejects.toSatisfy((error: Error) => error.name === 'Error')
        expect(await store.head()).toBe(0)
      },
    )

    test('when data, metadata and names are a byte more than a mebibyte, then it is too large by so much, and at the limit it is kept', async () => {
      const { store } = await open()
      // two bytes a letter, in UTF-8 as in the names of types
      const half = {
        ...newEvent('half'),
        type: 'é'.repeat(1_000),
        data: `"${'é'.repeat(250_000)}"`,
      }
      const counted = 500_002 + half.metadata.length + 2_000
      const fill = newEvent('fill')
      const left = 1_048_576 - counted - fill.metadata.length - 2 * fill.type.length
      const appendOf = (bytes: number) => ({
        stream: 'a-1',
        expected: 'no_stream' as const,
        events: [half, { ...fill, data: `"${'x'.repeat(bytes - 2)}"` }],
      })

      const refused = store.append(appendOf(left + 1))
      await expect(refused).rejects.toMatchObject({
        code: 'payload_too_large',
        message: expect.stringMatching(/1048577 bytes .* 1048576/),
      })
      const answer = await store.append(appendOf(left))

      expect(answer).toMatchObject({ ok: true, revision: 1 })
    })

    test('when the store is closed, then it is unavailable', async () => {
      const { store } = await open()
      await store.close()

      const refused = store.append(newAppend('a-1', 'no_stream', 'x'))

      await expect(refused).rejects.toMatchObject({ code: 'unavailable' })
    })
  })
}

function withEvent(change: object): Append {
  return { stream: 'a-1', expected: 'no_stream', events: [{ ...newEvent('x'), ...change }] }
}

function reading({ open }: EventStoreContract): void {
  describe('read', () => {
    test('given nothing, then streams and the log are empty and the head is 0', async () => {
      const { store } = await open()

      expect(await store.readStream('a-1', { from: 0, limit: 10 })).toEqual([])
      expect(await store.readAll({ after: 0, limit: 10 })).toEqual([])
      expect(await store.head()).toBe(0)
    })

    test('given events, when the last ones are read, then they come in order, and all when there are fewer', async () => {
      const { store } = await open()
      await store.append(newAppend('a-1', 'no_stream', ...'abc'))
      await store.append(newAppend('a-2', 'no_stream', ...'de'))

      const idsOf = (events: readonly RecordedEvent[]) => events.map(({ id }) => id)
      const all = [...'abcde'].map((seed) => newEvent(seed).id)
      expect(idsOf(await store.readTail(3))).toEqual(all.slice(2))
      expect(idsOf(await store.readTail(9))).toEqual(all)
      expect(idsOf(await store.readTail(2, 'a-1'))).toEqual(all.slice(1, 3))
      expect(idsOf(await store.readTail(9, 'a-1'))).toEqual(all.slice(0, 3))
      expect(await store.readTail(9, 'a-3')).toEqual([])
    })
  })
}

function following({ open }: EventStoreContract): void {
  describe('follow', () => {
    test('given events before and after its start, when followed, then all come once, in order', async () => {
      const { store } = await open()
      await store.append(newAppend('a-1', 'no_stream', ...'abc'))

      const following = followed(store, 0, 6)
      await store.append(newAppend('a-2', 'no_stream', ...'def'))

      const ids = (await following).map(({ id }) => id)
      expect(ids).toEqual([...'abcdef'].map((seed) => newEvent(seed).id))
    })

    test('given a position, when followed after it, then it begins with the next event', async () => {
      const { store } = await open()
      await store.append(newAppend('a-1', 'no_stream', ...'abcd'))
      const [, second] = await store.readAll({ after: 0, limit: 2 })

      const events = await followed(store, second?.position ?? 0, 2)

      expect(events.map(({ id }) => id)).toEqual([newEvent('c').id, newEvent('d').id])
    })

    test('given more than a batch, when followed by a slow consumer while others append, then none is lost or repeated', async () => {
      const { store } = await open()
      const appends = Array.from({ length: 1_100 }, (_, index) => `${index}`)
      const stop = new AbortController()
      const positions: number[] = []

      const writing = Promise.all(
        appends.map((seed) => store.append(newAppend(`a-${seed}`, 'no_stream', seed, `${seed}+`))),
      )
      for await (const batch of store.follow(0, stop.signal)) {
        expect(batch.length).toBeGreaterThan(0)
        expect(batch.length).toBeLessThanOrEqual(2_000)
        positions.push(...batch.map(({ position }) => position))
        await new Promise((resolve) => setTimeout(resolve, 2))
        if (positions.length >= 2_200) stop.abort()
      }
      await writing

      const all = await store.readAll({ after: 0, limit: 3_000 })
      expect(positions).toEqual(all.map(({ position }) => position))
    })

    test('given a position beyond the end of the log, when followed after it, then it is refused, since what comes up to there would be passed over', async () => {
      const { store } = await open()
      const answer = await store.append(newAppend('a-1', 'no_stream', 'x'))
      const beyond = (answer.ok ? answer.position : 0) + 1_000_000

      const following = followed(store, beyond, 1)

      await expect(following).rejects.toMatchObject({ code: 'unavailable' })
    })

    test('given nothing to come, when its signal is aborted, then it ends by itself', async () => {
      const { store } = await open()
      const stop = new AbortController()
      const batches: unknown[] = []

      setTimeout(() => stop.abort(), 20)
      for await (const batch of store.follow(0, stop.signal)) batches.push(batch)

      expect(batches).toEqual([])
    })

    test('given a signal aborted before, when followed, then it hands out nothing', async () => {
      const { store } = await open()
      await store.append(newAppend('a-1', 'no_stream', 'x'))

      const batches: unknown[] = []
      for await (const batch of store.follow(0, AbortSignal.abort())) batches.push(batch)

      expect(batches).toEqual([])
    })

    test('given several followers, when events come, then each has all of them', async () => {
      const { store } = await open()

      const all = Promise.all([followed(store, 0, 3), followed(store, 0, 3), followed(store, 0, 3)])
      await store.append(newAppend('a-1', 'no_stream', 'x', 'y'))
      await store.append(newAppend('a-1', 1, 'z'))

      const [first, second, third] = await all
      expect(first).toHaveLength(3)
      expect(second).toEqual(first)
      expect(third).toEqual(first)
    })

    test('given a follower, when the store closes, then the follower learns of it', async () => {
      const { store } = await open()
      const follower = followed(store, 0, 1)

      await new Promise((resolve) => setTimeout(resolve, 10))
      await store.close()

      await expect(follower).rejects.toMatchObject({ code: 'unavailable' })
    })
  })
}
