/** Bounds concurrent work: a total of slots, a share for each key, and bounded queues behind them. */

/** Whose bound does not let work even wait. */
export type Crowded = 'account' | 'all'

interface Wanted {
  /** Whose share the places are of. */
  readonly key: string
  /** How many; one unless given, and no more than the share. */
  readonly count?: number
  /** Called when they are there, maybe at once; `leave` gives them back. */
  readonly begin: (leave: () => void) => void
}

export interface Places {
  /** How to stop waiting, which tells whether it had not begun; or why it may not even wait. */
  readonly enter: (wanted: Wanted) => (() => boolean) | Crowded
  readonly waiting: () => number
}

export interface PlacesOptions {
  /** Places of all keys together, and of them those of one. */
  readonly total: number
  readonly share: number
  /** Works that may wait, of all keys together and of one. */
  readonly waitingMax: number
  readonly waitingShare: number
}

/** Opens the slots. Keys are served round-robin, the work of one key in order of arrival. */
export function openConcurrency({ total, share, waitingMax, waitingShare }: PlacesOptions): Places {
  const tryToBegin = openTaking({ total, share, onLeave: () => advance() })
  /** Who waits, by key; the one whose turn is next first. */
  const queues = new Map<string, Set<Wanted>>()
  let waiting = 0

  const remove = (one: Wanted): boolean => {
    const queue = queues.get(one.key)
    if (!queue?.delete(one)) return false
    waiting -= 1
    // behind the others
    queues.delete(one.key)
    if (queue.size > 0) queues.set(one.key, queue)
    return true
  }
  const advance = (): void => {
    for (let hasBegun = true; hasBegun; ) {
      hasBegun = false
      for (const [first] of [...queues.values()]) {
        if (first && tryToBegin(first, () => remove(first))) hasBegun = true
      }
    }
  }

  return {
    waiting: () => waiting,
    enter: ({ key, begin, ...wanted }) => {
      const one = { key, begin, count: Math.min(wanted.count ?? 1, share) }
      const queue = queues.get(key) ?? new Set()
      if (queue.size === 0 && tryToBegin(one)) return () => false
      if (queue.size >= waitingShare) return 'account'
      if (waiting >= waitingMax) return 'all'
      queues.set(key, queue.add(one))
      waiting += 1
      return () => remove(one)
    },
  }
}

interface TakingOptions {
  readonly total: number
  readonly share: number
  readonly onLeave: () => void
}

/** Answers how to begin what there are places for, which are counted by key and of all; `taking` is called when there are, before the work begins. */
function openTaking({ total, share, onLeave }: TakingOptions) {
  const taken = new Map<string, number>()
  let takenByAll = 0

  const add = (key: string, count: number): void => {
    const ofKey = (taken.get(key) ?? 0) + count
    if (ofKey === 0) taken.delete(key)
    else taken.set(key, ofKey)
    takenByAll += count
  }
  return ({ key, count = 1, begin }: Wanted, taking?: () => void): boolean => {
    if ((taken.get(key) ?? 0) + count > share || takenByAll + count > total) return false
    taking?.()
    add(key, count)
    let hasLeft = false
    begin(() => {
      if (hasLeft) return
      hasLeft = true
      add(key, -count)
      onLeave()
    })
    return true
  }
}
