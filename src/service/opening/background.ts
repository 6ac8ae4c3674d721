/** Work that nobody waits for. */

export interface Background {
  /** Starts it at once. What it rejects with is told to whoever opened this, and to nobody else. */
  readonly run: (work: () => Promise<void>) => void
  /** Resolves when nothing is under way. */
  readonly settled: () => Promise<void>
}

/** `onFailure` must not throw. */
export function openBackground(onFailure: (error: unknown) => void): Background {
  const underWay = new Set<Promise<void>>()
  return {
    run: (work) => {
      const done = work()
        .catch(onFailure)
        .finally(() => underWay.delete(done))
      underWay.add(done)
    },
    settled: async () => {
      while (underWay.size > 0) await Promise.all(underWay)
    },
  }
}
