/** What every event store promises to those who hold a part of the log and want what has come since. */

import { describe, expect, test } from 'vitest'
import type { EventStore, RecordedEvent } from '../../src/stores/eventStore.ts'
import { abortWhenNeverComing } from '../support/eventually.ts'
import type { EventStoreContract } from './eventStore.contract.ts'
import { newAppend, newEvent } from './support/newEvents.ts'

/** A stream read on by whoever knows its beginning. */
export function readingOn({ open }: EventStoreContract): void {
  describe('readNewEvents', () => {
    const from = (revision: number, known = 0) => ({ from: revision, limit: 100, known })

    test('given a stream, when it is read on, then what follows comes, and all of it is known up to the head', async () => {
      const { store } = await open()
      await store.append(newAppend('a-1', 'no_stream', 'x', 'y', 'z'))
      await store.append(newAppend('b-1', 'no_stream', 'other'))

      const news = await store.readNewEvents('a-1', from(1))

      expect(news.events.map(({ revision }) => revision)).toEqual([1, 2])
      expect(news.position).toBeGreaterThanOrEqual(news.events.at(-1)?.position ?? 0)
      expect(news.position).toBeLessThanOrEqual(await store.head())
    })

    test('given nothing new, when asked again, then nothing comes and no less is known', async () => {
      const { store } = await open()
      await store.append(newAppend('a-1', 'no_stream', 'x'))
      const { position } = await store.readNewEvents('a-1', from(0))

      expect(await store.readNewEvents('a-1', from(1, position))).toEqual({ events: [], position })
    })

    test('given an append that was just answered, when read on by whoever knows all before it, then it is found', async () => {
      const { store } = await open()
      await store.append(newAppend('a-1', 'no_stream', 'x'))
      let known = (await store.readNewEvents('a-1', from(0))).position

      for (let revision = 0; revision < 20; revision += 1) {
        await store.append(newAppend('a-1', revision, `${revision}`))
        const news = await store.readNewEvents('a-1', from(revision + 1, known))
        expect(news.events.map(({ id }) => id)).toEqual([newEvent(`${revision}`).id])
        known = news.position
      }
    })

    test('given more than a page, when read on page by page, then nothing is left out', async () => {
      const { store } = await open()
      await store.append(newAppend('a-1', 'no_stream', ...'abcdefg'))
      const events: RecordedEvent[] = []
      let known = 0

      for (let page = 0; page < 4; page += 1) {
        const news = await store.readNewEvents('a-1', { from: events.length, limit: 2, known })
        events.push(...news.events)
        known = news.position
      }

      expect(events.map(({ id }) => id)).toEqual([...'abcdefg'].map((seed) => newEvent(seed).id))
    })

    test('given no stream, when read on, then nothing comes', async () => {
      const { store } = await open()
      await store.append(newAppend('b-1', 'no_stream', 'x'))

      expect((await store.readNewEvents('a-1', from(0))).events).toEqual([])
    })
  })
}

/** Some streams followed among many. */
export function followingStreams({ open }: EventStoreContract): void {
  describe('followStreams', () => {
    test('given events of many streams, when some are followed, then theirs come once, in order, with how far the log was passed', async () => {
      const { store } = await open()
      await store.append(newAppend('a-1', 'no_stream', 'before'))
      const after = await store.head()
      await store.append(newAppend('a-1', 0, 'x', 'y'))
      await store.append(newAppend('ab-1', 'no_stream', 'not wanted'))
      await store.append(newAppend('b-1', 'no_stream', 'z'))
      await store.append(newAppend('c-1', 'no_stream', 'nor this'))

      const { ids, position } = await passed(store, { prefixes: ['a-', 'b-'], after })

      expect(ids).toEqual(['x', 'y', 'z'].map((seed) => newEvent(seed).id))
      expect(position).toBe(await store.head())
    })

    test('given nothing of the streams, when followed, then it is said how far the log was passed all the same', async () => {
      const { store } = await open()
      await store.append(newAppend('c-1', 'no_stream', 'x', 'y'))

      const { ids, position } = await passed(store, { prefixes: ['a-'], after: 0 })

      expect(ids).toEqual([])
      expect(position).toBe(await store.head())
    })

    test('given more than a batch of them, when followed, then none is left out', async () => {
      const { store } = await open()
      const seeds = Array.from({ length: 1_200 }, (_, index) => `${index}`)
      for (let at = 0; at < seeds.length; at += 400) {
        const expected = at === 0 ? 'no_stream' : at - 1
        await store.append(newAppend('a-1', expected, ...seeds.slice(at, at + 400)))
      }

      const { ids } = await passed(store, { prefixes: ['a-'], after: 0 })

      expect(ids).toEqual(seeds.map((seed) => newEvent(seed).id))
    })

    test('given nothing to come, when its signal is aborted, then it ends by itself', async () => {
      const { store } = await open()
      const stop = new AbortController()
      const excerpts: unknown[] = []

      setTimeout(() => stop.abort(), 20)
      for await (const one of store.followStreams(['a-'], 0, stop.signal)) excerpts.push(one)

      expect(excerpts).toEqual([])
    })
  })
}

/** The events of these streams, and the position that was passed, once that is the end of the log. */
async function passed(
  store: EventStore,
  { prefixes, after }: { readonly prefixes: readonly string[]; readonly after: number },
): Promise<{ readonly ids: readonly string[]; readonly position: number }> {
  const stop = new AbortController()
  const stopLimit = abortWhenNeverComing(stop)
  const ids: string[] = []
  let position = after
  for await (const excerpt of store.followStreams(prefixes, after, stop.signal)) {
    ids.push(...excerpt.events.map(({ id }) => id))
    position = excerpt.position
    if (position >= (await store.head())) break
  }
  stopLimit()
  return { ids, position }
}
