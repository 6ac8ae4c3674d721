/** Limits concurrent validations of legacy sessions, by account and in all. */

import { Failure } from '../../../domain/failure.ts'
import { openSlotPool } from '../../../domain/load/slotPool.ts'
import { runInSlot } from '../../handling/runInSlot.ts'

/*
 * A customer whose answers are slow delays nobody else. Each validation holds a request in progress all the while, so that they have a share
 * of these, and most are always left to other requests.
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

/** Asks when there is a slot. Throws `rate_limited` when the account has its share, `SlotsExhausted` (`unavailable`) when all are taken. */
export type ValidationSlots = <Value>(account: string, ask: () => Promise<Value>) => Promise<Value>

/** Opens the slots of one process that has so many requests in progress at the most. */
export function openValidationSlots(inFlightMax: number): ValidationSlots {
  const total = Math.min(Math.ceil(inFlightMax * slotsShare), slotsMax)
  const share = Math.ceil(total * accountShare)
  const waitingShare = Math.min(share, waitingOfAccountMax)
  const slots = openSlotPool({ total, share, waitingMax: total, waitingShare })
  return (account, ask) =>
    runInSlot(slots, {
      key: account,
      waitMaxMs,
      work: ask,
      refusal: (why) => {
        const options = { retryAfterSeconds: 1 }
        if (why !== 'account') return new SlotsExhausted('unavailable', allBusy, options)
        return new Failure('rate_limited', accountBusy, options)
      },
    })
}

const allBusy = 'Too many sessions are being validated; try again.'
const accountBusy = 'Too many sessions of the account are being validated; try again.'
