/** When to let events gather: a commit costs the same for one event and for many. */

/** Events a second, over a while, from which on it counts as busy. */
const eventsPerMs = 0.5
const burst = 64
/** A batch of so many is a backlog: gathering more would only add to it. */
const backlog = 250

/** Answers how long to rest after a batch of so many events at that time: nothing, or `restMs` when many events keep coming. */
export function restWhenBusy(restMs: number): (events: number, nowMs: number) => number {
  let level = 0
  let lastMs = 0
  return (events, nowMs) => {
    const passedMs = Math.max(0, nowMs - lastMs)
    level = Math.min(4 * burst, Math.max(0, level - passedMs * eventsPerMs) + events)
    lastMs = nowMs
    return level > burst && events < backlog ? restMs : 0
  }
}
