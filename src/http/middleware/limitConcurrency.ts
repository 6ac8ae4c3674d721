/** Limits concurrent requests with slots and a bounded queue, per account and in total. */

import type { Next } from 'koa'
import { Failure } from '../../domain/failure.ts'
import { openSlotPool, type SlotPool, type SlotRefusal } from '../../domain/load/slotPool.ts'
import type { Metrics } from '../../metrics/openMetrics.ts'
import { bodyBytesMax } from '../request/body/jsonBody.ts'
import type { Context } from '../request/requestContext.ts'
import type { Route } from '../request/route.ts'
import { clientLeftError, runWhenClosed } from '../request/runWhenClosed.ts'
import { requireRoute } from './requestSteps.ts'

/** Of which the operator gets a quarter, as an account that watches the service does: 100. */
const operatorSlots = 400

/** Body bytes that one slot covers. */
const bytesPerSlot = 64 * 1024

/** The shortest queue, so that with few slots one request each of several accounts can wait. */
const leastWaiting = 4

/** Opens slots of which one account gets at most a quarter. */
function openSlots(total: number): SlotPool {
  const share = Math.ceil(total / 4)
  const waitingMax = Math.max(total, leastWaiting)
  return openSlotPool({ total, share, waitingMax, waitingShare: Math.max(total - share, 1) })
}

const retry = { retryAfterSeconds: 1 }

/**
 * Limits the slots of all accounts together to `inFlightMax`. A request keeps its slots until its work has ended and
 * its response was sent, so that slots also bound the memory of bodies and responses. Public keys (front ends, users of
 * applications) and operator and monitoring routes have slots of their own, so that they take none from back ends.
 * Throws `rate_limited` when the queue of the account is full, `unavailable` when the whole queue is.
 */
export function limitConcurrency(inFlightMax: number, meter: Metrics['requests']) {
  const backEnds = openSlots(inFlightMax)
  const frontEnds = openSlots(inFlightMax)
  const operator = openSlots(operatorSlots)
  meter.watchQueue(() => backEnds.waiting() + frontEnds.waiting() + operator.waiting())

  const selectPool = (ctx: Context): SlotPool => {
    const { admits } = requireRoute(ctx)
    if (typeof admits === 'object' && 'operator' in admits && admits.operator) return operator
    return ctx.state.app || ctx.state.principal?.kind === 'front_end' ? frontEnds : backEnds
  }
  const takeSlots = (ctx: Context, key: string): Promise<() => void> =>
    new Promise((begin, reject) => {
      const count = countSlots(requireRoute(ctx))
      const giveUp = selectPool(ctx).acquireSlots({ key, count, begin })
      if (typeof giveUp === 'string') reject(buildRefusal(giveUp, meter))
      else runWhenClosed(ctx.res, () => giveUp() && reject(clientLeftError))
    })

  return async function limitConcurrency(ctx: Context, next: Next): Promise<void> {
    const key = selectShareKey(ctx)
    if (key === undefined) return next()
    const leave = await takeSlots(ctx, key)
    try {
      await next()
    } finally {
      runWhenClosed(ctx.res, leave)
    }
  }
}

/** The slots that a request takes, by the largest body that it may have. */
function countSlots({ body: { size } }: Route): number {
  return size === undefined ? 1 : bodyBytesMax[size] / bytesPerSlot
}

/** The share of a request: its account's across all tokens, or the operator's; undefined for anonymous requests. */
function selectShareKey({ state: { principal, app } }: Context): string | undefined {
  if (app) return app.account
  return principal && 'accountId' in principal ? principal.accountId : principal?.kind
}

function buildRefusal(why: SlotRefusal, meter: Metrics['requests']): Failure {
  meter.countRefusal(why === 'account' ? 'account_busy' : 'busy')
  if (why !== 'account') return new Failure('unavailable', 'The service is busy; try again.', retry)
  const message = 'The account has too many requests in progress; try again later.'
  return new Failure('rate_limited', message, retry)
}
