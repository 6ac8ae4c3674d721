/** Runs the commands on one stream one after another, with a bounded queue per stream. */

import { unavailable } from '../../domain/failure.ts'
import { openSlotPool, runInSlot } from '../../domain/load/slotPool.ts'

/** How many commands may wait for one stream. */
const waitingShare = 999

/** Cheaper than deciding again after a conflict; and two equal commands cannot cross. */
export interface StreamQueue {
  /** Runs `work` when every earlier one of the same key has ended. Throws `unavailable` when too many wait. */
  readonly run: <Value>(key: string, work: () => Promise<Value>) => Promise<Value>
}

/** Opens the queues of this process. */
export function openStreamQueue(): StreamQueue {
  const slots = openSlotPool({ share: 1, waitingShare })
  const refusal = () => unavailable('Too many changes of the same thing are waiting.')
  return { run: (key, work) => runInSlot(slots, { key, work, refusal }) }
}
