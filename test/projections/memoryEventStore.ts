import { Failure } from '../../src/domain/failure.ts'
import type { EventStore, RecordedEvent } from '../../src/stores/eventStore.ts'

export interface MemoryLog extends Pick<EventStore, 'readAll' | 'readStream' | 'follow' | 'head'> {
  /** Adds events; positions are `step` apart, so that nobody relies on a dense log. */
  readonly add: (stream: string, type: string, data?: unknown, metadata?: unknown) => RecordedEvent
  readonly events: RecordedEvent[]
  /** Batches that `follow` hands out are of these sizes, in turn. */
  batchSizes: readonly number[]
  /** How subscriptions end by themselves after their first batch, one after the other. */
  drops: ('error' | 'end')[]
  /** How many events up to `after` a subscription repeats. */
  repeats: number
}

/** A log in memory with the faults of a distant one. */
export function memoryLog(step = 3): MemoryLog {
  const events: RecordedEvent[] = []
  const wakeUps = new Set<() => void>()
  const head = () => events.at(-1)?.position ?? 0

  const log: MemoryLog = {
    events,
    batchSizes: [2, 1, 3],
    drops: [],
    repeats: 0,
    add: (...[stream, type, data = {}, metadata = {}]) => {
      const position = head() + step
      const event: RecordedEvent = {
        id: `00000000-0000-5000-8000-${String(position).padStart(12, '0')}`,
        stream,
        revision: events.filter((other) => other.stream === stream).length,
        position,
        type,
        data: JSON.stringify(data),
        metadata: JSON.stringify({ account: 'acc', time: 0, ...Object(metadata) }),
      }
      events.push(event)
      for (const wake of wakeUps) wake()
      return event
    },
    head: async () => head(),
    readAll: async ({ after, limit }) =>
      events.filter(({ position }) => position > after).slice(0, limit),
    readStream: async (stream, { from, limit }) =>
      events.filter((one) => one.stream === stream && one.revision >= from).slice(0, limit),
    follow: async function* (after, signal) {
      let at = Math.max(0, events.filter(({ position }) => position <= after).length - log.repeats)
      for (let batch = 0; !signal.aborted; batch += 1) {
        if (batch > 0 && isDropped(log.drops.shift())) return
        const page = events.slice(at, at + (log.batchSizes[batch % log.batchSizes.length] ?? 1))
        at += page.length
        if (page.length > 0) yield page
        else await change(signal)
      }
    },
  }

  const change = (signal: AbortSignal) =>
    new Promise<void>((resolve) => {
      const wake = (): void => {
        wakeUps.delete(wake)
        signal.removeEventListener('abort', wake)
        resolve()
      }
      wakeUps.add(wake)
      signal.addEventListener('abort', wake)
    })
  return log
}

/** Whether a subscription ends here without a word. */
function isDropped(drop: 'error' | 'end' | undefined): boolean {
  if (drop === 'error') throw new Failure('unavailable', 'the line is cut')
  return drop === 'end'
}
