/** Makes sealing keys ahead and on disk, so that no request waits for one. */

import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import { Failure } from '../../domain/failure.ts'
import type { KeyStore, SealingKey } from '../keyStore.ts'

export interface KeyPoolOptions {
  readonly store: Pick<KeyStore, 'make' | 'discard'>
  /** Keys held ready; a process that is killed leaves as many that nobody had. */
  readonly poolSize?: number
  /** Keys made before the pool opens; the rest follows in the background. */
  readonly firstFill?: number
  /** Pause before a failed refill is tried again; doubled each time. */
  readonly retryPauseMs?: number
  /** Told of a failed refill, and how many have failed in a row; also when the keys left over at the end cannot be discarded. */
  readonly onFailure?: (error: unknown, failures: number) => void
}

export interface KeyPool {
  /** A key that nobody has had. Throws `Failure` `unavailable` when none is left. */
  readonly take: () => SealingKey
  /** How many keys can be taken. */
  readonly ready: () => number
  /** Whether there are more than a reserve, which is for those who cannot wait. */
  readonly hasSpare: () => boolean
  /** Whether the store takes keys: false from a failed refill until one has succeeded. */
  readonly fills: () => boolean
  /** Ends the refill under way and discards the keys that nobody had; those would only fill the store, start by start. */
  readonly close: () => Promise<void>
}

/** What is written at a time: for one key alone it is mostly the commit, and who asks the store for something else waits behind it. */
const batchSize = 128
/** A refill begins when so much of the stock is left, */
const refillFrom = 3 / 4
/** and so much of it is a reserve. */
const reserve = 1 / 4
/** Longest pause before a failed refill is tried again, unless the first is longer. */
const retryPauseMaxMs = 5_000

/** Opens the pool; settles when the first keys are on disk. Throws what the store throws. */
export async function openKeyPool(options: KeyPoolOptions): Promise<KeyPool> {
  const { store, poolSize = 512, firstFill = 256 } = options
  const ready: SealingKey[] = []
  const closing = new AbortController()
  let refilling: Promise<void> | undefined
  let fills = true

  // what is taken meanwhile is for the next refill: else this one would end in a commit for every few keys, and go on for ever
  const fillTo = async (count: number): Promise<void> => {
    for (let missing = count - ready.length; missing > 0 && !closing.signal.aborted; ) {
      const keys = await store.make(Math.min(missing, batchSize))
      fills = true
      missing -= keys.length
      ready.push(...keys)
      // a store may work on this thread: let requests through between two batches
      await nextTurn()
    }
  }

  const isLow = (): boolean => ready.length <= poolSize * refillFrom
  const refill = (): void => {
    if (refilling || closing.signal.aborted) return
    const told: KeyPoolOptions['onFailure'] = (...failure) => {
      fills = false
      options.onFailure?.(...failure)
    }
    const work = () => fillTo(poolSize)
    refilling = retried(work, { ...options, onFailure: told }, closing.signal).finally(() => {
      refilling = undefined
      if (isLow()) refill()
    })
  }

  await fillTo(Math.min(firstFill, poolSize))
  refill()

  return {
    take: () => {
      const key = ready.pop()
      if (isLow()) refill()
      if (key) return key
      throw new Failure('unavailable', 'No sealing key is ready; try again.', {
        retryAfterSeconds: 1,
      })
    },
    ready: () => ready.length,
    hasSpare: () => ready.length > poolSize * reserve,
    fills: () => fills,
    close: async () => {
      closing.abort()
      await refilling
      const unused = ready.splice(0).map((key) => key.id)
      await store.discard(unused).catch((error: unknown) => options.onFailure?.(error, 1))
    },
  }
}

/** Tries until it succeeds or the signal ends it; never throws. */
async function retried(
  work: () => Promise<void>,
  { retryPauseMs = 50, onFailure }: KeyPoolOptions,
  signal: AbortSignal,
): Promise<void> {
  let pauseMs = retryPauseMs
  for (let failures = 1; !signal.aborted; failures += 1) {
    try {
      return await work()
    } catch (error) {
      onFailure?.(error, failures)
    }
    await pause(pauseMs, signal)
    pauseMs = Math.min(pauseMs * 2, Math.max(retryPauseMs, retryPauseMaxMs))
  }
}

/** Waits, or less long when the signal ends it. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return sleep(ms, undefined, { signal }).catch(() => undefined)
}
