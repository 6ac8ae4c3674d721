/** Shares what requests hold, and the places in which they are served, between those who send them. */

import { openComputing } from '../../domain/computing.ts'
import type { Leave } from '../../domain/fairQueue.ts'
import type { LoopTurns } from '../../domain/loopTurns.ts'
import type { Shares } from '../../domain/shares.ts'
import type { Metrics } from '../../metrics/openMetrics.ts'
import type { Admission } from '../request/admission.ts'
import type { Context } from '../request/context.ts'
import { whenClosed } from '../request/whenClosed.ts'
import {
  type AdmissionShares,
  openAdmissionShares,
  openFrontEndShares,
  unreadShare,
} from './admissionShares.ts'
import { refuseCrowded } from './crowdedFailure.ts'
import { inQueue } from './inQueue.ts'
import { openPlaces, openPlacesOfOperator } from './openPlaces.ts'
import { shareKeyOf } from './shareKeyOf.ts'

export interface AdmissionOptions {
  /** Requests in progress at once, of all accounts. */
  readonly inFlightMax: number
  /** The turns of the event loop. */
  readonly turns: LoopTurns
  readonly meter: Metrics['requests']
  /** Waits, within a limit, until the read models have passed the position. */
  readonly reach: (minPosition: number) => Promise<void>
}

/** Opens the admission of one door. The operator has places of its own. */
export function openAdmission(options: AdmissionOptions): Admission {
  const { inFlightMax, meter, reach } = options
  const shares = openAdmissionShares(inFlightMax)
  const receive = receiver(shares, meter)
  const receiveOfFrontEnds = receiver(openFrontEndShares(inFlightMax), meter)
  const places = openPlaces(options)
  const placesOfOperator = openPlacesOfOperator()
  const writing = openComputing(options.turns)
  meter.watchQueue(() => places.waiting() + placesOfOperator.waiting())

  return {
    receive: (ctx, bytesMax) =>
      ctx.state.principal?.kind === 'front_end' || ctx.state.app
        ? receiveOfFrontEnds(ctx, bytesMax)
        : receive(ctx, bytesMax),
    reach: async (ctx, minPosition) => {
      const key = shareKeyOf(ctx)
      refuseCrowded(meter, 'positions', shares.positionWaits.refuses(key, 1))
      const one = shares.positionWaits.hold(key, 1)
      await reach(minPosition).finally(one.giveBack)
    },
    serve: (ctx, work) => {
      const key = shareKeyOf(ctx)
      if (key === undefined) return work(() => {})
      refuseCrowded(meter, 'unread', shares.unreadBytes.refuses(key, 0))
      const queue = ctx.state.principal?.kind === 'operator' ? placesOfOperator : places
      const answered = (): void => holdUnread({ shares, meter, key }, ctx)
      const enter = (begin: (leave: Leave) => void): Leave => {
        const entered = queue.enter(key, begin)
        return typeof entered === 'string' ? refuseCrowded(meter, 'account_busy', entered) : entered
      }
      return inQueue({ ctx, enter }, async (leave) => {
        const wait = waiting(shares.positionWaits, key, leave)
        try {
          await work(wait.begin)
          answered()
          await turnIn(options.turns, key)
        } finally {
          wait.end()
          leave()
        }
      })
    },
    write: (ctx, pieces) => writing.runInPieces(shareKeyOf(ctx) ?? '', pieces),
  }
}

/** A wait without a place, counted among those for a position; where there are too many the place is kept. An answer that is sent piece by piece may wait when its place was given back long ago. */
function waiting(waits: Shares, key: string, leave: Leave) {
  let hasEnded = false
  let end = (): void => {}
  return {
    begin: (): void => {
      if (hasEnded || waits.refuses(key, 1) !== undefined) return
      end()
      end = waits.hold(key, 1).giveBack
      leave()
    },
    end: () => {
      hasEnded = true
      end()
    },
  }
}

/** Work that was done together, as by one commit, is answered a little in a turn, and in turn between the accounts. */
function turnIn(turns: LoopTurns, key: string): Promise<void> {
  return new Promise((resolve) => {
    turns.enter(key, resolve)
  })
}

function receiver(
  { bodies, bodyBytes }: Pick<AdmissionShares, 'bodies' | 'bodyBytes'>,
  meter: Metrics['requests'],
): Admission['receive'] {
  return (ctx, bytesMax) => {
    const key = shareKeyOf(ctx)
    refuseCrowded(meter, 'bodies', bodies.refuses(key, 1) ?? bodyBytes.refuses(key, bytesMax))
    const one = bodies.hold(key, 1)
    const bytes = bodyBytes.hold(key, bytesMax)
    const done = (): void => {
      one.giveBack()
      bytes.giveBack()
    }
    // also when it never arrives, or nobody asks for it any more
    whenClosed(ctx.res, done)
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

interface Holding {
  readonly shares: AdmissionShares
  readonly meter: Metrics['requests']
  readonly key: string
}

/**
 * Counts the answer against its account until the client has taken it, or is gone. Many questions may have begun while there was
 * room; of what they are answered no more is kept than fits, or one answer that does not fit alone. What a command has done is always
 * told.
 */
function holdUnread({ shares: { unreadBytes }, meter, key }: Holding, ctx: Context): void {
  const { body, res, method } = ctx
  if (typeof body !== 'string' && !Buffer.isBuffer(body)) return
  if (body.length < countedBytes || res.closed) return
  if (method === 'GET' || method === 'HEAD') {
    const why = unreadBytes.refuses(key, Math.min(body.length, unreadShare))
    if (why !== undefined) for (const name of ['ETag', 'X-Vigil-Position']) res.removeHeader(name)
    refuseCrowded(meter, 'unread', why)
  }
  whenClosed(res, unreadBytes.hold(key, body.length).giveBack)
}
