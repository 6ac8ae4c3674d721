/** The port of the read store: documents that never go back, and the checkpoints of those who write them. */

export type Json =
  | string
  | number
  | boolean
  | null
  | readonly Json[]
  | { readonly [key: string]: Json }
export type DocumentBody = Readonly<Record<string, Json>>

/** A kind of document. The version is part of where it is kept, so that a new one fills beside the old. */
export interface Collection {
  readonly name: string
  readonly version: number
  /** Each index is a list of top-level fields; `find` may filter by equality on its head and range or sort on the next field. */
  readonly indexes: readonly (readonly string[])[]
}

export interface StoredDocument {
  readonly id: string
  readonly position: number
  readonly body: DocumentBody
}

export interface Change {
  readonly collection: Collection
  readonly id: string
  /** Position of the last event folded into the document. */
  readonly position: number
  /** `null` deletes and leaves a tombstone. */
  readonly body: DocumentBody | null
}

export interface Range {
  readonly gte?: string | number
  readonly gt?: string | number
  readonly lt?: string | number
  readonly lte?: string | number
  readonly prefix?: string
}

export interface Find {
  readonly where: Readonly<Record<string, string | number | boolean | Range>>
  /** Fields of a declared index after the equal ones; `-` before the name for descending. Ties are ordered by `id`. */
  readonly sort?: readonly string[]
  /** Continues after this document of the same question. */
  readonly after?: { readonly id: string; readonly values: readonly (string | number)[] }
  /** At most 1,000. */
  readonly limit: number
}

export interface Checkpoint {
  readonly projection: string
  /** Position of the last event handled. */
  readonly position: number
}

export interface ReadStore {
  readonly get: (collection: Collection, id: string) => Promise<StoredDocument | undefined>
  readonly find: (collection: Collection, find: Find) => Promise<readonly StoredDocument[]>
  /**
   * Writes every change whose position is later than the stored document's and ignores the others; then moves the checkpoint,
   * forward only. The same commit again, or out of turn, changes nothing.
   */
  readonly commit: (changes: readonly Change[], checkpoint: Checkpoint) => Promise<void>
  /** Undefined when the projection has never committed. */
  readonly checkpoint: (projection: string) => Promise<number | undefined>
  /** Makes the collections and their indexes, before anything is written. */
  readonly prepare: (collections: readonly Collection[]) => Promise<void>
  /** Removes tombstones whose position is at or below `position`. */
  readonly sweep: (collection: Collection, position: number) => Promise<void>
  readonly close: () => Promise<void>
}
