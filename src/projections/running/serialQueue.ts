/** Runs work one after the other, in the order given. */

export type Turn = <Value>(work: () => Promise<Value>) => Promise<Value>

/** Opens an empty queue. */
export function openSerialQueue(): Turn {
  let last: Promise<unknown> = Promise.resolve()
  return (work) => {
    const done = last.then(work, work)
    // Who asked for the work hears of its failure; the queue only waits for its end.
    last = done.catch(() => undefined)
    return done
  }
}
