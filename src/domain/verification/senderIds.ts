/** Checks the form of sender IDs (spec 4.3); declares their statuses and limit per account. */

import { optional, text } from '../jsonSchema.ts'
import { nameCharacter } from '../text/quoteText.ts'

export const senderIdStatuses = ['pending', 'approved', 'rejected'] as const

export type SenderIdStatus = (typeof senderIdStatuses)[number]

/** A schema for each field of a sender ID. */
export const senderIdFields = {
  sender_id: text,
  status: { type: 'string', enum: senderIdStatuses },
  reason: optional({
    type: 'string',
    description: "Reason of the operator's decision; absent while pending or when none was given.",
  }),
} as const

/** Sender IDs of an account, rejected ones included: few enough for one page. */
export const senderIdsMax = 500

const alphanumeric = /^(?=.*[A-Za-z])(?! )[A-Za-z0-9 &+._-]{1,11}(?<! )$/
const numeric = /^\d{3,15}$/

/**
 * Whether networks can show the text as a sender: 1 to 11 letters, digits, spaces inside and `&+-._`, with at least one
 * letter; or a number of 3 to 15 digits. Upper and lower case differ.
 */
export function isSenderId(text: string): boolean {
  return alphanumeric.test(text) || numeric.test(text)
}

/** What a sender ID must be, and why this text is none. */
export function describeSenderIdRefusal(text: string): string {
  const form =
    'Must be 1 to 11 letters, digits, spaces inside and &+-._ with at least one letter, or a number of 3 to 15 digits'
  return `${form}; ${findSenderIdFault(text)}.`
}

function findSenderIdFault(text: string): string {
  const odd = /[^A-Za-z0-9 &+._-]/u.exec(text)
  if (odd) return `this one has ${nameCharacter(odd[0])}`
  if (/^ | $/.test(text)) return 'this one has a space at an end'
  if (/[A-Za-z]/.test(text)) return `this one has ${text.length} characters`
  return /^\d+$/.test(text) ? `this one has ${text.length} digits` : 'this one has no letter'
}
