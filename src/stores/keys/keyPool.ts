/** Generates and stores sealing keys in advance, so that no request waits for one. */

import { setImmediate as nextTurn } from 'node:timers/promises'
import { unavailable } from '../../domain/failure.ts'
import type { KeyStore, SealingKey } from '../keyStore.ts'
import { type Pauses, retry } from '../retry.ts'

export interface KeyPoolOptions {
  readonly store: Pick<KeyStore, 'make' | 'discard'>
  /** Keys in stock; a killed process leaves as many unused in the store. */
  readonly poolSize?: number
  /** Keys made before the pool opens; the rest is made in the background. */
  readonly firstFill?: number
  /** Before a failed refill is tried again. */
  readonly pauses?: Pauses
  /**
   * Called for each failed refill with how many failed in a row; also when unused keys cannot be discarded at the end.
   */
  readonly onFailure?: (error: unknown, failures: number) => void
}

export type KeyPool = Awaited<ReturnType<typeof openKeyPool>>

/** Keys written at a time: the cost is mostly the commit, and other calls of the store wait behind it. */
const batchSize = 512
/** The share of the stock at which a refill begins, and the share that is the reserve. */
const refillFrom = 3 / 4
const reserve = 1 / 4
const usualPauses = { backoffMs: 50, backoffMaxMs: 5_000 }

/** Opens the pool; settles when the first keys are on disk. Throws what the store throws. */
export async function openKeyPool(options: KeyPoolOptions) {
  const { store, poolSize = 2_048, firstFill = 256, pauses = usualPauses } = options
  const ready: SealingKey[] = []
  const closing = new AbortController()
  let refilling: Promise<void> | undefined
  let storesKeys = true

  // keys taken meanwhile are left to the next refill: else this one would commit every few keys, and never end
  const fillTo = async (count: number): Promise<void> => {
    for (let missing = count - ready.length; missing > 0 && !closing.signal.aborted; ) {
      const keys = await store.make(Math.min(missing, batchSize))
      storesKeys = true
      missing -= keys.length
      ready.push(...keys)
      // a store may work on this thread: requests come first between two batches
      await nextTurn()
    }
  }

  const isLow = (): boolean => ready.length <= poolSize * refillFrom
  const refill = (): void => {
    if (refilling || closing.signal.aborted) return
    const work = () => fillTo(poolSize)
    const onFailure = (error: unknown, failures: number): void => {
      storesKeys = false
      options.onFailure?.(error, failures)
    }
    refilling = retry(work, onFailure, { ...pauses, signal: closing.signal }).finally(() => {
      refilling = undefined
      if (isLow()) refill()
    })
  }

  await fillTo(Math.min(firstFill, poolSize))
  refill()

  return {
    /** An unused key that is on disk. Throws `Failure` `unavailable` when none is left. */
    take: (): SealingKey => {
      const key = ready.pop()
      if (isLow()) refill()
      if (key) return key
      throw unavailable('No sealing key is ready; try again.')
    },
    /** Number of unused keys that are on disk. */
    keysReady: () => ready.length,
    /** Whether there are more than a reserve for requests that cannot wait. */
    hasSpare: () => ready.length > poolSize * reserve,
    /** Whether the store accepts keys: false from a failed refill until one succeeds. */
    storesKeys: () => storesKeys,
    /** Ends the current refill and discards unused keys, which would pile up in the store with every start. */
    close: async (): Promise<void> => {
      closing.abort()
      await refilling
      const unused = ready.splice(0).map((key) => key.id)
      await store.discard(unused).catch((error: unknown) => options.onFailure?.(error, 1))
    },
  }
}
