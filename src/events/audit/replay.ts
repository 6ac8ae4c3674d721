/** Declares the events of replays (streams `replays-{account}`), and folds them. */

import type { TypeOf } from '../../domain/jsonSchema.ts'
import { defineNonPersonalEvent, type EventOf } from '../recording/eventDefinition.ts'
import {
  epochMs,
  integerFrom,
  list,
  nonEmptyString,
  object,
  oneOf,
} from '../recording/eventSchema.ts'
import { beginJob, changeJob, type JobRecord, jobOutcomes } from '../recording/jobRecord.ts'

const position = integerFrom(0)
const count = integerFrom(0)
const replay = { replay_id: nonEmptyString, at: epochMs }
const counts = { match: count, mismatch: count, evidence_erased: count }

/**
 * Which evaluations are replayed: those at positions behind `after`, up to `end`; of these times, the second excluded.
 */
const range = [
  { after: position, end: position },
  { flow_id: nonEmptyString, from_ms: epochMs, to_ms: epochMs },
] as const
const replayRange = object(...range)
export type ReplayRange = TypeOf<typeof replayRange>

/** An evaluation that is not what its record says, or cannot be computed again. */
const mismatch = object({ evaluation_id: nonEmptyString, position, reason: nonEmptyString })
export type ReplayMismatch = TypeOf<typeof mismatch>

const totals = { ...counts, mismatches: list(mismatch) }
const replayTotals = object(totals)
/**
 * What replaying some evaluations gave: how many are the same to the byte, differ, or lost their evidence to an
 * erasure; and the first that differ, in the order of the log.
 */
export type ReplayTotals = TypeOf<typeof replayTotals>

export const emptyReplayTotals: ReplayTotals = {
  match: 0,
  mismatch: 0,
  evidence_erased: 0,
  mismatches: [],
}

/** Both together, in any order. */
export function addReplayTotals(one: ReplayTotals, other: ReplayTotals): ReplayTotals {
  return {
    match: one.match + other.match,
    mismatch: one.mismatch + other.mismatch,
    evidence_erased: one.evidence_erased + other.evidence_erased,
    mismatches: [...one.mismatches, ...other.mismatches]
      .sort((a, b) => a.position - b.position)
      .slice(0, mismatchesMax),
  }
}

export const replayEvents = {
  ReplayStarted: defineNonPersonalEvent({ ...replay, ...range[0] }, range[1]),
  /**
   * Everything up to `position` has been replayed; the counts are those from its start, the mismatches those since the
   * last report.
   */
  ReplayAdvanced: defineNonPersonalEvent({ ...replay, position, ...totals }),
  /** With the reason of one that failed. */
  ReplayEnded: defineNonPersonalEvent(
    { ...replay, outcome: oneOf(jobOutcomes) },
    { reason: nonEmptyString },
  ),
}

export type ReplayEvent = EventOf<typeof replayEvents>

export interface ReplayState extends JobRecord, ReplayRange, ReplayTotals {
  readonly position: number
}

/** Mismatches that a replay names. */
export const mismatchesMax = 100

export const replayStream = (account: string): string => `replays-${account}`

/** The replays of an account, the newest first, after one more event. */
export function evolveReplays(
  before: readonly ReplayState[],
  { type, data }: ReplayEvent,
): readonly ReplayState[] {
  const { replay_id: id } = data
  switch (type) {
    case 'ReplayStarted': {
      const { replay_id: _, at, ...range } = data
      const job = { id, started_at: at, reported_at: at, runs: 1 }
      return beginJob(before, { ...range, ...emptyReplayTotals, ...job, position: range.after })
    }
    case 'ReplayAdvanced': {
      const { replay_id: _, at, mismatches, ...counts } = data
      return changeJob(before, id, (replay) => ({
        ...replay,
        ...counts,
        reported_at: at,
        mismatches: [...replay.mismatches, ...mismatches].slice(0, mismatchesMax),
      }))
    }
    case 'ReplayEnded': {
      const { replay_id: _, at: reported_at, ...end } = data
      return changeJob(before, id, (replay) => ({ ...replay, ...end, reported_at }))
    }
  }
}
