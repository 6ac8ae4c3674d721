/** The lists' part of the service: which phone numbers an account lets through, and which it refuses. */

import type { Call, Page, PageRequest, Seen, Written } from '../../domain/call.ts'
import type { FailureDetail } from '../../domain/failure.ts'
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

/** A line of an import: an entry, or what is wrong with it. */
export interface ImportLine {
  /** From 1. */
  readonly line: number
  readonly input?: PhoneNumberInput
  readonly details?: readonly FailureDetail[]
}

/** What became of a line; the last answer is of all of them, unless one failed. */
export type ImportAnswer =
  | {
      readonly line: number
      readonly phone_number: string
      readonly result: 'added' | 'changed' | 'unchanged'
    }
  | {
      readonly line: number
      readonly phone_number?: string
      readonly result: 'refused'
      readonly details: readonly FailureDetail[]
    }
  | {
      readonly line: number
      readonly phone_number: string
      readonly result: 'failed'
      readonly code: string
      readonly message: string
    }
  | {
      readonly result: 'done'
      readonly added: number
      readonly changed: number
      readonly unchanged: number
      readonly refused: number
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
    /** Adds line by line as the answers are taken; each is on disk when it is answered. */
    readonly importNumbers: (
      call: Call,
      lines: AsyncIterable<ImportLine>,
    ) => Promise<AsyncIterable<ImportAnswer>>
    /** The oldest first. */
    readonly history: (
      call: Call,
      asked: Pick<PhoneNumberInput, 'list' | 'phone_number'> & PageRequest,
    ) => Promise<Seen<Page<PhoneNumberChange>>>
  }
}
