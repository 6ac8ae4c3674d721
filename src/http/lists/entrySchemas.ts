/** Declares the schemas of list entries; the value's field is named by the type of list. */

import {
  type OptionalField,
  optional,
  pageSchema,
  type Schema,
  timeText,
} from '../../domain/schema.ts'
import type { EntryView } from '../../queries/lists/entries.ts'
import type { EntryChange } from '../../queries/lists/entryHistory.ts'
import { type Fields, inputSchema, viewSchema } from '../request/schema/fields.ts'

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
  const named = (of: Schema, table: Readonly<Record<string, Schema | OptionalField>>) =>
    // the compiler cannot tell a table by a name that is given
    ({ [field]: of, ...table }) as never
  const answered: Schema = { type: 'string' }
  const entry = viewSchema(title, named(answered, entryTable))
  return {
    input: inputSchema(`${title}Input`, named(value, { reason, expires_at: expiresAt })),
    deletion: inputSchema(`${title}Deletion`, named(value, { reason })),
    listed: viewSchema(`Listed${title}`, named(answered, {})),
    page: pageSchema(`${title}Page`, plural, entry),
    history: pageSchema(`${title}History`, 'changes', changeOf(title)),
  }
}

const entryTable = {
  created_at: timeText,
  reason: optional({ type: 'string' }),
  expires_at: optional(timeText),
} satisfies Fields<Omit<EntryView, 'value'>>

function changeOf(title: string): Schema {
  return viewSchema<EntryChange>(`${title}Change`, {
    change: { type: 'string', enum: ['added', 'changed', 'deleted'] },
    at: timeText,
    by: { type: 'string', description: 'Id of the token.' },
    reason: optional({ type: 'string' }),
    expires_at: optional(timeText),
    position: { type: 'string', description: 'In the log.' },
  })
}
