/** Runs work in the background, and waits for it when the service closes. */

export type Background = ReturnType<typeof openBackground>

/** Runs what no answer waits for. `onFailure` is told what it rejects with, and must not throw. */
export function openBackground(onFailure: (error: unknown) => void) {
  const underWay = new Set<Promise<void>>()
  return {
    /** Starts it at once. */
    run: (work: () => Promise<void>): void => {
      const done = work()
        .catch(onFailure)
        .finally(() => underWay.delete(done))
      underWay.add(done)
    },
    /** Resolves when nothing is under way. */
    settled: async (): Promise<void> => {
      while (underWay.size > 0) await Promise.all(underWay)
    },
  }
}
