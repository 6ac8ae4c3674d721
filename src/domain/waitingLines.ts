/** What waits, in a line for each key. */

export interface WaitingLines {
  /** Stands behind what waits for the key; answers how to leave. */
  readonly add: (key: string, work: () => void) => () => void
  readonly has: (key: string) => boolean
  /** The keys for which something waits. */
  readonly keys: () => Iterable<string>
  readonly isEmpty: () => boolean
  /** Takes the first of the key from its line. */
  readonly take: (key: string) => (() => void) | undefined
}

/** Opens the lines. A key for which nothing waits takes no memory. */
export function openWaitingLines(): WaitingLines {
  /** Each of a work by itself: the same may wait twice. */
  const lines = new Map<string, Set<readonly [() => void]>>()
  const leave = (key: string, one: readonly [() => void]): void => {
    const line = lines.get(key)
    if (line?.delete(one) && line.size === 0) lines.delete(key)
  }
  return {
    add: (key, work) => {
      const one = [work] as const
      const line = lines.get(key)
      if (line) line.add(one)
      else lines.set(key, new Set([one]))
      return () => leave(key, one)
    },
    has: (key) => lines.has(key),
    keys: () => lines.keys(),
    isEmpty: () => lines.size === 0,
    take: (key) => {
      const [first] = lines.get(key) ?? []
      if (first) leave(key, first)
      return first?.[0]
    },
  }
}
