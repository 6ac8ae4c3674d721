/** Declares the events of reviews (streams `reviews-{account}`), and folds them. */

import { reviewAnswers } from '../../domain/evaluation/reviews.ts'
import { defineNonPersonalEvent, type EventOf } from '../recording/eventDefinition.ts'
import { epochMs, nonEmptyString, oneOf } from '../recording/eventSchema.ts'

const review = {
  search_id: nonEmptyString,
  evaluation_id: nonEmptyString,
  /** Id of the token. */
  by: nonEmptyString,
  at: epochMs,
}

export const reviewEvents = {
  /** Nobody else may answer for ten minutes; taken again by the same token, for ten minutes from then on. */
  ReviewTaken: defineNonPersonalEvent(review),
  /** The answer is recorded as a label after it. */
  ReviewAnswered: defineNonPersonalEvent({ ...review, answer: oneOf(reviewAnswers) }),
}

export type ReviewEvent = EventOf<typeof reviewEvents>

/** How long what is taken is kept for who took it, and how long an answer is known here. */
export const claimMs = 10 * 60_000

export interface Claim {
  readonly search_id: string
  readonly by: string
  /** When it was taken first. */
  readonly taken_at: number
  /** When it was taken last, or answered. */
  readonly at: number
  /** Of one that is answered: until the read models have its label. */
  readonly answer?: (typeof reviewAnswers)[number]
}

/** What was taken or answered in the last ten minutes, by the id of the evaluation, the oldest first. */
export type ReviewState = ReadonlyMap<string, Claim>

export const reviewStream = (account: string): string => `reviews-${account}`

export function evolveReviews(before: ReviewState, { type, data }: ReviewEvent): ReviewState {
  const { evaluation_id, ...claim } = data
  const known = before.get(evaluation_id)
  const isSame =
    type === 'ReviewTaken' &&
    known?.by === claim.by &&
    known.answer === undefined &&
    isInForce(known, claim.at)
  const after = new Map(before)
  after.delete(evaluation_id)
  for (const [id, { at }] of after) {
    if (isInForce({ at }, claim.at)) break
    after.delete(id)
  }
  return after.set(evaluation_id, { ...claim, taken_at: isSame ? known.taken_at : claim.at })
}

export function isInForce({ at }: Pick<Claim, 'at'>, nowMs: number): boolean {
  return nowMs < at + claimMs
}
