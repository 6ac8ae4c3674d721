/** What a log has lost: it ends before what its witnesses prove, or holds other events than they saw. */

import { isoTime } from '../../domain/isoTime.ts'
import type { LogWitness } from './logWitnesses.ts'
import type { PositionRange } from './lostPositions.ts'

export interface LogLoss {
  /** Where the log ends, 0 without an event, and when its last event is of. */
  readonly kept: { readonly position: number; readonly atMs?: number }
  /** Positions whose events are gone; absent when nobody knows them, and when the log is longer, but another one. */
  readonly missing?: PositionRange
  /** Names of the files that prove it. */
  readonly provenBy: readonly string[]
  /** When the last of them saw the log. */
  readonly seenAtMs?: number
}

/** What there is to compare witnesses with. */
export interface WitnessedLog {
  readonly kept: LogLoss['kept']
  /** Whether the witness is right, or speaks of what was accepted as lost before. */
  readonly bearsOut: (witness: LogWitness) => boolean
}

/**
 * The loss that these witnesses prove, or none. One that speaks against an event before another that the log bears out is itself
 * damaged, or of another log: every event is guarded by its checksum, and none is missing before the end.
 */
export function logLossOf(
  { kept, bearsOut }: WitnessedLog,
  witnesses: readonly LogWitness[],
): LogLoss | undefined {
  const proven = Math.max(0, ...witnesses.filter(bearsOut).map(({ position }) => position))
  const against = witnesses.filter((witness) => witness.position > proven && !bearsOut(witness))
  if (against.length === 0) return undefined
  const last = Math.max(...against.map(({ position }) => position))
  const seenAtMs = Math.max(0, ...against.map(({ atMs = 0 }) => atMs))
  return {
    kept,
    ...(last > kept.position && { missing: { first: kept.position + 1, last } }),
    provenBy: [...new Set(against.map(({ by }) => by))],
    ...(seenAtMs > 0 && { seenAtMs }),
  }
}

/** The refusal of a start: what is missing, since when, and what to do. */
export function logLossRefusal(loss: LogLoss, file: string): Error {
  return new Error(`Cannot use ${file}: ${logLossText(loss)}. ${wayOn}`)
}

const wayOn =
  'Nothing was changed. Put back log.db as it was, together with its log.db-wal, or the newest backup; to go on without what is missing: vigil restore --accept-loss.'

/** What is missing, and since when. */
export function logLossText({ kept, missing, provenBy, seenAtMs }: LogLoss): string {
  const by = namesOf(provenBy)
  const end = kept.position === 0 ? 'it is empty or gone' : `it ends at position ${kept.position}`
  if (!missing) {
    return kept.position === 0
      ? `${end}, but ${by} was made beside it`
      : `it is not the log that ${by} saw: another event stands at its position`
  }
  return `${end}${dated(kept.atMs)}, but by ${by} it had come to position ${missing.last}${dated(seenAtMs)}: the events from position ${missing.first} on are missing`
}

function namesOf(files: readonly string[]): string {
  return new Intl.ListFormat('en').format(files)
}

function dated(ms: number | undefined): string {
  return ms === undefined ? '' : ` (${isoTime(ms)})`
}
