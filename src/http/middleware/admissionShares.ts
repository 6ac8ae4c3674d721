/** What a caller may hold while nothing is done for it: bodies that arrive, waits for a position, answers that it does not take. */

import { openShares, type Shares } from '../../domain/shares.ts'

const mebibyte = 1024 * 1024

/** Characters of answers that one account does not take, beyond which it gets no more: some of the longest pages. */
export const unreadShare = 8 * mebibyte

/** Each key is an account, or the operator. */
export interface AdmissionShares {
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
export function openAdmissionShares(inFlightMax: number): AdmissionShares {
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
export function openFrontEndShares(inFlightMax: number): ArrivingShares {
  return openArrivingShares(Math.ceil(inFlightMax / 4), 4 * mebibyte)
}

function openArrivingShares(bodies: number, bytes: number): ArrivingShares {
  return {
    bodies: openShares({ share: bodies, total: 4 * bodies }),
    bodyBytes: openShares({ share: bytes, total: 4 * bytes }),
  }
}
