/** The lists' part of the service: which phone numbers an account lets through, and which it refuses. */

import type { Call, Page, PageRequest, Seen, Written } from '../../domain/call.ts'
import type { PhoneList } from '../../domain/phoneLists.ts'

/** An entry of a list; times in ISO 8601 UTC. */
export interface PhoneNumberView {
  readonly phone_number: string
  /** Since when it stands on the list. */
  readonly created_at: string
  readonly reason?: string
  readonly expires_at?: string
}

/** What somebody did with an entry. */
export interface PhoneNumberChange {
  readonly change: 'added' | 'changed' | 'deleted'
  /** ISO 8601 UTC. */
  readonly at: string
  /** Id of the token. */
  readonly by: string
  readonly reason?: string
  readonly expires_at?: string
  readonly position: string
}

export interface PhoneNumberInput {
  readonly list: PhoneList
  /** E.164. */
  readonly phone_number: string
  readonly reason?: string
  /** In milliseconds since the Unix epoch; undefined for an entry that stays. */
  readonly expiresAtMs?: number
}

interface ListOf {
  readonly list: PhoneList
}

/** Every function throws `access_not_enabled` on an account that may not manage its verification settings. */
export interface ListsPart {
  readonly phoneNumbers: {
    /** Again is no error. Throws `invalid_request` for an end that is not ahead, `conflict` when the list is full. */
    readonly add: (
      call: Call,
      input: PhoneNumberInput,
    ) => Promise<Written<Pick<PhoneNumberView, 'phone_number'>>>
    /** What is not there is no error. */
    readonly remove: (
      call: Call,
      input: Omit<PhoneNumberInput, 'expiresAtMs'>,
    ) => Promise<Written<Pick<PhoneNumberView, 'phone_number'>>>
    /** In the order in which they were added; a page may have fewer than asked for though it is not the last. */
    readonly list: (call: Call, asked: ListOf & PageRequest) => Promise<Seen<Page<PhoneNumberView>>>
    /** All of them, page by page as they are taken; the first is there already. */
    readonly listAll: (
      call: Call,
      asked: ListOf & Pick<PageRequest, 'minPosition'>,
    ) => Promise<Seen<AsyncIterable<readonly PhoneNumberView[]>>>
    /** The oldest first. */
    readonly history: (
      call: Call,
      asked: Pick<PhoneNumberInput, 'list' | 'phone_number'> & PageRequest,
    ) => Promise<Seen<Page<PhoneNumberChange>>>
  }
}
