/** Declares the replays of an account with their stream type, and shows them. */

import {
  countSchema,
  openObject,
  optional,
  type TypeOf,
  text,
  timeSchema,
} from '../../domain/jsonSchema.ts'
import { isoTime } from '../../domain/text/isoTime.ts'
import {
  evolveReplays,
  type ReplayEvent,
  type ReplayRange,
  type ReplayState,
  type ReplayTotals,
} from '../../events/audit/replay.ts'
import type { FoldedStreamCache } from '../folding/foldedStreamCache.ts'
import { jobFields, toJobView } from '../folding/jobState.ts'
import type { StreamType } from '../folding/streamType.ts'

export const logPositionSchema = { type: 'string', pattern: '^[0-9]{1,15}$' } as const

const mismatchSchema = openObject('ReplayMismatch', {
  evaluation_id: text,
  position: logPositionSchema,
  reason: { type: 'string', description: 'What differs, or why it cannot be computed again.' },
})

/** A replay of all evaluations. */
export const replaySchema = openObject('ReplayOfAll', {
  ...jobFields,
  flow_id: optional(text),
  from: optional(timeSchema),
  to: optional(timeSchema),
  after: { ...logPositionSchema, description: 'It began behind this position of the log.' },
  end: { ...logPositionSchema, description: 'Where the log ended when it began.' },
  position: {
    ...logPositionSchema,
    description: 'Everything up to here has been replayed: `after` of a replay that goes on.',
  },
  match: { ...countSchema, description: 'The same to the byte.' },
  mismatch: countSchema,
  evidence_erased: { ...countSchema, description: 'Nobody can compute them any more.' },
  mismatches: { type: 'array', items: mismatchSchema, description: 'The first hundred.' },
  evaluations_per_second: countSchema,
  seconds_left: optional({ ...countSchema, description: 'By its pace until now.' }),
})
export type ReplayView = TypeOf<typeof replaySchema>

export interface ReplayStreams {
  readonly replays: FoldedStreamCache<readonly ReplayState[], ReplayEvent>
}

export interface ReplaySliceRequest extends ReplayRange {
  readonly account: string
  /** `position` of the slice before; absent in the first. */
  readonly readAfter?: number
}

export interface ReplaySliceResult extends ReplayTotals {
  /** Everything up to here has been replayed: the position of an event. */
  readonly position: number
}

const mismatchBytes = 500

export const replayStreamType: StreamType<readonly ReplayState[], ReplayEvent> = {
  initial: () => [],
  evolve: evolveReplays,
  estimateBytes: (replays) =>
    replays.reduce((sum, { mismatches }) => sum + mismatches.length, 0) * mismatchBytes,
}

export function toReplayView(replay: ReplayState, nowMs: number): ReplayView {
  const { flow_id, from_ms, to_ms, after, end, position, mismatches, ...of } = replay
  const { match, mismatch, evidence_erased } = of
  const job = toJobView(replay, nowMs)
  const seconds = (of.reported_at - of.started_at) / 1_000
  const isEstimated = job.state === 'RUNNING' && position > after
  const left = Math.ceil((seconds * (end - position)) / (position - after))
  return {
    ...job,
    ...(flow_id !== undefined && { flow_id }),
    ...(from_ms !== undefined && { from: isoTime(from_ms) }),
    ...(to_ms !== undefined && { to: isoTime(to_ms) }),
    after: String(after),
    end: String(end),
    position: String(position),
    match,
    mismatch,
    evidence_erased,
    mismatches: mismatches.map((one) => ({ ...one, position: String(one.position) })),
    evaluations_per_second:
      seconds > 0 ? Math.round((match + mismatch + evidence_erased) / seconds) : 0,
    ...(isEstimated && { seconds_left: left }),
  }
}
