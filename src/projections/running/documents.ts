/** Reads a projection's documents, typed, from the version that is active for readers. */

import { unavailable } from '../../domain/failure.ts'
import type {
  Collection,
  FindQuery,
  Range,
  ReadStore,
  StoredDocument,
} from '../../stores/readStore.ts'
import type { DocumentCollection } from './projection.ts'
import type { Projections } from './projectionState.ts'

/** A document with its id. */
export interface FoundDocument<Document> {
  readonly id: string
  readonly body: Document
}

type Field<Document> = keyof Document & string

/** A question to the documents of a collection; see `FindQuery`. */
export interface DocumentQuery<Document> extends Omit<FindQuery, 'where' | 'sort'> {
  readonly where: { readonly [Name in Field<Document> | 'id']?: string | number | boolean | Range }
  readonly sort?: readonly (Field<Document> | `-${Field<Document>}`)[]
}

/** The document of this id; undefined when there is none. Throws `Failure` `unavailable`. */
export async function getDocument<Document extends object>(
  readers: Readers,
  collection: DocumentCollection<Document>,
  id: string,
): Promise<FoundDocument<Document> | undefined> {
  const found = await readers.documents.get(activeCollection(readers, collection), id)
  return found && toTypedDocument(found)
}

/** Few, since each may be large, and nothing else is answered meanwhile. */
const loadedAtOnce = 50

/** The documents of these ids, without those that there are none of. Throws `Failure` `unavailable`. */
export async function getDocuments<Document extends object>(
  readers: Readers,
  collection: DocumentCollection<Document>,
  ids: Iterable<string>,
): Promise<ReadonlyMap<string, Document>> {
  const documents = new Map<string, Document>()
  const wanted = [...new Set(ids)]
  for (let at = 0; at < wanted.length; at += loadedAtOnce) {
    const some = wanted.slice(at, at + loadedAtOnce)
    const found = await readers.documents.load(activeCollection(readers, collection), some)
    for (const { id, body } of found) {
      if (body) documents.set(id, toTypedDocument<Document>({ id, body }).body)
    }
  }
  return documents
}

/** The documents that the question is for, in its order. Throws `Failure` `unavailable`. */
export async function findDocuments<Document extends object>(
  readers: Readers,
  collection: DocumentCollection<Document>,
  question: DocumentQuery<Document>,
): Promise<readonly FoundDocument<Document>[]> {
  // a field that the question leaves out is absent, never undefined
  const asked = question as FindQuery
  const found = await readers.documents.find(activeCollection(readers, collection), asked)
  return found.map<FoundDocument<Document>>(toTypedDocument)
}

/**
 * The one place where what a store keeps becomes what the projection declares: nobody else writes to its collections.
 */
function toTypedDocument<Document>({
  id,
  body,
}: Pick<StoredDocument, 'id' | 'body'>): FoundDocument<Document> {
  return { id, body: body as unknown as Document }
}

export interface Readers {
  readonly documents: Pick<ReadStore, 'get' | 'find' | 'load'>
  /** The version of each projection that readers use. */
  readonly projections: Pick<Projections, 'active' | 'passed'>
}

/**
 * The position that these collections have passed, to be fixed before the first read of whatever can be followed or
 * paged. Up to it every document can be read; behind it some are shown before earlier ones, so nothing there is looked
 * at or answered. Throws `Failure` `unavailable` when one is not built yet, and when a position is asked for that they
 * have not passed: another instance is ahead.
 */
export function fixEnd(
  readers: Pick<Readers, 'projections'>,
  collections: readonly DocumentCollection<object>[],
  asked?: number,
): number {
  for (const one of collections) activeCollection(readers, one)
  const passed = readers.projections.passed(collections.map(({ projection }) => projection))
  if (asked === undefined || asked <= passed) return asked ?? passed
  throw unavailable(`The read models stand at position ${passed} and have not reached ${asked}.`, 1)
}

/**
 * The collection in the version that readers use. While a new version is being built that is the one before, so a
 * question must understand the documents of both. Throws `Failure` `unavailable` when no version has been built yet.
 */
export function activeCollection(
  { projections }: { readonly projections: Pick<Projections, 'active'> },
  collection: DocumentCollection<object>,
): Collection {
  const version = projections.active(collection.projection)
  if (version === undefined) {
    throw unavailable('What you ask for is being built from the log; try again.', 5)
  }
  return version === collection.version ? collection : { ...collection, version }
}

/** The place in a list behind which it goes on. */
export type After = NonNullable<FindQuery['after']>

/** Which documents are read in order. */
export interface DocumentReading<Document extends object> {
  readonly question: Pick<DocumentQuery<Document>, 'where' | 'sort'>
  readonly after?: After | undefined
  /** So many in one step. */
  readonly readAtOnce: number
}

/** All documents of the question behind `after`, page by page. */
export async function* readDocumentPages<Document extends object>(
  readers: Readers,
  collection: DocumentCollection<Document>,
  { question, after, readAtOnce }: DocumentReading<Document>,
): AsyncGenerator<readonly FoundDocument<Document>[], void, undefined> {
  for (let from = after; ; ) {
    const asked = { ...question, limit: readAtOnce, ...(from && { after: from }) }
    const page = await findDocuments(readers, collection, asked)
    yield page
    const last = page.at(-1)
    if (!last || page.length < readAtOnce) return
    from = toAfter(last, listSortFields(question))
  }
}

/** The fields that a list is sorted by. */
export function listSortFields({
  sort = [],
}: {
  readonly sort?: readonly string[]
}): readonly string[] {
  return sort.map((field) => field.replace(/^-/, ''))
}

/** Where a list sorted by these fields goes on after this document. */
export function toAfter({ id, body }: FoundDocument<object>, fields: readonly string[]): After {
  // fields of an index are texts and numbers
  return { id, values: fields.map((field) => Reflect.get(body, field)) as After['values'] }
}
