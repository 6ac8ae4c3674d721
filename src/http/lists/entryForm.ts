/** Declares what differs between phone lists and named lists: routes, schemas, entries. */

import type { EntryInput } from '../../commands/lists/changeListEntries.ts'
import { type FailureCode, type FailureDetail, invalidRequest } from '../../domain/failure.ts'
import {
  closedObject,
  type FieldTable,
  openObject,
  optional,
  pageSchema,
  type Schema,
  text,
} from '../../domain/jsonSchema.ts'
import { isEntryReason } from '../../domain/lists/lists.ts'
import type { AccountPrincipal } from '../../domain/principal.ts'
import type { OpenedPerson } from '../../domain/shownPersons.ts'
import { quoteText } from '../../domain/text/quoteText.ts'
import { parseIsoTimeMs } from '../../engine/language/values/time.ts'
import { type EntryView, entryFields } from '../../queries/lists/entries.ts'
import { entryChangeFields } from '../../queries/lists/entryHistory.ts'
import type { Access } from '../request/access.ts'
import type { PathParameter } from '../request/pathParameters.ts'

/** Characters of what somebody says about an entry. */
const reasonMax = 500

const reason = optional({
  type: 'string',
  minLength: 1,
  maxLength: reasonMax,
  description: 'Without control characters, such as line breaks.',
})
const expiresAt = optional({
  type: 'string',
  maxLength: 40,
  description: 'Expiry of the entry, ISO 8601 with a zone. Without it the entry does not expire.',
})

/** How the lists of one kind and their entries appear. */
interface EntryNames {
  /** Of the entries of one list, whose parameter names the list. */
  readonly path: string
  readonly tag: string
  readonly ids: Readonly<Record<string, PathParameter>>
  readonly failures: readonly FailureCode[]
  readonly access: Access<AccountPrincipal>
  /** By which all their values are read; auditors find them sealed in `GET /v2/watch/audit/state`. */
  readonly valueAccess: Access<AccountPrincipal>
  /** Under which the value of an entry stands. */
  readonly field: string
  /** Under which a page lists them. */
  readonly plural: string
  /** What an entry and many are called in operation ids and in the titles of schemas. */
  readonly title: { readonly one: string; readonly many: string }
  /** What an entry and many are called. */
  readonly words: { readonly one: string; readonly many: string }
  /** Characters of a value as somebody may write it. */
  readonly valueMax: number
  /** What the value is in a body, and in the query for its history. */
  readonly meaning: { readonly body: string; readonly query: string }
  /** The value as a query gives it: without what a client's encoding has made of it. */
  readonly decodeQueryValue: (text: string) => string
  /** An entry for examples, as it may be sent. */
  readonly example: { readonly value: string; readonly reason: string }
}

export type EntryForm = ReturnType<typeof buildEntryForm>

export function buildEntryForm(names: EntryNames) {
  const { path, tag, access, ids, failures, field, plural, meaning, valueMax, title } = names
  const value: Schema = { type: 'string', minLength: 1, maxLength: valueMax }
  const given: FieldTable = { [field]: { ...value, description: meaning.body } }
  const shown: FieldTable = { [field]: text }
  const { one } = title
  return {
    ...names,
    /** What all routes of the entries declare alike. */
    common: { path, tag, access, ids, failures },
    value,
    schemas: {
      input: closedObject(`${one}Input`, { ...given, reason, expires_at: expiresAt }),
      deletion: closedObject(`${one}Deletion`, { ...given, reason }),
      listed: openObject(`Listed${one}`, shown),
      page: pageSchema(`${one}Page`, plural, openObject(one, { ...shown, ...entryFields })),
      history: pageSchema(
        `${one}History`,
        'changes',
        openObject(`${one}Change`, entryChangeFields),
      ),
    },
  }
}

/** A validated body: the value is under the field name of its list. */
export interface EntryBody {
  readonly [field: string]: string | undefined
  readonly reason?: string
  readonly expires_at?: string
}

/** The list that the path names. */
export function readListId(ids: Readonly<Record<string, string>>): string {
  const [list = ''] = Object.values(ids)
  return list
}

/** Reads the entry of a body. Throws `invalid_request` for a `reason` with line breaks or an invalid `expires_at`. */
export function readEntryInput({ field }: EntryForm, given: EntryBody): Omit<EntryInput, 'list'> {
  const { [field]: value = '', reason, expires_at } = given
  const expiresAtMs = expires_at === undefined ? undefined : parseIsoTimeMs(expires_at)
  const problems = findReasonProblems(reason)
  if (expires_at !== undefined && expiresAtMs === undefined) {
    const message = `Must be a time in ISO 8601 with a zone, not ${quoteText(expires_at)}.`
    problems.push({ path: 'expires_at', message })
  }
  if (problems.length > 0) throw invalidRequest(problems)
  return {
    value,
    ...(reason !== undefined && { reason }),
    ...(expiresAtMs !== undefined && { expiresAtMs }),
  }
}

/** The problem of a reason with control characters, such as line breaks. */
export function findReasonProblems(reason = ''): FailureDetail[] {
  if (isEntryReason(reason)) return []
  const message = 'Must be well-formed text without control characters, such as line breaks.'
  return [{ path: 'reason', message }]
}

/** The numbers and addresses among values in canonical form, of whatever list. */
export function findListedPersons(values: readonly string[]): readonly OpenedPerson[] {
  return values.flatMap((value): readonly OpenedPerson[] => {
    if (/^\+\d+$/.test(value)) return [{ kind: 'phone_number', value }]
    return /^\S+@\S+$/.test(value) ? [{ kind: 'email_address', value }] : []
  })
}

/** The response form of an entry: its value under the field name of its list. */
export function renderEntry({ field }: EntryForm, entry: object): object {
  return Object.fromEntries(
    Object.entries(entry).map(([name, value]) => [name === 'value' ? field : name, value]),
  )
}

/** Same, for many entries. */
export function renderEntries(form: EntryForm, entries: readonly EntryView[]): readonly object[] {
  return entries.map((entry) => renderEntry(form, entry))
}
