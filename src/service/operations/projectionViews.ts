/** What is shown of the projections. */

import type { ParkedEvent } from '../../projections/running/parking.ts'
import type { ProjectionProgress } from '../../projections/running/projections.ts'

export type ProjectionHealth = Pick<
  ProjectionProgress,
  'name' | 'version' | 'position' | 'lag' | 'status' | 'parked'
>

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
