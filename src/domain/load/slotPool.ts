/** Limits concurrent work by a pool of slots: in total and per key, with bounded queues. */

/** Whose queue is full. */
export type SlotRefusal = 'account' | 'all'

interface SlotRequest {
  /** The key whose share is used. */
  readonly key: string
  /** Slots; 1 by default, at most the share. */
  readonly count?: number
  /** Called when the slots are free, maybe at once; `leave` returns them. */
  readonly begin: (leave: () => void) => void
}

export interface SlotPool {
  /** Takes slots or waits for them. Returns a function that cancels waiting, or whose queue is full. */
  readonly acquireSlots: (wanted: SlotRequest) => (() => boolean) | SlotRefusal
  readonly waiting: () => number
}

export interface SlotPoolOptions {
  /** Slots of all keys together, and of one key. */
  readonly total: number
  readonly share: number
  /** Waiting requests of all keys together, and of one key. */
  readonly waitingMax: number
  readonly waitingShare: number
}

/** Opens the slots. Keys are served round-robin, the work of one key in order of arrival. */
export function openSlotPool({
  total,
  share,
  waitingMax,
  waitingShare,
}: SlotPoolOptions): SlotPool {
  const tryToBegin = openCounter({ total, share, onLeave: () => advance() })
  /** Waiting requests by key; the key that is served next comes first. */
  const queues = new Map<string, Set<SlotRequest>>()
  let waiting = 0

  const remove = (one: SlotRequest): boolean => {
    const queue = queues.get(one.key)
    if (!queue?.delete(one)) return false
    waiting -= 1
    // served after the other keys
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
    acquireSlots: ({ key, begin, ...wanted }) => {
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

interface CounterOptions {
  readonly total: number
  readonly share: number
  readonly onLeave: () => void
}

/** Counts slots by key and in total. The returned function begins work if slots are free, after calling `taking`. */
function openCounter({ total, share, onLeave }: CounterOptions) {
  const taken = new Map<string, number>()
  let takenByAll = 0

  const add = (key: string, count: number): void => {
    const ofKey = (taken.get(key) ?? 0) + count
    if (ofKey === 0) taken.delete(key)
    else taken.set(key, ofKey)
    takenByAll += count
  }
  return ({ key, count = 1, begin }: SlotRequest, taking?: () => void): boolean => {
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
