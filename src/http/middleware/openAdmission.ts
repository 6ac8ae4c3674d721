/** Shares what requests hold, and the places in which they are served, between those who send them. */

import { Failure } from '../../domain/failure.ts'
import type { FairQueue, Leave } from '../../domain/fairQueue.ts'
import type { Shares } from '../../domain/shares.ts'
import type { Metrics } from '../../metrics/openMetrics.ts'
import type { Admission } from '../request/admission.ts'
import type { Context } from '../request/context.ts'
import { type AdmissionShares, openAdmissionShares } from './admissionShares.ts'
import { refuseCrowded } from './crowdedFailure.ts'
import { openPlaces, openPlacesOfOperator } from './openPlaces.ts'

export interface AdmissionOptions {
  /** Requests in progress at once, of all accounts. */
  readonly inFlightMax: number
  /** A clock that never goes back. */
  readonly nowMs: () => number
  readonly meter: Metrics['requests']
  /** Waits, within a limit, until the read models have passed the position. */
  readonly reach: (minPosition: number) => Promise<void>
}

/** Opens the admission of one door. The operator has places of its own. */
export function openAdmission({ inFlightMax, nowMs, meter, reach }: AdmissionOptions): Admission {
  const shares = openAdmissionShares(inFlightMax)
  const places = openPlaces({ inFlightMax, nowMs })
  const placesOfOperator = openPlacesOfOperator()
  meter.watchQueue(() => places.waiting() + placesOfOperator.waiting())

  return {
    receive: receiver(shares, meter),
    reach: async (ctx, minPosition) => {
      const key = keyOf(ctx)
      refuseCrowded(meter, 'positions', shares.positionWaits.refuses(key, 1))
      const one = shares.positionWaits.hold(key, 1)
      await reach(minPosition).finally(one.giveBack)
    },
    serve: (ctx, work) => {
      const key = keyOf(ctx)
      if (key === undefined) return work()
      refuseCrowded(meter, 'unread', shares.unreadBytes.refuses(key, 0))
      const queue = ctx.state.principal?.kind === 'operator' ? placesOfOperator : places
      const answered = (): void => holdUnread(shares.unreadBytes, ctx, key)
      return inPlace({ ctx, key, queue, meter }, () => work().then(answered))
    },
  }
}

/** Whose share it is: an account's, whatever its tokens; the operator's; undefined for anyone. */
function keyOf({ state: { principal } }: Context): string | undefined {
  return principal?.kind === 'account' ? principal.accountId : principal?.kind
}

function receiver(
  { bodies, bodyBytes }: AdmissionShares,
  meter: Metrics['requests'],
): Admission['receive'] {
  return (ctx, bytesMax) => {
    const key = keyOf(ctx)
    refuseCrowded(meter, 'bodies', bodies.refuses(key, 1) ?? bodyBytes.refuses(key, bytesMax))
    const one = bodies.hold(key, 1)
    const bytes = bodyBytes.hold(key, bytesMax)
    const done = (): void => {
      one.giveBack()
      bytes.giveBack()
    }
    // also when it never arrives, or nobody asks for it any more
    ctx.res.once('close', done)
    return {
      arrived: (length) => {
        one.giveBack()
        bytes.resize(length)
      },
      done,
    }
  }
}

/** Answers shorter than this are not worth counting. */
const countedBytes = 4 * 1024

/** Counts the answer against its account until the client has taken it, or is gone. */
function holdUnread(unreadBytes: Shares, { body, res }: Context, key: string): void {
  if (typeof body !== 'string' || body.length < countedBytes || res.closed) return
  res.once('close', unreadBytes.hold(key, body.length).giveBack)
}

interface Placing {
  readonly ctx: Context
  readonly key: string
  readonly queue: FairQueue
  readonly meter: Metrics['requests']
}

/** Does the work in a place. It is not begun when the request is given up while it waits for one. */
function inPlace({ ctx, key, queue, meter }: Placing, work: () => Promise<void>): Promise<void> {
  return new Promise((resolve, reject) => {
    let hasBegun = false
    const begin = (leave: Leave): void => {
      hasBegun = true
      work().finally(leave).then(resolve, reject)
    }
    const leave = queue.enter(key, begin)
    if (typeof leave === 'string') return refuseCrowded(meter, 'account_busy', leave)
    if (hasBegun) return
    const giveUp = (): void => {
      if (hasBegun) return
      leave()
      reject(new Failure('unavailable', 'The request was given up before its turn came.'))
    }
    ctx.state.giveUp = giveUp
    ctx.res.once('close', giveUp)
  })
}
