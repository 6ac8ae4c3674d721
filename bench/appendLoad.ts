/** Durable appends by several callers at once, as fast as they are answered. */

import { randomBytes } from 'node:crypto'
import type { NewEvent } from '../src/stores/eventStore.ts'
import { newId, openEmbeddedEventStore } from './built.ts'

const clock = { nowMs: () => Date.now() }
const random = { bytes: (count: number) => randomBytes(count) }

export interface Appender {
  /** Settles when the event is durable. */
  readonly append: (stream: string, event: NewEvent) => Promise<void>
  readonly close: () => Promise<void>
}

export interface AppendLoad {
  readonly events: readonly NewEvent[]
  readonly callers: number
  readonly roundMs: number
}

/** Appends each event to a new stream, named as that of an evaluation, and tells how many a second were durable. */
export async function appendsPerSecond(
  appender: Pick<Appender, 'append'>,
  { events, callers, roundMs }: AppendLoad,
): Promise<number> {
  let done = 0
  const begunMs = performance.now()
  const caller = async (): Promise<void> => {
    while (performance.now() - begunMs < roundMs) {
      await appender.append(streamOfNew(), events[done % events.length] as NewEvent)
      done += 1
    }
  }
  await Promise.all(Array.from({ length: callers }, caller))
  return (done * 1000) / (performance.now() - begunMs)
}

function streamOfNew(): string {
  return `evaluation-${newId('evl', clock, random)}`
}

/** The last thousand events of a log: evaluations as the service wrote them. */
export async function sampleEvents(folder: string): Promise<readonly NewEvent[]> {
  const store = await openEmbeddedEventStore({ folder })
  const head = await store.head()
  const events = await store.readAll({ after: Math.max(0, head - 1_000), limit: 1_000 })
  await store.close()
  return events.map(({ id, type, data, metadata }) => ({ id, type, data, metadata }))
}
