/** Limits concurrent validations of legacy sessions, by application, account and in all. */

import { Failure } from '../../../domain/failure.ts'
import { openConcurrency } from '../../../domain/load/concurrency.ts'

/*
 * A customer whose answers are slow delays nobody else. Each validation holds a request in progress all the while, so that they have a share
 * of these, and most are always left to other requests.
 */

/** Questions of one application, those that wait among them. */
const ofAppMax = 16
/** Questions under way at a time, as a share of the requests in progress and at the most; as many may wait. */
const slotsShare = 1 / 8
const slotsMax = 128
/** Of them, those of one account, however many applications it has. */
const accountShare = 1 / 4
/** Questions of an account that wait for a slot: each is free after 2 s at the latest, and the next goes round the accounts. */
const waitingOfAccountMax = 4
const waitMaxMs = 2_500

/** No customer is asked for now, since the accounts together have all slots: no fault of the service. */
export class AllCrowded extends Failure {}

interface Asker {
  readonly account: string
  readonly appId: string
}

/** Asks when there is a slot. Throws `rate_limited` when the application or the account has its share, `AllCrowded` (`unavailable`) when all are taken. */
export type ValidationSlots = <Value>(asker: Asker, ask: () => Promise<Value>) => Promise<Value>

/** Opens the slots of one process that has so many requests in progress at the most. */
export function openValidationSlots(inFlightMax: number): ValidationSlots {
  const apps = new Map<string, number>()
  const inSlot = openSlots(inFlightMax)
  return async ({ account, appId }, ask) => {
    const own = apps.get(appId) ?? 0
    if (own >= ofAppMax) throw crowded('application')
    apps.set(appId, own + 1)
    try {
      return await inSlot(account, ask)
    } finally {
      const left = (apps.get(appId) ?? 1) - 1
      if (left > 0) apps.set(appId, left)
      else apps.delete(appId)
    }
  }
}

function openSlots(inFlightMax: number) {
  const underWay = new Map<string, number>()
  const slots = Math.min(Math.ceil(inFlightMax * slotsShare), slotsMax)
  const ofAccountMax = Math.ceil(slots * accountShare)
  const queue = openConcurrency({
    total: slots,
    share: ofAccountMax,
    waitingMax: slots,
    waitingShare: Math.min(ofAccountMax, waitingOfAccountMax),
  })
  const count = (account: string, more: 1 | -1): void => {
    const sum = (underWay.get(account) ?? 0) + more
    if (sum > 0) underWay.set(account, sum)
    else underWay.delete(account)
  }
  return <Value>(account: string, ask: () => Promise<Value>): Promise<Value> =>
    new Promise((resolve, reject) => {
      const late = (): void => {
        if (typeof giveUp === 'function') giveUp()
        reject(underWay.get(account) === ofAccountMax ? crowded('account') : busy())
      }
      const timer = setTimeout(late, waitMaxMs)
      const begin = (leave: () => void): void => {
        clearTimeout(timer)
        count(account, 1)
        const end = (): void => {
          count(account, -1)
          leave()
        }
        Promise.resolve().then(ask).finally(end).then(resolve, reject)
      }
      const giveUp = queue.enter({ key: account, begin })
      if (typeof giveUp === 'function') return
      clearTimeout(timer)
      reject(giveUp === 'account' ? crowded('account') : busy())
    })
}

function crowded(whose: 'application' | 'account'): Failure {
  const message = `Too many sessions of the ${whose} are being validated; try again.`
  return new Failure('rate_limited', message, { retryAfterSeconds: 1 })
}

function busy(): AllCrowded {
  const message = 'Too many sessions are being validated; try again.'
  return new AllCrowded('unavailable', message, { retryAfterSeconds: 1 })
}
