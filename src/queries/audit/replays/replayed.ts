/** Counts replayed evaluations, and lists the first that differ from their records. */

import {
  mismatchesMax,
  type ReplayCounts,
  type ReplayMismatch,
} from '../../../events/audit/replay.ts'

/** What replaying some evaluations gave: how many are the same to the byte, differ, or lost their evidence to an erasure. */
export interface Replayed extends ReplayCounts {
  /** The first in the log. */
  readonly mismatches: readonly ReplayMismatch[]
}

/** While it is counted. */
export interface Tally extends Replayed {
  match: number
  mismatch: number
  evidence_erased: number
  mismatches: ReplayMismatch[]
}

/** Nothing counted yet. */
export function newTally(): Tally {
  return { match: 0, mismatch: 0, evidence_erased: 0, mismatches: [] }
}

/** Counts an evaluation that differs. */
export function noteMismatch(tally: Tally, mismatch: ReplayMismatch): void {
  tally.mismatch += 1
  if (tally.mismatches.length < mismatchesMax) tally.mismatches.push(mismatch)
}

/** Adds the counts of a range of the log; the ranges come in any order. */
export function addTo(tally: Tally, part: Replayed): void {
  tally.match += part.match
  tally.mismatch += part.mismatch
  tally.evidence_erased += part.evidence_erased
  tally.mismatches = [...tally.mismatches, ...part.mismatches]
    .sort((one, other) => one.position - other.position)
    .slice(0, mismatchesMax)
}
