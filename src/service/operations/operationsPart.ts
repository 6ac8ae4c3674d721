/** The operations' part of the service: how far it is, whether it can work, and what it counts. */

import type { Call, Seen } from '../../domain/call.ts'
import type { Principal } from '../../domain/principal.ts'
import type { Metrics } from '../../metrics/openMetrics.ts'
import type { ParkedEvent } from '../../projections/running/parking.ts'
import type { ProjectionState } from '../../projections/running/projections.ts'

export interface ProjectionHealth
  extends Pick<ProjectionState, 'name' | 'version' | 'position' | 'status' | 'parked'> {
  /** How long the first event has waited that it has yet to handle; 0 when it has handled all, absent when the log does not answer. */
  readonly lag_seconds?: number
}

interface Parking {
  /** The first of the parked events, in the order of the log; their errors hold no personal data. */
  readonly parked_events: readonly ParkedEvent[]
  /** Why the projection does not go on, without personal data. */
  readonly error?: string
}

/** A projection as the operator sees it. */
export interface ProjectionView extends ProjectionHealth, Parking {}

/** What became of the parked events of a projection. */
export interface RetryView extends Pick<ProjectionHealth, 'name' | 'parked'>, Parking {
  readonly applied: number
}

/** Where the projections run. */
export type ProjectedBy = 'this_instance' | 'another_instance' | 'nobody'

export interface Readiness {
  /** Whether requests may be sent here. */
  readonly ready: boolean
  /** `nobody` once none has been heard of for some seconds: what is read grows old. */
  readonly projected_by: ProjectedBy
  readonly stores: Readonly<Record<string, 'ok' | 'failing'>>
  readonly projections: readonly ProjectionHealth[]
}

export interface OperationsPart {
  readonly projections: {
    /** How far each projection is, and what it has parked. Throws `unavailable` when a store does not answer. */
    readonly list: (call: Call<Principal>) => Promise<Seen<readonly ProjectionView[]>>
    /** Applies the parked events of a projection again; again is no error. Throws `not_found`, `unavailable`. */
    readonly retry: (call: Call<Principal>, name: string) => Promise<RetryView>
  }
  /**
   * Waits, within a limit, until the read models have passed the position. Throws `invalid_request` for a position that the log does
   * not have, `unavailable` when they do not come that far in time.
   */
  readonly reach: (minPosition: number) => Promise<void>
  /** Asks every store, and every projection how far it is. Never throws. */
  readonly readiness: () => Promise<Readiness>
  /** What the service counts about itself; the door counts its requests with it. */
  readonly metrics: Pick<Metrics, 'requests' | 'dispatched' | 'passwords' | 'text'>
}
