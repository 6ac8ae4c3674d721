/** Queues heavy queries: few at once for each account, and each within a time limit. */

import { Failure, unavailable } from '../domain/failure.ts'
import { openSlotPool, type SlotPool, type SlotRefusal } from '../domain/load/slotPool.ts'
import type { Principal } from '../domain/principal.ts'
import {
  type HeavyQueryName,
  type HeavyQueryRunner,
  type HeavyQueryTable,
  heavyQueryNames,
} from './heavyQueries.ts'
import type { HeavyQueries } from './reading/queryContext.ts'

export interface QueryQueueOptions {
  readonly runner: HeavyQueryRunner
  /** Told of each question that was refused because there were too many, of its account or of all. */
  readonly onRefused?: (reason: 'heavy_reads' | 'busy') => void
  /** From the asking to the answer; less than a request may take. */
  readonly answerMs?: number
}

/** Answered at once, and waiting: of all accounts, and of one. */
const most = { total: 4, share: 2, waitingMax: 512, waitingShare: 64 }

/** Opens the bounded queue before the thread that runs the queries. */
export function openQueryQueue(options: QueryQueueOptions): HeavyQueries<HeavyQueryTable> {
  const slots = openSlotPool(most)
  const queries = heavyQueryNames.map((name) => [
    name,
    (caller: Principal, asked: object) => answerInTurn(options, slots, { name, caller, asked }),
  ])
  return Object.fromEntries(queries)
}

interface AskedQuery {
  readonly name: HeavyQueryName
  readonly caller: Principal
  readonly asked: object
}

function answerInTurn(
  { runner, onRefused, answerMs = 12_000 }: QueryQueueOptions,
  slots: SlotPool,
  { name, caller, asked }: AskedQuery,
): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const late = new AbortController()
    const begin = (leave: () => void): void => {
      runner
        .run(name, asked, late.signal)
        .finally(() => {
          clearTimeout(timer)
          leave()
        })
        .then(resolve, reject)
    }
    const timer = setTimeout(() => {
      late.abort()
      if (typeof giveUp === 'function') giveUp()
      reject(unavailable('There was no answer in time; try again.'))
    }, answerMs)
    const giveUp = slots.acquireSlots({ key: buildSlotKey(caller), begin })
    if (typeof giveUp === 'function') return
    clearTimeout(timer)
    onRefused?.(giveUp === 'account' ? 'heavy_reads' : 'busy')
    reject(buildRefusal(giveUp))
  })
}

function buildSlotKey(caller: Principal): string {
  if (caller.kind === 'user') return `users of ${caller.accountId}`
  return caller.kind === 'account' ? caller.accountId : caller.kind
}

function buildRefusal(why: SlotRefusal): Failure {
  if (why === 'all') return unavailable('The service is busy; try again.')
  const message = 'The account has too many questions of this kind under way; try again later.'
  return new Failure('rate_limited', message, { retryAfterSeconds: 1 })
}
