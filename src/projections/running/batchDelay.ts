/** Delays the next batch under load, unless there is a backlog or a caller waits. */

import { sleep } from '../../stores/backgroundLoop.ts'

/** Events a millisecond, over a while, from which on the log counts as busy. */
const eventsPerMs = 0.02
const burst = 64
/** A batch of this many events, or this much text, is a backlog: waiting for more would only add to it. */
const backlog = { events: 1_000, chars: 2 * 1024 * 1024 }

export type BatchDelay = ReturnType<typeof createBatchDelay>

interface BatchSize {
  readonly events: number
  /** Of the texts of its events. */
  readonly chars: number
}

export interface BatchDelayTimes {
  readonly delayMs: number
  /** When a caller waits. */
  readonly awaitedDelayMs: number
}

/** Rests while many events come, until `signal` is aborted. */
export function createBatchDelay({ delayMs, awaitedDelayMs }: BatchDelayTimes) {
  const isBusy = createBusyMeter()
  let isAwaited = false
  let resting: AbortController | undefined
  return {
    /** To be called after each batch: settles at once, or after a rest when many events keep coming. */
    after: async (batch: BatchSize, nowMs: number, signal: AbortSignal): Promise<void> => {
      if (isBusy(batch, nowMs)) {
        const leastMs = Math.min(delayMs, awaitedDelayMs)
        await sleep(leastMs, signal)
        if (!isAwaited) {
          resting = new AbortController()
          await sleep(delayMs - leastMs, AbortSignal.any([signal, resting.signal]))
        }
      }
      isAwaited = false
    },
    /** A caller waits for events of the log: shortens the current rest, or the next one. */
    shorten: (): void => {
      isAwaited = true
      resting?.abort()
    },
  }
}

function createBusyMeter(): (batch: BatchSize, nowMs: number) => boolean {
  let level = 0
  let lastMs = 0
  return ({ events, chars }, nowMs) => {
    const passedMs = Math.max(0, nowMs - lastMs)
    level = Math.min(4 * burst, Math.max(0, level - passedMs * eventsPerMs) + events)
    lastMs = nowMs
    return level > burst && events < backlog.events && chars < backlog.chars
  }
}
