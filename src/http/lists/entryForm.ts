/** Declares what differs between routes of phone lists and named lists; converts entries. */

import type { EntryInput } from '../../commands/lists/entries.ts'
import { type FailureCode, type FailureDetail, invalidRequest } from '../../domain/failure.ts'
import { isEntryReason } from '../../domain/lists/lists.ts'
import type { AccountPrincipal } from '../../domain/principal.ts'
import { isoTimeMs } from '../../engine/language/values/time.ts'
import type { EntryView } from '../../queries/lists/entries.ts'
import type { Access, PathParameter, QueryParameter } from '../request/route.ts'
import type { EntrySchemas, GivenEntry } from './entrySchemas.ts'
import type { ListShares } from './listShares.ts'

export interface EntryForm {
  /** Of the entries of one list. */
  readonly path: string
  readonly tag: string
  readonly ids: Readonly<Record<string, PathParameter>>
  readonly failures: readonly FailureCode[]
  readonly access: Access<AccountPrincipal>
  /** The list that the path names. */
  readonly listIn: (ids: Readonly<Record<string, string>>) => string
  /** Under which the value of an entry stands. */
  readonly field: string
  /** Under which a page lists them. */
  readonly plural: string
  /** What an entry and many are called in operation ids. */
  readonly operation: { readonly one: string; readonly many: string }
  /** What an entry and many are called. */
  readonly words: { readonly one: string; readonly many: string }
  readonly schemas: EntrySchemas
  /** The value whose history is asked for. */
  readonly asked: QueryParameter
  /** The value as a query gives it: without what a client's encoding has made of it. */
  readonly askedValue: (text: string) => string
  /** An entry for examples, as it may be sent. */
  readonly example: { readonly value: string; readonly reason: string }
}

export interface EntryRoutesOf {
  readonly form: EntryForm
  readonly shares: ListShares
}

/** Reads the entry of a body. Throws `invalid_request` for a `reason` with line breaks or an invalid `expires_at`. */
export function entryOf({ field }: EntryForm, given: GivenEntry): Omit<EntryInput, 'list'> {
  const { [field]: value = '', reason, expires_at } = given
  const expiresAtMs = expires_at === undefined ? undefined : isoTimeMs(expires_at)
  const problems: FailureDetail[] = []
  if (reason !== undefined && !isEntryReason(reason)) problems.push(brokenReason)
  if (expires_at !== undefined && expiresAtMs === undefined) problems.push(noTime)
  if (problems.length > 0) throw invalidRequest(problems)
  return {
    value,
    ...(reason !== undefined && { reason }),
    ...(expiresAtMs !== undefined && { expiresAtMs }),
  }
}

const brokenReason: FailureDetail = {
  path: 'reason',
  message: 'Must be well-formed text without control characters, such as line breaks.',
}
const noTime: FailureDetail = {
  path: 'expires_at',
  message: 'Must be a time in ISO 8601 with a zone.',
}

/** The response form of an entry: its value under the field name of its list. */
export function renderEntry({ field }: Pick<EntryForm, 'field'>, said: object): object {
  return Object.fromEntries(
    Object.entries(said).map(([name, value]) => [name === 'value' ? field : name, value]),
  )
}

/** Same, for many entries. */
export function renderEntries(
  form: Pick<EntryForm, 'field'>,
  entries: readonly EntryView[],
): readonly object[] {
  return entries.map((entry) => renderEntry(form, entry))
}
