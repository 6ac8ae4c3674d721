/** Checks the form of sender IDs (spec 4.3); declares their statuses and limit per account. */

/** The statuses of a submitted sender ID. */
export const senderIdStatuses = ['pending', 'approved', 'rejected'] as const

export type SenderIdStatus = (typeof senderIdStatuses)[number]

/** Sender IDs of an account, rejected ones included: few enough for one page. */
export const senderIdsMax = 500

const alphanumeric = /^(?=.*[A-Za-z])(?! )[A-Za-z0-9 &+._-]{1,11}(?<! )$/
const numeric = /^\d{3,15}$/

/**
 * Whether networks can show the text as a sender: 1 to 11 letters, digits, spaces inside and `&+-._`, with at least one letter; or a number
 * of 3 to 15 digits. Upper and lower case differ.
 */
export function isSenderId(text: string): boolean {
  return alphanumeric.test(text) || numeric.test(text)
}
