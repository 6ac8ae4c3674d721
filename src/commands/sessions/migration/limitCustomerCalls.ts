/** Limits calls to customers' servers: slots per account, and pauses for URLs that keep failing. */

import { LRUCache } from 'lru-cache'
import { Failure } from '../../../domain/failure.ts'
import { openSlotPool, runInSlot } from '../../../domain/load/slotPool.ts'

/**
 * A customer whose answers are slow delays nobody else. Each validation holds a request in progress all the while, so
 * that they have a share of these, and most are always left to other requests.
 */

/** Questions under way at a time, as a share of the requests in progress and at the most; as many may wait. */
const slotsShare = 1 / 8
const slotsMax = 128
/** Of them, those of one account, however many applications it has. */
const accountShare = 1 / 4
/** Questions of an account that wait for a slot: each ends after 2 s at the latest, and accounts take turns. */
const waitingOfAccountMax = 4
const waitMaxMs = 2_500

/** No customer is asked for now, since the accounts together have all slots: no fault of the service. */
export class SlotsExhausted extends Failure {}

/**
 * Asks when there is a slot. Throws `rate_limited` when the account has its share, `SlotsExhausted` (`unavailable`)
 * when all are taken.
 */
export type ValidationSlots = <Value>(account: string, ask: () => Promise<Value>) => Promise<Value>

/** Opens the slots of one process that has so many requests in progress at the most. */
export function openValidationSlots(inFlightMax: number): ValidationSlots {
  const total = Math.min(Math.ceil(inFlightMax * slotsShare), slotsMax)
  const share = Math.ceil(total * accountShare)
  const waitingShare = Math.min(share, waitingOfAccountMax)
  const slots = openSlotPool({ total, share, waitingMax: total, waitingShare })
  const refusal = (why: string) => {
    const options = { retryAfterSeconds: 1 }
    return why === 'account'
      ? new Failure(
          'rate_limited',
          `${tooMany} of the account are being validated; try again.`,
          options,
        )
      : new SlotsExhausted('unavailable', `${tooMany} are being validated; try again.`, options)
  }
  return (account, work) => runInSlot(slots, { key: account, waitMaxMs, work, refusal })
}

const tooMany = 'Too many sessions'

/** Failures in a row after which a URL is not called for a while. */
const failuresMax = 5
/** The first pause and the longest; it doubles with every failure after a pause. */
const firstPauseMs = 5_000
const longestPauseMs = 60_000
/** How many URLs are remembered; a forgotten one is called like a new one. */
const rememberedMax = 10_000

export type CircuitBreakers = ReturnType<typeof openCircuitBreakers>

/** Breakers of this process, by key. */
export function openCircuitBreakers() {
  const circuits = new LRUCache<string, { failures: number; openUntilMs: number }>({
    max: rememberedMax,
  })
  /** Milliseconds until the URL of this key may be called again; 0 when it may be called now. */
  const pauseMs = (key: string, nowMs: number): number =>
    Math.max(0, (circuits.get(key)?.openUntilMs ?? 0) - nowMs)
  return {
    pauseMs,
    recordSuccess: (key: string): void => {
      circuits.delete(key)
    },
    recordFailure: (key: string, nowMs: number): void => {
      // calls that were under way when the pause began say nothing new
      if (pauseMs(key, nowMs) > 0) return
      const failures = (circuits.get(key)?.failures ?? 0) + 1
      const doubled = firstPauseMs * 2 ** (failures - failuresMax)
      const pause = failures < failuresMax ? 0 : Math.min(longestPauseMs, doubled)
      circuits.set(key, { failures, openUntilMs: nowMs + pause })
    },
  }
}
