/** Declares the retention of evidence with its stream type, and shows it. */

import {
  countSchema,
  openObject,
  optional,
  type TypeOf,
  timeSchema,
} from '../../domain/jsonSchema.ts'
import { isoTime } from '../../domain/text/isoTime.ts'
import {
  evolveRetention,
  noRetention,
  type Retention,
  type RetentionEvent,
} from '../../events/audit/retention.ts'
import type { FoldedStreamCache } from '../folding/foldedStreamCache.ts'
import type { StreamType } from '../folding/streamType.ts'

/** A schema of days. */
export const retentionDays = {
  type: 'integer',
  minimum: 1,
  maximum: 36_500,
  description:
    'Older evidence and dispatches are erased, at most 30 days later: a sealing key covers that long.',
} as const

export const retentionSchema = openObject('Retention', {
  evaluations_days: optional({
    ...retentionDays,
    description: 'Absent while evidence is kept for ever.',
  }),
  erased_until: optional({
    ...timeSchema,
    description: 'The evidence of evaluations up to this time is erased.',
  }),
  evaluations_erased: { ...countSchema, description: 'Number since the retention was set.' },
  dispatches_erased: { ...countSchema, description: 'Number since the retention was set.' },
  keys_destroyed: { ...countSchema, description: 'Number since the retention was set.' },
})
export type RetentionView = TypeOf<typeof retentionSchema>

export interface RetentionStreams {
  readonly retentions: FoldedStreamCache<Retention, RetentionEvent>
}

export const retentionStreamType: StreamType<Retention, RetentionEvent> = {
  initial: () => noRetention,
  evolve: evolveRetention,
  estimateBytes: () => 0,
}

export function toRetentionView({ days, until, ...counts }: Retention): RetentionView {
  return {
    ...(days !== undefined && { evaluations_days: days }),
    ...(until && { erased_until: isoTime(until.time) }),
    evaluations_erased: counts.evaluations,
    dispatches_erased: counts.dispatches,
    keys_destroyed: counts.keys,
  }
}
