/** The lists' part of the service: whom an account lets through, whom it refuses, and whatever else its rules ask for. */

import type { Call, Page, PageRequest, Seen, Written } from '../../domain/call.ts'
import type { FailureDetail } from '../../domain/failure.ts'
import type { ListKind } from '../../domain/lists.ts'

/** A list that an account's authors have made. */
export interface ListView extends ListInput {
  readonly id: string
}

export interface ListInput extends ListChange {
  /** As rules write it. */
  readonly name: string
  readonly kind: ListKind
}

export interface ListChange {
  readonly description?: string
}

/** An entry of a list; times in ISO 8601 UTC. */
export interface EntryView {
  readonly value: string
  /** Since when it stands on the list. */
  readonly created_at: string
  readonly reason?: string
  readonly expires_at?: string
}

/** What somebody did with an entry. */
export interface EntryChange {
  readonly change: 'added' | 'changed' | 'deleted'
  /** ISO 8601 UTC. */
  readonly at: string
  /** Id of the token. */
  readonly by: string
  readonly reason?: string
  readonly expires_at?: string
  readonly position: string
}

export interface EntryInput extends ListOf {
  readonly value: string
  readonly reason?: string
  /** In milliseconds since the Unix epoch; undefined for an entry that stays. */
  readonly expiresAtMs?: number
}

/** A line of an import: an entry, or what is wrong with it. */
export interface ImportLine {
  /** From 1. */
  readonly line: number
  readonly input?: Omit<EntryInput, 'list'>
  readonly details?: readonly FailureDetail[]
}

/** What became of a line; the last answer is of all of them, unless one failed. */
export type ImportAnswer =
  | {
      readonly line: number
      readonly value: string
      readonly result: 'added' | 'changed' | 'unchanged'
    }
  | {
      readonly line: number
      readonly value?: string
      readonly result: 'refused'
      readonly details: readonly FailureDetail[]
    }
  | {
      readonly line: number
      readonly value: string
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
  /** `allow` or `block`, the phone lists that every account has, or the id of one that its authors have made. */
  readonly list: string
}

/**
 * Every function throws `access_not_enabled`: for phone lists on an account that may not manage its verification settings, for all others
 * on one that may not author. Those of one list throw `not_found`.
 */
export interface ListsPart {
  readonly lists: {
    /** Throws `conflict` for a name that is taken. */
    readonly create: (call: Call, input: ListInput) => Promise<Written<ListView>>
    /** Only what it says of itself can change. */
    readonly change: (call: Call, id: string, change: ListChange) => Promise<Written<ListView>>
    /** Throws `list_in_use` while a rule asks it. */
    readonly remove: (call: Call, id: string) => Promise<Written<undefined>>
    readonly get: (call: Call, id: string) => Promise<Seen<ListView>>
    /** In the order in which they were made. */
    readonly list: (call: Call, page: PageRequest) => Promise<Seen<Page<ListView>>>
  }
  readonly entries: {
    /** Again is no error. Throws `invalid_request` for a value that is none of the list's kind and for an end that is not ahead, `conflict` when the list is full. */
    readonly add: (call: Call, input: EntryInput) => Promise<Written<Pick<EntryView, 'value'>>>
    /** What is not there is no error. */
    readonly remove: (
      call: Call,
      input: Omit<EntryInput, 'expiresAtMs'>,
    ) => Promise<Written<Pick<EntryView, 'value'>>>
    /** In the order in which they were added; a page may have fewer than asked for though it is not the last. */
    readonly list: (call: Call, asked: ListOf & PageRequest) => Promise<Seen<Page<EntryView>>>
    /** All of them, page by page as they are taken; the first is there already. */
    readonly listAll: (
      call: Call,
      asked: ListOf & Pick<PageRequest, 'minPosition'>,
    ) => Promise<Seen<AsyncIterable<readonly EntryView[]>>>
    /** Adds line by line as the answers are taken, as many together as are there; each is on disk when it is answered. */
    readonly importEntries: (
      call: Call,
      asked: ListOf,
      lines: AsyncIterable<ImportLine>,
    ) => Promise<AsyncIterable<readonly ImportAnswer[]>>
    /** The oldest first. */
    readonly history: (
      call: Call,
      asked: Pick<EntryInput, 'list' | 'value'> & PageRequest,
    ) => Promise<Seen<Page<EntryChange>>>
  }
}
