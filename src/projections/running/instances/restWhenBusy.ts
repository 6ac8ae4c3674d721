/** Delays the next batch under load, so that one commit covers many events. */

/** Events a second, over a while, from which on it counts as busy. */
const eventsPerMs = 0.5
const burst = 64
/** A batch of so many, or of so much text, is a backlog: gathering more would only add to it. */
const backlog = { events: 250, chars: 512 * 1024 }
/** Rests that are short ones for somebody who waits: a log across a network shows what was appended some batches later. */
const awaitedRests = 4

export interface Rest {
  /** To be called after a batch at that time: settles at once, or after a rest when many events keep coming. */
  readonly after: (batch: BatchSize, nowMs: number, signal: AbortSignal) => Promise<void>
  /** Somebody waits for what is in the log: the rest that is taken, and the next few, are short ones. */
  readonly hurry: () => void
}

interface BatchSize {
  readonly events: number
  /** Of the texts of its events. */
  readonly chars: number
}

export interface RestTimes {
  readonly restMs: number
  /** When somebody waits. */
  readonly awaitedRestMs: number
}

/** Rests while many events come, until `signal` is aborted. */
export function restWhenBusy({ restMs, awaitedRestMs }: RestTimes): Rest {
  const isBusy = busyMeter()
  let awaited = 0
  let wake: (() => void) | undefined
  return {
    after: async (batch, nowMs, signal) => {
      if (isBusy(batch, nowMs)) {
        const leastMs = Math.min(restMs, awaitedRestMs)
        await sleep(leastMs, signal)
        if (awaited === 0) await sleep(restMs - leastMs, signal, (end) => (wake = end))
        wake = undefined
      }
      awaited = Math.max(0, awaited - 1)
    },
    hurry: () => {
      awaited = awaitedRests
      wake?.()
    },
  }
}

function busyMeter(): (batch: BatchSize, nowMs: number) => boolean {
  let level = 0
  let lastMs = 0
  return ({ events, chars }, nowMs) => {
    const passedMs = Math.max(0, nowMs - lastMs)
    level = Math.min(4 * burst, Math.max(0, level - passedMs * eventsPerMs) + events)
    lastMs = nowMs
    return level > burst && events < backlog.events && chars < backlog.chars
  }
}

/** `woken` is given what ends it early. */
function sleep(
  ms: number,
  signal: AbortSignal,
  woken: (end: () => void) => void = () => undefined,
): Promise<void> {
  if (ms <= 0 || signal.aborted) return Promise.resolve()
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer)
      signal.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, ms)
    signal.addEventListener('abort', end)
    woken(end)
  })
}
