/** Keys in the order of their ranks, of which the first is told at once and any may be ranked anew. */

export interface KeyedHeap<Key, Rank> {
  /** The key that stands before all others; undefined when there is none. */
  readonly first: () => Key | undefined
  /** Gives a key its rank, whether it had one before or not. */
  readonly set: (key: Key, rank: Rank) => void
  readonly delete: (key: Key) => void
}

interface Entry<Key, Rank> {
  readonly key: Key
  rank: Rank
  /** Where it stands in the heap. */
  at: number
}

/** An empty binary heap. A change costs about twice as many comparisons as the number of keys has binary digits, whatever was there before. */
export function keyedHeap<Key, Rank>(
  isBefore: (one: Rank, other: Rank) => boolean,
): KeyedHeap<Key, Rank> {
  const heap: Entry<Key, Rank>[] = []
  const entries = new Map<Key, Entry<Key, Rank>>()

  const put = (entry: Entry<Key, Rank>, at: number): void => {
    heap[at] = entry
    entry.at = at
  }
  const rise = (entry: Entry<Key, Rank>): void => {
    while (entry.at > 0) {
      const parent = heap[(entry.at - 1) >> 1]
      if (!parent || !isBefore(entry.rank, parent.rank)) return
      const { at } = parent
      put(parent, entry.at)
      put(entry, at)
    }
  }
  const sink = (entry: Entry<Key, Rank>): void => {
    for (;;) {
      const [left, right] = [heap[2 * entry.at + 1], heap[2 * entry.at + 2]]
      const child = left && right && isBefore(right.rank, left.rank) ? right : left
      if (!child || !isBefore(child.rank, entry.rank)) return
      const { at } = child
      put(child, entry.at)
      put(entry, at)
    }
  }
  const settle = (entry: Entry<Key, Rank>): void => {
    rise(entry)
    sink(entry)
  }

  return {
    first: () => heap[0]?.key,
    set: (key, rank) => {
      const entry = entries.get(key) ?? { key, rank, at: heap.length }
      entry.rank = rank
      entries.set(key, entry)
      put(entry, entry.at)
      settle(entry)
    },
    delete: (key) => {
      const entry = entries.get(key)
      const last = entry && heap.pop()
      if (!last) return
      entries.delete(key)
      if (last === entry) return
      put(last, entry.at)
      settle(last)
    },
  }
}
