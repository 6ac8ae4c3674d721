/** The lists of phone numbers that every account has (spec 4.3). */

/** Numbers on the allow list bypass anti-fraud checks, those on the block list are refused (spec 1). */
export const phoneLists = ['allow', 'block'] as const

export type PhoneList = (typeof phoneLists)[number]
