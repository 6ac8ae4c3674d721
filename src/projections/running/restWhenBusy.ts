/** When to let events gather: a commit costs the same for one event and for many. */

/** Events a second, over a while, from which on it counts as busy. */
const eventsPerMs = 0.5
const burst = 64
/** A batch of so many is a backlog: gathering more would only add to it. */
const backlog = 250

export interface Rest {
  /** To be called after a batch of so many events at that time: settles at once, or after a rest when many events keep coming. */
  readonly after: (events: number, nowMs: number, signal: AbortSignal) => Promise<void>
  /** Somebody waits for what is in the log: the rest that is taken, or the next one, is a short one. */
  readonly hurry: () => void
}

export interface RestTimes {
  readonly restMs: number
  /** When somebody waits. */
  readonly awaitedRestMs: number
}

/** Rests while many events come, until `signal` is aborted. */
export function restWhenBusy({ restMs, awaitedRestMs }: RestTimes): Rest {
  const isBusy = busyMeter()
  let isAwaited = false
  let wake: (() => void) | undefined
  return {
    after: async (events, nowMs, signal) => {
      if (isBusy(events, nowMs)) {
        const leastMs = Math.min(restMs, awaitedRestMs)
        await sleep(leastMs, signal)
        if (!isAwaited) await sleep(restMs - leastMs, signal, (end) => (wake = end))
        wake = undefined
      }
      // what is read now has all that was waited for
      isAwaited = false
    },
    hurry: () => {
      isAwaited = true
      wake?.()
    },
  }
}

function busyMeter(): (events: number, nowMs: number) => boolean {
  let level = 0
  let lastMs = 0
  return (events, nowMs) => {
    const passedMs = Math.max(0, nowMs - lastMs)
    level = Math.min(4 * burst, Math.max(0, level - passedMs * eventsPerMs) + events)
    lastMs = nowMs
    return level > burst && events < backlog
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
