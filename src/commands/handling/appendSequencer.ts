/** Appends events of concurrent jobs one by one, in the order of the jobs. */

import type { EventStore } from '../../stores/eventStore.ts'

type Appender = Pick<EventStore, 'append'>

export interface AppendSequencer {
  /**
   * Does one more thing, which appends to this log once at most, or none: its append waits until everything before it has been handed
   * over, or has ended without one.
   */
  readonly next: <Value>(work: (log: Appender) => Promise<Value>) => Promise<Value>
}

/** Opens an order. Whatever is done in it must not wait for what comes later in it. */
export function openAppendSequencer({ append }: Appender): AppendSequencer {
  let handedOver: Promise<unknown> = Promise.resolve()

  return {
    next: async (work) => {
      const before = handedOver
      let pass = (): void => undefined
      handedOver = new Promise<void>((resolve) => {
        pass = resolve
      })
      const inTurn: Appender['append'] = async (one) => {
        await before
        const appended = append(one)
        pass()
        return appended
      }
      try {
        return await work({ append: inTurn })
      } finally {
        await before
        pass()
      }
    },
  }
}
