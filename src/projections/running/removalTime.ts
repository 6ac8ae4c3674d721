/** By what time documents that have ended are taken away for good: not by the clock of one process, which may be hours ahead. */

import { type EventBatch, eventBatch } from './eventBatch.ts'
import type { Member } from './member.ts'
import type { RuntimeOptions } from './runtime.ts'

export interface RemovalTime {
  /** These have handled a batch. */
  readonly handled: (batch: EventBatch, members: readonly Member[]) => void
  /**
   * Milliseconds since the Unix epoch: not after the clock of this process, nor ahead of what was written lately. Undefined where
   * nothing was ever written. Throws what the log throws.
   */
  readonly now: (members: readonly Member[]) => Promise<number | undefined>
}

/** Of the newest events so many say what time it is, and of those the one that is least: as many instances write, one clock does not count. */
const writtenMax = 16
/** The clock may be so far ahead of the newest events: where little is written, what ends is taken away when the next events come. */
const aheadMs = 5 * 60 * 1_000
/** A clock that goes faster than this was put forward; by so much it comes to be believed. */
const fastest = 1.1

type Means = Pick<RuntimeOptions, 'nowMs' | 'elapsedMs' | 'eventStore' | 'decode'>

/** The time of a runner that begins. */
export function openRemovalTime(means: Means): RemovalTime {
  const own = steadied(means)
  let written: readonly number[] = []
  return {
    handled: (batch, members) => {
      const times = timesOf(batch, lastHandled(batch, members))
      written = [...written, ...times].slice(-writtenMax)
    },
    now: async (members) => {
      const ownMs = own()
      const times = written.length > 0 ? written : await timeOfLast(members, means)
      return times.length > 0 ? Math.min(ownMs, Math.min(...times) + aheadMs) : undefined
    },
  }
}

/** A clock as far as it does not go faster than time passes. */
function steadied({ nowMs, elapsedMs }: Pick<Means, 'nowMs' | 'elapsedMs'>): () => number {
  let believed = { atMs: nowMs(), elapsedMs: elapsedMs() }
  return () => {
    const passedMs = Math.max(0, elapsedMs() - believed.elapsedMs)
    const atMs = Math.min(nowMs(), believed.atMs + passedMs * fastest)
    believed = { atMs, elapsedMs: elapsedMs() }
    return atMs
  }
}

/** When the last event was written that any of these has handled, by their checkpoints: one time, or none where it cannot be told. */
async function timeOfLast(
  members: readonly Member[],
  { eventStore, decode }: Means,
): Promise<readonly number[]> {
  const [foremost] = members.toSorted((one, other) => other.position - one.position)
  if (!foremost?.witness) return []
  const { stream, revision } = foremost.witness
  const events = await eventStore.readStream(stream, { from: revision, limit: 1 })
  return timesOf(eventBatch(events, decode), [0])
}

/** When the events of these indexes were written, but for those that cannot be decoded. */
function timesOf({ decoded }: EventBatch, indexes: readonly number[]): readonly number[] {
  return indexes.flatMap((index) => {
    const event = decoded(index)
    return event.ok ? [event.value.metadata.time] : []
  })
}

/** The last of the batch that any of the members handles. */
function lastHandled({ events }: EventBatch, members: readonly Member[]): readonly number[] {
  const found: number[] = []
  for (let index = events.length - 1; index >= 0 && found.length < writtenMax; index -= 1) {
    const { type } = events[index] ?? {}
    if (members.some(({ handles }) => type !== undefined && handles.has(type))) found.push(index)
  }
  return found.reverse()
}
