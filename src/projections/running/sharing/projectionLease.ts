/** Declares the lease on running the projections: one instance has it, all others watch. */

import type { LeaseRequest } from '../../../stores/lease.ts'

export const projectionLeaseName = 'projections'

/** In ms. */
export interface LeaseTimes {
  /** For how long it is given: so long after the holder has died, at the most, another takes over. */
  readonly forMs: LeaseRequest['forMs']
  /** How often the holder renews it. */
  readonly renewEveryMs: number
  /** How often the others ask for it. */
  readonly askEveryMs: number
}

/** A holder may miss four renewals, so that a busy disk or a short outage moves nothing to another instance. */
export const leaseTimes: LeaseTimes = { forMs: 10_000, renewEveryMs: 2_000, askEveryMs: 1_000 }

/** Which instance runs the projections, as far as this one knows. */
export interface Holding {
  /** Whether they run here. */
  readonly held: boolean
  /** Of the lease that is held here; undefined while none is. */
  readonly fence: number | undefined
  /** False when it has been listened for long enough to know that no instance runs them. */
  readonly heard: boolean
}

export const notHeld: Holding = { held: false, fence: undefined, heard: true }
export const heldByNobody: Holding = { ...notHeld, heard: false }
