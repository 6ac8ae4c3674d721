/** Finds the hours or days of a time zone that a question is about, and what answers it. */

import { invalidRequest } from '../../../domain/failure.ts'
import {
  findNextStart,
  findStart,
  stepDaysBack,
  type TimeZone,
  utc,
} from '../../../domain/text/timeZone.ts'
import {
  type CountedUnit,
  dayMs,
  hourMs,
  hoursAskedMs,
} from '../../../projections/analysis/counts.ts'
import type { CountsQuery } from './sumCounts.ts'

/** Hours or days of one question. */
const bucketsMax = 1_000

interface TimesAsked {
  /** Milliseconds since the Unix epoch, included; a week before the end when undefined. */
  readonly fromMs?: number
  /** The same, excluded; now when undefined. */
  readonly toMs?: number
  readonly by: CountedUnit
  readonly zone: TimeZone
}

/**
 * The whole hours or days of the zone that have something of the range asked for, and have begun. Throws
 * `invalid_request` for a range that is empty or too long.
 */
export function findTimes(
  asked: TimesAsked,
  nowMs: number,
): Pick<CountsQuery, 'starts' | 'unit' | 'finishedMs' | 'weekBefore'> {
  const { by, zone } = asked
  // one more, so that the bucket of now is in it
  const endMs = Math.min(asked.toMs ?? nowMs + 1, nowMs + 1)
  const lastMs = findStart(zone, endMs - 1, by)
  const behindMs = findNextStart(zone, lastMs, by)
  const startMs = Math.max(0, asked.fromMs ?? stepDaysBack(zone, behindMs, 7))
  const fromMs = findStart(zone, startMs, by)
  if (fromMs > lastMs)
    throw invalidRequest([{ path: 'from', message: 'Must be before to, and not in the future.' }])
  const starts = listStarts({ zone, by, fromMs, lastMs })
  const finishedMs = Math.max(fromMs, Math.min(behindMs, findStart(zone, nowMs, 'hour')))
  const weekBefore = {
    fromMs: Math.max(0, stepDaysBack(zone, fromMs, 7)),
    toMs: Math.max(0, stepDaysBack(zone, finishedMs, 7)),
  }
  const isOfDays = by === 'day' && zone === utc
  const isOfHours = starts.every((start) => start % hourMs === 0) && areHoursKept(fromMs, nowMs)
  const unit = isOfDays ? 'day' : isOfHours ? 'hour' : 'evaluation'
  return { starts, unit, finishedMs, weekBefore }
}

interface StartsAsked {
  readonly zone: TimeZone
  readonly by: CountedUnit
  readonly fromMs: number
  /** Of the last hour or day. */
  readonly lastMs: number
}

/** The start of each hour or day, and the end of the last. Throws `invalid_request` for too many. */
function listStarts({ zone, by, fromMs, lastMs }: StartsAsked): readonly number[] {
  const starts = [fromMs]
  for (let start = fromMs; start <= lastMs && starts.length <= bucketsMax; ) {
    start = findNextStart(zone, start, by)
    starts.push(start)
  }
  if ((starts.at(-1) ?? 0) > lastMs) return starts
  const other = by === 'hour' ? ', or by day' : ''
  const message = `Must be at most ${bucketsMax} ${by}s before to; ask for a shorter range${other}.`
  throw invalidRequest([{ path: 'from', message }])
}

/** A day more, so that one that begins 400 days ago is among them in every zone. */
function areHoursKept(fromMs: number, nowMs: number): boolean {
  return fromMs >= nowMs - hoursAskedMs - dayMs
}
