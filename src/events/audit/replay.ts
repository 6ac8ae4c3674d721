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

export const replayOutcomes = ['DONE', 'CANCELLED', 'INTERRUPTED', 'FAILED'] as const

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
    { ...replay, outcome: oneOf(replayOutcomes) },
    { reason: nonEmptyString },
  ),
}

export type ReplayEvent = EventOf<typeof replayEvents>

/** A replay; times are milliseconds since the Unix epoch. */
export interface ReplayState extends ReplayRange, ReplayTotals {
  readonly replay_id: string
  readonly started_at: number
  /** When it was last heard of. */
  readonly reported_at: number
  readonly position: number
  /** Undefined while it runs. */
  readonly outcome?: (typeof replayOutcomes)[number]
  /** Why it failed. */
  readonly reason?: string
}

/** Mismatches that a replay names. */
export const mismatchesMax = 100

/** Replays of an account that stay known. */
const replaysMax = 20

export const replayStream = (account: string): string => `replays-${account}`

/** The replays of an account, the newest first, after one more event. */
export function evolveReplays(
  before: readonly ReplayState[],
  { type, data }: ReplayEvent,
): readonly ReplayState[] {
  const change = (one: (replay: ReplayState) => ReplayState) =>
    before.map((replay) => (replay.replay_id === data.replay_id ? one(replay) : replay))
  switch (type) {
    case 'ReplayStarted': {
      const { at, ...range } = data
      const of = { started_at: at, reported_at: at, position: range.after }
      return [{ ...range, ...emptyReplayTotals, ...of }, ...before].slice(0, replaysMax)
    }
    case 'ReplayAdvanced': {
      const { at, mismatches, ...counts } = data
      return change((replay) => ({
        ...replay,
        ...counts,
        reported_at: at,
        mismatches: [...replay.mismatches, ...mismatches].slice(0, mismatchesMax),
      }))
    }
    case 'ReplayEnded': {
      const { at, ...end } = data
      return change((replay) => ({ ...replay, ...end, reported_at: at }))
    }
  }
}
