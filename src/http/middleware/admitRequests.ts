/** Lets requests in: what they hold and how long they take is bounded, and shared between those who send them. */

import type { Next } from 'koa'
import { Failure } from '../../domain/failure.ts'
import type { Leave } from '../../domain/fairQueue.ts'
import { fewEachTurn } from '../../domain/fewEachTurn.ts'
import { isMonitoring } from '../connections/isMonitoring.ts'
import type { Arrivals } from '../connections/knownSenders.ts'
import { alwaysAdmitted } from '../request/admission.ts'
import type { Context } from '../request/context.ts'
import { inQueue } from './inQueue.ts'
import { type AdmissionOptions, openAdmission } from './openAdmission.ts'
import { shareKeyOf } from './shareKeyOf.ts'

interface AdmitOptions extends Omit<AdmissionOptions, 'turns'> {
  readonly arrivals: Arrivals
  /** How long a request may take, its body included. */
  readonly answerMs: number
}

type Middleware = (ctx: Context, next: Next) => Promise<void>

const retryAfterSeconds = 1
/** Whose turns they have that are answered too late: what arrived together is late together. */
const lateOnes = 'late ones'
/** The same of those whose clients leave together. */
const leaving = { key: 'those who left', most: 8 } as const
const nothing = (): void => {}

/**
 * Gives a request its `admission`. Throws `unavailable` when there is no answer in time, or `request_timeout` when the client's body
 * has not even arrived; work that has begun keeps its place until it ends. Requests begin in turn between those who send them, whatever
 * they are answered, and end in turn when their clients leave; health and metrics wait for nothing else, and no longer.
 */
export function admitRequests(options: AdmitOptions): Middleware {
  const { arrivals } = options
  const { senders, turns } = arrivals
  const admission = openAdmission({ ...options, turns })
  const inTime = openTimeLimit(options)

  const learn = (ctx: Context, knownAs: string): void => {
    // what was not looked at as a token is whatever its sender invents
    const { principal } = ctx.state
    if (principal === undefined || principal.kind === 'front_end') return
    const key = shareKeyOf(ctx)
    if (key !== knownAs) senders.learn(ctx.req.headers.authorization, key)
  }
  const endLater = fewEachTurn({ turns, ...leaving })
  const inTurn = (ctx: Context, monitors: boolean, next: Next): Promise<void> => {
    const { authorization } = ctx.req.headers
    const key = senders.of({ authorization, address: () => ctx.ip, monitors })
    const enter = (begin: (leave: Leave) => void) => turns.enter(key, () => begin(nothing))
    return inQueue({ ctx, enter }, async () => {
      try {
        await next()
      } finally {
        learn(ctx, key)
      }
    })
  }

  return function admitRequests(ctx: Context, next: Next): Promise<void> {
    const monitors = ctx.state.sessionHost === undefined && isMonitoring(ctx.request.path)
    ctx.state.admission = monitors ? alwaysAdmitted : admission
    const begin = (): Promise<void> =>
      inTurn(ctx, monitors, next).catch((error: unknown) => {
        if (!ctx.res.closed) throw error
        return new Promise((_, reject) => endLater(() => reject(error)))
      })
    return inTime(ctx, begin)
  }
}

/** Answers what is not answered in time. */
function openTimeLimit({ answerMs, meter, arrivals }: AdmitOptions): Middleware {
  return (ctx, next) =>
    new Promise((resolve, reject) => {
      let isSettled = false
      let late = false
      const giveUp = (): void => {
        if (isSettled) return
        late = true
        meter.refused('too_slow')
        reject(tooSlow(ctx))
        ctx.state.giveUp?.()
      }
      const timer = setTimeout(() => arrivals.turns.enter(lateOnes, giveUp), answerMs)
      const settle = (error?: unknown): void => {
        isSettled = true
        clearTimeout(timer)
        if (error === undefined) resolve()
        else if (late) ctx.app.emit('error', error, ctx)
        else reject(error)
      }
      next().then(() => settle(), settle)
    })
}

function tooSlow(ctx: Context): Failure {
  if (ctx.req.complete) {
    return new Failure('unavailable', 'There was no answer in time; try again.', {
      retryAfterSeconds,
    })
  }
  ctx.res.setHeader('Connection', 'close')
  // who reads the body is told only by this that there will be no more of it
  ctx.req.socket.once('close', () => ctx.req.destroy())
  return new Failure('request_timeout', 'The request took too long to arrive.')
}
