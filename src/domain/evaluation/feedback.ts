/** Declares types, labels, confidences, targets and batch size of feedback and reported events. */

import { inputLimits, openObject, type TypeOf } from '../jsonSchema.ts'

export const feedbackTypes = ['verification.started', 'verification.completed'] as const
export type FeedbackType = (typeof feedbackTypes)[number]

/** How confident the caller is in a reported event. */
export const confidences = ['maximum', 'high', 'neutral', 'low', 'minimum'] as const
export type Confidence = (typeof confidences)[number]

/** The label is stored in clear and must not name a person: no `@`, `+` or space. */
export const labelSchema = {
  type: 'string',
  minLength: 1,
  maxLength: 128,
  pattern: '^[A-Za-z0-9][A-Za-z0-9._:/-]*$',
} as const

export const targetTypes = ['phone_number', 'email_address'] as const
export type TargetType = (typeof targetTypes)[number]

export const reportedTargetSchema = openObject('ReportedTarget', {
  type: { type: 'string', enum: targetTypes },
  value: {
    type: 'string',
    maxLength: inputLimits.stringSchema,
    description: 'A phone number in international form, or an email address.',
  },
})
/** The end user of a report; the value is canonical once it is checked. */
export type ReportedTarget = TypeOf<typeof reportedTargetSchema>

/** What a report says beside its target, and is recorded in clear. */
export interface ClearDetails {
  readonly evaluation_id?: string
  /** Milliseconds since the Unix epoch. */
  readonly occurred_at?: number
  /** Decimal text. */
  readonly amount?: string
  readonly currency?: string
}

/** These alone, as far as they were said. */
export function pickDetails(from: ClearDetails): ClearDetails {
  const { evaluation_id, occurred_at, amount, currency } = from
  return {
    ...(evaluation_id !== undefined && { evaluation_id }),
    ...(occurred_at !== undefined && { occurred_at }),
    ...(amount !== undefined && { amount }),
    ...(currency !== undefined && { currency }),
  }
}

/** Entries of a batch: of feedback, or of events. */
export const reportBatchMax = 100
