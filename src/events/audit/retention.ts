/** Declares the events of evidence retention (streams `retention-{account}`), and folds them. */

import type { TypeOf } from '../../domain/jsonSchema.ts'
import { defineNonPersonalEvent, type EventOf } from '../recording/eventDefinition.ts'
import { epochMs, integerFrom, nonEmptyString, object } from '../recording/eventSchema.ts'

/** What an account has set, and how far that has been carried out. */
export interface Retention {
  /** Undefined while evidence is kept for ever. */
  readonly days?: number
  /** Since it was set. */
  readonly until?: RetentionPosition
  /** The position of the last dispatch in the log. */
  readonly dispatches_until?: number
  readonly evaluations: number
  readonly dispatches: number
  readonly keys: number
}

export const noRetention: Retention = { evaluations: 0, dispatches: 0, keys: 0 }

export const retentionStream = (account: string): string => `retention-${account}`

export function evolveRetention(before: Retention, { type, data }: RetentionEvent): Retention {
  switch (type) {
    case 'RetentionSet':
      return { ...noRetention, days: data.evaluations_days }
    case 'RetentionEnded': {
      const { days: _, ...done } = before
      return done
    }
    case 'EvidenceExpired':
      return {
        ...before,
        ...data,
        evaluations: before.evaluations + data.evaluations,
        dispatches: before.dispatches + data.dispatches,
        keys: before.keys + data.keys,
      }
  }
}

/** An evaluation by its position in time (milliseconds since the Unix epoch). */
const passed = object({ time: epochMs, evaluation_id: nonEmptyString })
type RetentionPosition = TypeOf<typeof passed>

export const retentionEvents = {
  /** From now on evidence is destroyed that is older, from the first evaluation and dispatch of the account on. */
  RetentionSet: defineNonPersonalEvent({ evaluations_days: integerFrom(1) }),
  RetentionEnded: defineNonPersonalEvent({}),
  /** The keys of so many evaluations and dispatches were destroyed; the next step begins behind the last. */
  EvidenceExpired: defineNonPersonalEvent(
    { evaluations: integerFrom(0), dispatches: integerFrom(0), keys: integerFrom(0) },
    { until: passed, dispatches_until: integerFrom(0) },
  ),
}

export type RetentionEvent = EventOf<typeof retentionEvents>
