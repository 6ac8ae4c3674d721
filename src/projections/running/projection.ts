/** Declares projections: pure functions that fold events into documents. */

import type { DecodedEvent, DomainEvent, EventMetadata } from '../../events/recording/event.ts'
import { isSealed } from '../../events/recording/sealing.ts'
import type { Collection, DocumentBody, FindQuery } from '../../stores/readStore.ts'

declare const documentKind: unique symbol

/** A collection that a projection fills with documents of one kind. */
export interface DocumentCollection<Document extends object> extends Collection {
  /** The name of the projection, whose active version readers use. */
  readonly projection: string
  /** For the compiler alone. */
  readonly [documentKind]?: Document
}

/** A document that an event touches. */
export interface DocumentTarget {
  readonly collection: Collection
  readonly id: string
  /**
   * The document never changes once it is written, so it is not read before. `unique`: no other event touches it.
   * `recurring`: others may, and while it is remembered that it is there it is not written again.
   */
  readonly once?: 'unique' | 'recurring'
}

/** A document that no other event touches. */
export function targetOnce(collection: Collection, id: string): DocumentTarget {
  return { collection, id, once: 'unique' }
}

/**
 * Documents that end at a time, after which no query answers them. They are deleted in steps, long after that, as if by
 * an event: a fold must make of such a document what it makes of none.
 */
export interface Expiry<Document extends object = DocumentBody, Field extends string = string> {
  readonly collection: Collection
  /**
   * From when on, in milliseconds since the Unix epoch: a field that has an index of its own. A document without it
   * stays.
   */
  readonly field: Field
  /** How long after the time of the field; none unless given. */
  readonly keptMs?: number
  /** What goes with such a document, and before it. */
  readonly alsoDeletes?: (document: Document) => Pick<FindQuery, 'where' | 'sort'> & {
    readonly collection: Collection
  }
}

/**
 * A read model kept up to date by one fold over the log. What is stored is the outcome of this code, so a change of it
 * that would have made other documents of past events, a newly handled type included, needs a new `version`: it then
 * fills new collections beside the old ones and readers switch when it has caught up (design 6).
 */
export interface Projection<Event extends DomainEvent = DomainEvent> {
  /** Lower-case letters and `_`. */
  readonly name: string
  readonly version: number
  /** All of the projection's version. */
  readonly collections: readonly Collection[]
  /** Event types; all others pass by unread. */
  readonly eventTypes: readonly Event['type'][]
  /** The documents that the event touches, each once. Pure; what it throws is a poison event. */
  readonly targets: (decoded: DecodedEvent<Event>) => readonly DocumentTarget[]
  /** What of its documents ends with time; nothing unless given. */
  readonly expiries?: readonly Expiry[]
  /**
   * The document after the event; null deletes it, the same object leaves it. `document` is undefined when there is
   * none, and always for a target written `once`. Pure; what it throws is a poison event. Personal fields are sealed
   * and stay so.
   */
  readonly apply: (
    document: DocumentBody | undefined,
    decoded: DecodedEvent<Event>,
    target: DocumentTarget,
  ) => DocumentBody | null
}

/** A projection with the types of its own events and documents. */
interface TypedProjection<Event extends DomainEvent, Document extends object>
  extends Omit<Projection<Event>, 'apply' | 'collections'> {
  readonly collections: readonly DocumentCollection<Document>[]
  readonly apply: (
    document: Document | undefined,
    decoded: DecodedEvent<Event>,
    target: DocumentTarget,
  ) => Document | null
}

/** The same projection, untyped; the runner passes it only events that it handles and documents that it made. */
export function defineProjection<Event extends DomainEvent, Document extends object>(
  projection: TypedProjection<Event, Document>,
): Projection {
  return projection as unknown as Projection
}

interface CollectionOptions<Document extends object> {
  readonly projection: Pick<Projection, 'name' | 'version'>
  /** The projection's own name when left out. */
  readonly name?: string
  /** Lists of the documents' fields; see `Collection`. */
  readonly indexes?: readonly (readonly (keyof Document & string)[])[]
}

/** Declares a collection of a projection's version. */
export function defineCollection<Document extends object>({
  projection: { name: projection, version },
  name = projection,
  indexes = [],
}: CollectionOptions<Document>): DocumentCollection<Document> {
  return { name, version, indexes, projection }
}

/** The same ending, untyped; the runner passes it only documents of its collection. */
export function defineExpiry<Document extends object>(
  ending: Expiry<Document, keyof Document & string> & {
    readonly collection: DocumentCollection<Document>
  },
): Expiry {
  return ending as unknown as Expiry
}

/** The position of the event that created a document, by which lists are sorted. */
export interface CreatedPosition {
  /** Absent from documents of older versions. */
  readonly made: number
}

/** The field after one more event: a changed document keeps its position. */
export function keepCreatedPosition(
  document: CreatedPosition | undefined,
  position: number,
): CreatedPosition {
  return { made: document?.made ?? position }
}

/**
 * The keyed digest of the subject of a personal field as logged; undefined for an absent field. Throws for a field of
 * no subject.
 */
export function readSubjectDigest(
  { subjects = [] }: Pick<EventMetadata, 'subjects'>,
  field: unknown,
): string | undefined {
  if (field === undefined) return undefined
  const subject = isSealed(field) && subjects.find(({ key }) => key === field.sealed.key)
  if (!subject) throw new Error('a personal field is sealed under no key of the event')
  return subject.digest
}
