/** Runs work in a slot of a bounded queue, or refuses it when none is free in time. */

import type { SlotPool, SlotRefusal } from '../../domain/load/slotPool.ts'

interface SlotWork<Value> {
  readonly key: string
  readonly waitMaxMs: number
  readonly work: () => Promise<Value>
  /** The error for work that finds its queue full, or no slot in time. */
  readonly refusal: (why: SlotRefusal | 'late') => Error
}

/** Runs work in one slot as soon as it is free. */
export function runInSlot<Value>(
  slots: Pick<SlotPool, 'acquireSlots'>,
  { key, waitMaxMs, work, refusal }: SlotWork<Value>,
): Promise<Value> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      if (typeof entered === 'function') entered()
      reject(refusal('late'))
    }, waitMaxMs)
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
