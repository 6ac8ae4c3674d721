/** Declares the running projections: their progress, active versions and parked events. */

import type { ParkedEvent } from './parking/parking.ts'
import type { Holding } from './sharing/projectionLease.ts'

export interface ProjectionState {
  readonly name: string
  readonly version: number
  /** Position of the last event handled. */
  readonly position: number
  /** `failing`: something keeps it from going on, see `error`; it goes on by itself only when that is an outage. */
  readonly status: 'live' | 'catching_up' | 'failing'
  /** Events waiting behind a poison one, the poison ones included. */
  readonly parked: number
  /** The version that readers use; undefined until one has caught up for the first time. */
  readonly active: number | undefined
  readonly error?: string
}

/** Something that an operator must hear of. */
export interface Alarm {
  readonly kind: 'parked' | 'stopped' | 'outage' | 'rebuilt'
  /** Absent when it concerns all of them. */
  readonly projection?: string
  /** A sentence without personal data. */
  readonly message: string
}

/** What became of the parked events of a projection. */
export interface Retried {
  readonly applied: number
  /** Events that stay parked. */
  readonly parked: number
  /** The first `leftMax` of those, in the order of the log: the first of each sequence with the words of why, now. */
  readonly left: readonly ParkedEvent[]
}

/** Events told of those that stay parked. */
export const leftMax = 100

export interface Projections {
  /**
   * True as soon as everything readers use has passed the position; false when it has not within the time, or cannot because a
   * projection is failing or readers use a version that no longer moves.
   */
  readonly waitFor: (position: number, timeoutMs: number) => Promise<boolean>
  readonly progress: () => readonly ProjectionState[]
  /** Has what is in the log handled soon, though it be busy; `waitFor` does it by itself. Says nothing when they are away. */
  readonly hurry: () => void
  /** The position that everything readers use has passed. */
  readonly position: () => number
  /** The version of this projection that readers use; undefined until one has caught up. */
  readonly active: (projection: string) => number | undefined
  /**
   * Applies the parked events of a projection again, in order; to be called after the cause is mended. Repeating it is no error: what
   * was applied is parked no more. Throws `Failure` `unavailable` when it cannot be done now, or whoever runs them was asked and has not
   * answered in time.
   */
  readonly retryParked: (projection: string) => Promise<Retried>
  /** Finishes the batch in hand and ends. */
  readonly close: () => Promise<void>
}

/** Projections that one instance runs and all others watch. */
export interface SharedProjections extends Projections {
  /** Whether they run here. */
  readonly holding: () => Holding
  /** Has it told whenever they have come further, until what comes back is called. */
  readonly watch: (told: () => void) => () => void
}
