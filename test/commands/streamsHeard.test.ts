import fc from 'fast-check'
import { expect, test } from 'vitest'
import { openStreams } from '../../src/commands/handling/streams.ts'
import type { StreamType } from '../../src/commands/handling/streamType.ts'
import type { DecodedEvent, DomainEvent } from '../../src/events/recording/event.ts'
import type { RecordedEvent } from '../../src/stores/eventStore.ts'
import { draws } from '../support/draws.ts'
import { memoryEventStore } from '../support/memoryEventStore.ts'

type Said = DomainEvent<'Said', { readonly word: string }>

const words: StreamType<readonly string[], Said> = {
  initial: () => [],
  evolve: (said, { data }) => [...said, data.word],
  weigh: () => 0,
}

function decode(recorded: RecordedEvent): DecodedEvent<Said> {
  const { stream, revision, position } = recorded
  const data = JSON.parse(recorded.data)
  const metadata = JSON.parse(recorded.metadata)
  return { event: { type: 'Said', data }, metadata, stream, revision, position }
}

const step = fc.record({
  stream: fc.constantFrom('a', 'b', 'c'),
  kind: fc.constantFrom('append', 'use', 'decide', 'distrust'),
})

test('however readings, appends and what is heard of them cross, nothing that was heard is missing', () =>
  fc.assert(
    fc.asyncProperty(fc.scheduler(), fc.array(step, { maxLength: 25 }), async (order, steps) => {
      const store = memoryEventStore()
      let later = async (): Promise<unknown> => order.schedule(Promise.resolve())
      const streams = openStreams({
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
        const events = [{ id, type: 'Said', data: JSON.stringify({ word: id }), metadata }]
        await store.append({ stream, events, expected: known === 0 ? 'no_stream' : known - 1 })
        const event = store.log.at(-1)
        heard = heard.then(later).then(() => event && streams.hear(event))
      }

      const done = steps.map(async ({ stream, kind }) => {
        await later()
        if (kind === 'append') await append(stream)
        if (kind === 'distrust') streams.distrust(stream)
        if (kind === 'use') await streams.folded(stream)
        if (kind !== 'decide') return
        const acknowledged = wordsOf(stream)
        const { state } = await streams.catchUp(stream)
        expect(state.slice(0, acknowledged.length)).toEqual(acknowledged)
      })
      await order.waitFor(Promise.all(done))
      await order.waitFor(heard)
      later = async () => undefined

      for (const stream of ['a', 'b', 'c']) {
        expect((await streams.folded(stream)).state).toEqual(wordsOf(stream))
      }
    }),
    { numRuns: draws(3_000) },
  ))
