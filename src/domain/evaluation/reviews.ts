/** Declares the answers of reviews, and the labels that record them. */

import type { Confidence } from './feedback.ts'

/** `withdrawn` takes an answer back: the evaluation waits again. */
export const reviewAnswers = ['fraud', 'legitimate', 'unsure', 'withdrawn'] as const
export type ReviewAnswer = (typeof reviewAnswers)[number]

const prefix = 'review.'

/** Characters of the note of an answer. */
export const reviewNoteMax = 1_000

/** The label and the confidence of an answer: by default, fraud and legitimate have the class of the same name. */
export function toReviewLabel(answer: ReviewAnswer) {
  const isSure = answer === 'fraud' || answer === 'legitimate'
  const confidence: Confidence = isSure ? 'high' : 'neutral'
  return { label: `${prefix}${answer}`, confidence }
}

/** Whether an event is the answer of a review: of those of an evaluation the last one alone counts. */
export function isReviewLabel(label: string): boolean {
  return reviewAnswers.some((answer) => label === `${prefix}${answer}`)
}

/** What a person has said of an evaluation, by its labels: `none` also where it was taken back. */
export const reviewStates = ['none', 'fraud', 'legitimate', 'unsure'] as const

export function findReviewState(labels: readonly string[]): string {
  const answer = labels.find(isReviewLabel)?.slice(prefix.length) ?? 'none'
  return answer === 'withdrawn' ? 'none' : answer
}
