/** Limits concurrent work by a pool of slots: in total and per key, with bounded queues. */

/** Whose queue is full, or whose slots are taken where none may wait. */
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
  /** Slots of all keys together, without a limit unless given, and of one key. */
  readonly total?: number
  readonly share: number
  /** Waiting requests of all keys together, without a limit unless given, and of one key. */
  readonly waitingMax?: number
  readonly waitingShare: number
}

/** Opens the slots. Keys are served round-robin, the work of one key in order of arrival. */
export function openSlotPool(options: SlotPoolOptions): SlotPool {
  const { total = Infinity, share, waitingMax = Infinity, waitingShare } = options
  const taken = new Map<string, number>()
  let takenByAll = 0
  /** Waiting requests by key; the key that is served next comes first. */
  const queues = new Map<string, Set<Required<SlotRequest>>>()
  let waiting = 0

  const take = (key: string, count: number): void => {
    const ofKey = (taken.get(key) ?? 0) + count
    if (ofKey === 0) taken.delete(key)
    else taken.set(key, ofKey)
    takenByAll += count
  }
  const isShareFree = ({ key, count }: Required<SlotRequest>): boolean =>
    (taken.get(key) ?? 0) + count <= share
  const isFree = (one: Required<SlotRequest>): boolean =>
    isShareFree(one) && takenByAll + one.count <= total
  const remove = (one: Required<SlotRequest>): boolean => {
    const queue = queues.get(one.key)
    if (!queue?.delete(one)) return false
    waiting -= 1
    // served after the other keys
    queues.delete(one.key)
    if (queue.size > 0) queues.set(one.key, queue)
    return true
  }
  const findNext = (key: string): Required<SlotRequest> | undefined => {
    // without a total, no other key waits for the slots of this one
    const some = total === Infinity ? [queues.get(key) ?? []] : queues.values()
    for (const [first] of some) if (first && isFree(first)) return first
    return undefined
  }
  const begin = (one: Required<SlotRequest>): void => {
    take(one.key, one.count)
    let hasLeft = false
    one.begin(() => {
      if (hasLeft) return
      hasLeft = true
      take(one.key, -one.count)
      for (let next = findNext(one.key); next; next = findNext(one.key)) {
        remove(next)
        begin(next)
      }
    })
  }

  return {
    waiting: () => waiting,
    acquireSlots: ({ key, count = 1, begin: onFree }) => {
      const one = { key, count: Math.min(count, share), begin: onFree }
      const queue = queues.get(key) ?? new Set()
      if (queue.size === 0 && isFree(one)) {
        begin(one)
        return () => false
      }
      // where none may wait, what is full are the slots
      if (waitingShare === 0 ? !isShareFree(one) : queue.size >= waitingShare) return 'account'
      if (waiting >= waitingMax) return 'all'
      queues.set(key, queue.add(one))
      waiting += 1
      return () => remove(one)
    },
  }
}

interface SlotWork<Value> {
  readonly key: string
  /** Without a limit unless given. */
  readonly waitMaxMs?: number
  readonly work: () => Promise<Value>
  /** The error for work that finds its queue full, or no slot in time. */
  readonly refusal: (why: SlotRefusal | 'late') => Error
}

/** Runs work in one slot as soon as it is free; refuses it when its queue is full, or no slot is free in time. */
export function runInSlot<Value>(
  slots: Pick<SlotPool, 'acquireSlots'>,
  { key, waitMaxMs, work, refusal }: SlotWork<Value>,
): Promise<Value> {
  return new Promise((resolve, reject) => {
    const giveUp = (): void => {
      if (typeof entered === 'function') entered()
      reject(refusal('late'))
    }
    const timer = waitMaxMs === undefined ? undefined : setTimeout(giveUp, waitMaxMs)
    const begin = (leave: () => void): void => {
      clearTimeout(timer)
      // what cannot even begin gives its slot back, too
      Promise.resolve().then(work).finally(leave).then(resolve, reject)
    }
    const entered = slots.acquireSlots({ key, begin })
    if (typeof entered === 'function') return
    clearTimeout(timer)
    reject(refusal(entered))
  })
}
