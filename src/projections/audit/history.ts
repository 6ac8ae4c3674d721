/** Indexes the events of an account by type, stream, actor and subject. */

/*
 * Evaluations are left out: they are found by their own documents.
 */

import { versions } from '../../events/catalogue.ts'
import type { DomainEvent } from '../../events/recording/event.ts'
import { defineCollection, defineProjection, targetOnce } from '../running/projection.ts'

/** By position. */
export interface HistoryDocument {
  readonly account: string
  /** Position in the log. */
  readonly at: number
  /** Milliseconds since the Unix epoch. */
  readonly time: number
  readonly type: string
  readonly stream: string
  readonly revision: number
  /** The prefix of the stream's name. */
  readonly stream_type: string
  readonly actor: string
}

const identity = { name: 'history', version: 2 } as const

export const historyCollection = defineCollection<HistoryDocument>({
  projection: identity,
  indexes: [
    ['account', 'at'],
    ['account', 'time'],
    ['account', 'type', 'at'],
    ['account', 'stream_type', 'at'],
    ['account', 'actor', 'at'],
  ],
})

/** The same for each subject, by `{digest}/{position}`. */
export interface SubjectHistoryDocument extends HistoryDocument {
  /** Keyed digest. */
  readonly subject: string
}

export const subjectHistoryCollection = defineCollection<SubjectHistoryDocument>({
  projection: identity,
  name: 'subject_history',
  indexes: [['subject', 'at']],
})

/** An event that put a value on a list until a time, by position. */
export interface EntryEndDocument extends Pick<HistoryDocument, 'account' | 'at' | 'stream'> {
  /** Milliseconds since the Unix epoch. */
  readonly expires_at: number
}

export const entryEndCollection = defineCollection<EntryEndDocument>({
  projection: identity,
  name: 'entry_ends',
  indexes: [['account', 'expires_at']],
})

export const historyProjection = defineProjection<
  DomainEvent,
  HistoryDocument | SubjectHistoryDocument | EntryEndDocument
>({
  ...identity,
  collections: [historyCollection, subjectHistoryCollection, entryEndCollection],
  // every event type but evaluations: a second document of each would cost as much as the first
  eventTypes: [...versions.keys()].filter((type) => type !== 'FlowEvaluated'),
  targets: ({ event, metadata: { subjects = [] }, position }) => [
    targetOnce(historyCollection, String(position)),
    ...(readExpiry(event) === undefined ? [] : [targetOnce(entryEndCollection, String(position))]),
    ...[...new Set(subjects.map(({ digest }) => digest))].map((digest) =>
      targetOnce(subjectHistoryCollection, `${digest}/${position}`),
    ),
  ],
  apply: (_, { event, metadata, stream, revision, position: at }, { collection, id }) => {
    const { account, actor, time } = metadata
    const expires_at = readExpiry(event)
    if (collection === entryEndCollection)
      return { account, at, stream, expires_at } as EntryEndDocument
    const { type } = event
    const stream_type = parseStreamType(stream)
    const document = { account, at, time, type, stream, revision, stream_type, actor }
    if (collection !== subjectHistoryCollection) return document
    return { ...document, subject: id.slice(0, id.indexOf('/')) }
  },
})

/** When the value that the event puts on a list expires; undefined for every other event. */
function readExpiry({ type, data }: DomainEvent): number | undefined {
  if (type !== 'PhoneNumberListed' && type !== 'ListEntryAdded') return undefined
  return (data as { readonly expires_at?: number }).expires_at
}

/** The prefix of a stream's name, up to the first dash. */
export function parseStreamType(stream: string): string {
  return stream.slice(0, stream.indexOf('-'))
}
