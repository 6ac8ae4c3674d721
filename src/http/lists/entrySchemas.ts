/** Declares the schemas of list entries; the value's field is named by the type of list. */

import {
  closedObject,
  type FieldTable,
  openObject,
  optional,
  pageSchema,
  type Schema,
  text,
} from '../../domain/schema.ts'
import { entryFields } from '../../queries/lists/entries.ts'
import { entryChangeFields } from '../../queries/lists/entryHistory.ts'

/** Characters of what somebody says about an entry. */
const reasonMax = 500

/** A validated body: the value is under the field name of its list. */
export interface GivenEntry {
  readonly [field: string]: string | undefined
  readonly reason?: string
  readonly expires_at?: string
}

/** How the entries of a kind of lists are called. */
interface EntryNames {
  /** Under which the value stands. */
  readonly field: string
  /** Of the value as it is sent. */
  readonly value: Schema
  /** What the titles of the schemas begin with. */
  readonly title: string
  /** Under which a page lists them. */
  readonly plural: string
}

export interface EntrySchemas {
  readonly input: Schema
  readonly deletion: Schema
  readonly listed: Schema
  readonly page: Schema
  readonly history: Schema
}

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

/** Of the entries of one kind of lists. */
export function entrySchemas({ field, value, title, plural }: EntryNames): EntrySchemas {
  const named = (of: Schema, table: FieldTable): FieldTable => ({ [field]: of, ...table })
  const entry = openObject(title, named(text, entryFields))
  const change = openObject(`${title}Change`, entryChangeFields)
  return {
    input: closedObject(`${title}Input`, named(value, { reason, expires_at: expiresAt })),
    deletion: closedObject(`${title}Deletion`, named(value, { reason })),
    listed: openObject(`Listed${title}`, named(text, {})),
    page: pageSchema(`${title}Page`, plural, entry),
    history: pageSchema(`${title}History`, 'changes', change),
  }
}
