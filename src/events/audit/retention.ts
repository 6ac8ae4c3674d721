/** Declares the events of evidence retention (streams `retention-{account}`), and folds them. */

import { type Definitions, plain } from '../recording/definition.ts'
import type { DomainEvent } from '../recording/event.ts'
import { integerFrom, object, time, word } from '../recording/schema.ts'

/** An evaluation by its position in time. */
export interface Passed {
  /** Milliseconds since the Unix epoch. */
  readonly time: number
  readonly evaluation_id: string
}

export type RetentionEvent =
  /** From now on evidence is destroyed that is older, from the first evaluation of the account on. */
  | DomainEvent<'RetentionSet', { readonly evaluations_days: number }>
  | DomainEvent<'RetentionEnded', Readonly<Record<never, never>>>
  /** The keys of so many evaluations were destroyed before this. */
  | DomainEvent<
      'EvidenceExpired',
      {
        /** The last of them: the next step begins behind it. */
        readonly until: Passed
        readonly evaluations: number
        readonly keys: number
      }
    >

/** What an account has set, and how far that has been carried out. */
export interface Retention {
  /** Undefined while evidence is kept for ever. */
  readonly days?: number
  /** Since it was set. */
  readonly until?: Passed
  readonly evaluations: number
  readonly keys: number
}

export const noRetention: Retention = { evaluations: 0, keys: 0 }

export const retentionStream = (account: string): string => `retention-${account}`

/** The retention after one more event. */
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
        until: data.until,
        evaluations: before.evaluations + data.evaluations,
        keys: before.keys + data.keys,
      }
  }
}

export const retentionEvents: Definitions<RetentionEvent> = {
  RetentionSet: plain(object({ evaluations_days: integerFrom(1) })),
  RetentionEnded: plain(object({})),
  EvidenceExpired: plain(
    object({
      until: object({ time, evaluation_id: word }),
      evaluations: integerFrom(1),
      keys: integerFrom(0),
    }),
  ),
}
