/** Declares running projections: progress, active versions, parked events and lease. */

import type { Checkpoint } from '../../stores/readStore.ts'
import type { ParkedEvent } from './parkedEvents.ts'
import type { Projection } from './projection.ts'

export interface ProjectionState {
  readonly name: string
  readonly version: number
  /** Position of the last event handled. */
  readonly position: number
  /** `failing`: something keeps it from going on, see `error`; it goes on by itself only after an outage. */
  readonly status: 'live' | 'catching_up' | 'failing'
  /** Parked events: poison events and those waiting behind them. */
  readonly parked: number
  /** Whose they are, see `ParkedEvent`; absent where there are none. */
  readonly parkedAccounts?: readonly string[]
  /** The version that readers use; undefined until one has caught up for the first time. */
  readonly active: number | undefined
  /** Position of the last event that this version has handled. */
  readonly activePosition: number
  readonly error?: string
}

/** Reported to an operator. */
export interface Alarm {
  readonly kind: 'parked' | 'stopped' | 'outage' | 'rebuilt'
  /** Absent when it concerns all of them. */
  readonly projection?: string
  /** A sentence without personal data. */
  readonly message: string
}

/** The outcome of retrying the parked events of a projection. */
export interface RetryResult {
  readonly applied: number
  /** Events that stay parked. */
  readonly parked: number
  /**
   * The first `reportedParkedMax` of those, in the order of the log: the first of each sequence with the error of this
   * retry.
   */
  readonly left: readonly ParkedEvent[]
}

export const reportedParkedMax = 100

export interface Projections {
  /**
   * True as soon as everything readers use has passed the position; false when it has not within the time, or cannot
   * because a projection is failing or readers use a version that no longer moves.
   */
  readonly waitFor: (position: number, timeoutMs: number) => Promise<boolean>
  readonly progress: () => readonly ProjectionState[]
  /**
   * Shortens the rest between batches under load; `waitFor` does it by itself. No effect where another instance runs
   * them.
   */
  readonly shortenDelay: () => void
  /** The position that everything readers use has passed. */
  readonly position: () => number
  /**
   * The position that the versions of these projections that readers use have passed, also one that no longer moves.
   */
  readonly passed: (projections: readonly string[]) => number
  /** The version of this projection that readers use; undefined until one has caught up. */
  readonly active: (projection: string) => number | undefined
  /**
   * Applies the parked events of a projection again, in order; to be called after the cause was fixed. Repeating it is
   * safe: applied events are no longer parked. Throws `Failure` `unavailable` when it cannot be done now, or the
   * instance that runs them did not answer in time.
   */
  readonly retryParked: (projection: string) => Promise<RetryResult>
  /** Finishes the current batch and ends. */
  readonly close: () => Promise<void>
}

/** Projections while they run here, or are watched. */
export type ProjectionRun = Pick<Projections, 'shortenDelay' | 'retryParked' | 'close'>

/** Projections that one instance runs and all others watch. */
export interface SharedProjections extends Projections {
  readonly leaseStatus: () => LeaseStatus
  /** Calls back whenever they have progressed, until the returned function is called. */
  readonly watch: (notify: () => void) => () => void
}

/** Which instance runs the projections, as far as this one knows. */
export interface LeaseStatus {
  /** Whether this instance runs them. */
  readonly isOwner: boolean
  /** Fence of the lease of this instance, where the read store is shared. */
  readonly fence: number | undefined
  /** False once no instance has published states for a while: none runs them. */
  readonly isRunning: boolean
}

export const otherOwnerStatus: LeaseStatus = { isOwner: false, fence: undefined, isRunning: true }
export const noOwnerStatus: LeaseStatus = { ...otherOwnerStatus, isRunning: false }

/** States of projections that have not started, or could not because of `error`. */
export function initialStates(
  projections: readonly Projection[],
  error?: string,
): readonly ProjectionState[] {
  return projections.map(({ name, version }) => ({
    name,
    version,
    position: 0,
    status: error === undefined ? 'catching_up' : 'failing',
    parked: 0,
    active: undefined,
    activePosition: 0,
    ...(error !== undefined && { error }),
  }))
}

/**
 * The newest version that has caught up once and that this program knows or has superseded; never a version of a newer
 * program.
 */
export function findActiveVersion(
  name: string,
  projections: readonly Projection[],
  checkpoints: readonly Pick<Checkpoint, 'projection' | 'version' | 'ready' | 'position'>[],
): Pick<ProjectionState, 'active' | 'activePosition'> {
  const own = projections.filter((one) => one.name === name).map(({ version }) => version)
  const [newest] = checkpoints
    .filter((one) => one.projection === name && one.ready && one.version <= Math.max(...own))
    .toSorted((one, other) => other.version - one.version)
  return { active: newest?.version, activePosition: newest?.position ?? 0 }
}
