/** Shares what requests hold, and the places in which they are served, between those who send them. */

import { openComputing } from '../../domain/computing.ts'
import { Failure } from '../../domain/failure.ts'
import type { Leave } from '../../domain/fairQueue.ts'
import type { LoopTurns } from '../../domain/loopTurns.ts'
import { type Crowded, openShares, type Shares } from '../../domain/shares.ts'
import type { Metrics } from '../../metrics/openMetrics.ts'
import type { Admission } from '../request/admission.ts'
import type { Context } from '../request/context.ts'
import { whenClosed } from '../request/whenClosed.ts'
import { inQueue } from './inQueue.ts'
import { openPlaces, openPlacesOfOperator } from './openPlaces.ts'
import { shareKeyOf } from './shareKeyOf.ts'

const retryAfterSeconds = 1

const sentences: Readonly<Record<CrowdedBy, string>> = {
  account_busy: 'The account has too many requests in progress',
  bodies: 'The account is sending too much at once',
  positions: 'The account has too many requests that wait for a position',
  unread: 'The account has too many answers that it does not read',
}

const mebibyte = 1024 * 1024

/** Characters of answers that one account does not take, beyond which it gets no more: some of the longest pages. */
const unreadShare = 8 * mebibyte

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

/** Each key is an account, or the operator. */
interface AdmissionShares {
  /** Bodies that are arriving, in number: an account may send as many at once as requests may be in progress. */
  readonly bodies: Shares
  /** Bytes of bodies until their work begins: as many as they may become, unpacked, and once they have arrived as many as they are. */
  readonly bodyBytes: Shares
  /** Characters of answers that the client has not taken yet. */
  readonly unreadBytes: Shares
  /** Questions that wait until the read models have passed a position. */
  readonly positionWaits: Shares
}

/** What arrives. */
type ArrivingShares = Pick<AdmissionShares, 'bodies' | 'bodyBytes'>

/** The shares of one door. */
function openAdmissionShares(inFlightMax: number): AdmissionShares {
  return {
    ...openArrivingShares(inFlightMax, 16 * mebibyte),
    unreadBytes: openShares({ share: unreadShare, total: 128 * mebibyte }),
    positionWaits: openShares({ share: 64, total: 1_000 }),
  }
}

/**
 * The shares of what front ends send, apart from everybody else's: their keys are public, so whoever sends bodies that never arrive, in
 * the name of many accounts, takes room from front ends alone.
 */
function openFrontEndShares(inFlightMax: number): ArrivingShares {
  return openArrivingShares(Math.ceil(inFlightMax / 4), 4 * mebibyte)
}

function openArrivingShares(bodies: number, bytes: number): ArrivingShares {
  return {
    bodies: openShares({ share: bodies, total: 4 * bodies }),
    bodyBytes: openShares({ share: bytes, total: 4 * bytes }),
  }
}

/** What there is no room for, under the reasons by which refusals are counted. */
type CrowdedBy = 'account_busy' | 'bodies' | 'positions' | 'unread'

/**
 * Counts the refusal and throws it: `rate_limited` when the account has its share, `unavailable` when all together have all there is.
 * Nothing happens without a reason.
 */
function refuseCrowded(meter: Metrics['requests'], by: CrowdedBy, why: Crowded): never
function refuseCrowded(meter: Metrics['requests'], by: CrowdedBy, why: Crowded | undefined): void
function refuseCrowded(meter: Metrics['requests'], by: CrowdedBy, why: Crowded | undefined): void {
  if (why === undefined) return
  meter.refused(why === 'share' ? by : 'busy')
  throw why === 'share'
    ? new Failure('rate_limited', `${sentences[by]}; try again later.`, { retryAfterSeconds })
    : new Failure('unavailable', 'The service is busy; try again.', { retryAfterSeconds })
}
