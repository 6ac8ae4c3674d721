/** Declares the lists of an account (spec 4.3), kinds and subjects of entries, and reasons. */

/** Numbers on the allow list bypass anti-fraud checks, those on the block list are refused (spec 1). */
export const phoneLists = ['allow', 'block'] as const

export type PhoneList = (typeof phoneLists)[number]

export const listKinds = [
  'phone_number',
  'email_address',
  'email_domain',
  'ip_range',
  'text',
] as const

export type ListKind = (typeof listKinds)[number]

/** A list of an account. */
export interface ListAddress {
  /** A phone list by its name, any other by its id. */
  readonly list: string
  readonly kind: ListKind
}

/** Whether the list is one of the two that every account has. */
export function isPhoneList(list: string): list is PhoneList {
  return phoneLists.some((known) => known === list)
}

/** The subject of a value by its kind: numbers and addresses are a person's, every other value is its own subject. */
export const subjectKindByListKind = {
  phone_number: 'phone',
  email_address: 'email',
  email_domain: 'email_domain',
  ip_range: 'ip',
  text: 'text',
} as const satisfies Readonly<Record<ListKind, string>>

/** How long expired entries are still stored, since clocks of instances differ. */
export const expiredEntryRetentionMs = 60 * 60 * 1_000

/** Whether the text can be the reason of an entry: no control characters or newlines, no lone surrogates. */
export function isEntryReason(text: string): boolean {
  return !/\p{Cc}|\p{Surrogate}/u.test(text)
}

/** A reason with a space for each newline or control character, and U+FFFD for each lone surrogate. */
export function asEntryReason(text: string): string {
  return text.replace(/\r\n|\p{Cc}/gu, ' ').replace(/\p{Surrogate}/gu, '\ufffd')
}
