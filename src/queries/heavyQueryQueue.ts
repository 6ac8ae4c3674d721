/** Queues heavy queries: few at once for each account, and each within a time limit. */

import { Failure, unavailable } from '../domain/failure.ts'
import { openSlotPool, runInSlot, type SlotRefusal } from '../domain/load/slotPool.ts'
import type { Principal } from '../domain/principal.ts'
import { type HeavyQueryRunner, type HeavyQueryTable, heavyQueryNames } from './heavyQueries.ts'
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
  const { runner, onRefused, answerMs = 12_000 } = options
  const slots = openSlotPool(most)
  const refusal = (why: SlotRefusal | 'late'): Failure => {
    if (why !== 'late') onRefused?.(why === 'account' ? 'heavy_reads' : 'busy')
    return buildRefusal(why)
  }
  const queries = heavyQueryNames.map((name) => [
    name,
    (caller: Principal, asked: object) => {
      const late = AbortSignal.timeout(answerMs)
      const work = () =>
        runner.run(name, asked, late).catch((error) => {
          throw late.aborted ? buildRefusal('late') : error
        })
      return runInSlot(slots, { key: buildSlotKey(caller), waitMaxMs: answerMs, work, refusal })
    },
  ])
  return Object.fromEntries(queries)
}

function buildSlotKey(caller: Principal): string {
  if (caller.kind === 'user') return `users of ${caller.accountId}`
  return caller.kind === 'account' ? caller.accountId : caller.kind
}

function buildRefusal(why: SlotRefusal | 'late'): Failure {
  if (why === 'late') return unavailable('There was no answer in time; try again.')
  if (why === 'all') return unavailable('The service is busy; try again.')
  const message = 'The account has too many questions of this kind under way; try again later.'
  return new Failure('rate_limited', message, { retryAfterSeconds: 1 })
}
