/** Declares the lists of an account: its two phone lists (spec 4.3) and the lists its authors name. */

/** Numbers on the allow list bypass anti-fraud checks, those on the block list are refused (spec 1). */
export const phoneLists = ['allow', 'block'] as const

export type PhoneList = (typeof phoneLists)[number]

/** What the entries of a list are. */
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

/** Whether it is one of the lists that every account has. */
export function isPhoneList(list: string): list is PhoneList {
  return phoneLists.some((known) => known === list)
}

/** The subject of a value by its kind: numbers and addresses are a person's, every other value is its own subject. */
export const subjectKinds = {
  phone_number: 'phone',
  email_address: 'email',
  email_domain: 'email_domain',
  ip_range: 'ip',
  text: 'text',
} as const satisfies Readonly<Record<ListKind, string>>
