/** What waits, in a line for each key. */

export interface WaitingLines {
  /** Stands behind what waits for the key; what goes on with something begun stands before all that begins. Answers how to leave. */
  readonly add: (key: string, work: () => void, how: Waiting) => () => void
  readonly has: (key: string) => boolean
  /** The keys for which something waits. */
  readonly keys: () => Iterable<string>
  readonly isEmpty: () => boolean
  /** Takes the first of the key from its line. */
  readonly take: (key: string) => (() => void) | undefined
}

/** Whether what waits begins something, or goes on with it. */
export type Waiting = 'begins' | 'goes on'

/** Each of a work by itself: the same may wait twice. */
type One = readonly [() => void]

type Line = Readonly<Record<Waiting, Set<One>>>

/** Opens the lines. A key for which nothing waits takes no memory. */
export function openWaitingLines(): WaitingLines {
  const lines = new Map<string, Line>()
  const lineOf = (key: string): Line => {
    const line = lines.get(key) ?? { begins: new Set(), 'goes on': new Set() }
    lines.set(key, line)
    return line
  }
  const leave = (key: string, one: One): void => {
    const line = lines.get(key)
    if (!line) return
    if (!line['goes on'].delete(one)) line.begins.delete(one)
    if (line['goes on'].size + line.begins.size === 0) lines.delete(key)
  }
  return {
    add: (key, work, how) => {
      const one = [work] as const
      lineOf(key)[how].add(one)
      return () => leave(key, one)
    },
    has: (key) => lines.has(key),
    keys: () => lines.keys(),
    isEmpty: () => lines.size === 0,
    take: (key) => {
      const line = lines.get(key)
      const [first] = line?.['goes on'].size ? line['goes on'] : (line?.begins ?? [])
      if (first) leave(key, first)
      return first?.[0]
    },
  }
}
