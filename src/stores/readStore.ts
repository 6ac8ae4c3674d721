/** Declares the read store port: documents with monotonic positions, checkpoints, queries. */

import type { Lease, Leases } from './lease.ts'

type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json }
/** Field names, at any depth, have no dot and no leading dollar sign: MongoDB before 5.0 stores no others. */
export type DocumentBody = Readonly<Record<string, Json>>

/** A kind of document. The version is in the name of its storage, so that a new one is filled beside the old. */
export interface Collection {
  /** Lower-case letters and `_`. */
  readonly name: string
  readonly version: number
  /**
   * Each index is a list of top-level fields; `find` may filter by equality on its head and range or sort on the next
   * field.
   */
  readonly indexes: readonly (readonly string[])[]
}

export interface StoredDocument {
  readonly id: string
  readonly position: number
  readonly body: DocumentBody
}

/** A document as a projection loads it: a deleted one is present, without a body. */
export interface LoadedDocument {
  readonly id: string
  readonly position: number
  readonly body: DocumentBody | null
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

export interface FindQuery {
  /** Fields of a declared index, or `id` alone. */
  readonly where: Readonly<Record<string, string | number | boolean | Range>>
  /**
   * Fields of that index after the equal ones; `-` before every name for descending. Ties are ordered by `id`, in the
   * same direction; without a sort the order is by `id`.
   */
  readonly sort?: readonly string[]
  /** Continues after this document of the same query; `values` are its fields named in `sort`. */
  readonly after?: { readonly id: string; readonly values: readonly (string | number)[] }
  /** From 1 to 1,000. */
  readonly limit: number
}

/** The event at a checkpoint, by which a log that was exchanged or truncated is detected. */
export interface CheckpointWitness {
  readonly stream: string
  readonly revision: number
  /** The event's id. */
  readonly id: string
}

/** The progress of one version of a projection. */
export interface Checkpoint {
  readonly projection: string
  readonly version: number
  /** Position of the last event handled; 0 before the first. */
  readonly position: number
  /** Whether it has caught up with the log once, so that readers may use it. */
  readonly ready: boolean
  /** Absent at position 0. */
  readonly witness?: CheckpointWitness
  /** Names of its collections of this version, so that a program that no longer knows them can drop them. */
  readonly collections: readonly string[]
}

/** The result of some events in one version of a projection; each document occurs in the changes once. */
export interface Commit {
  readonly changes: readonly Change[]
  readonly checkpoint: Checkpoint
}

export interface ReadStore {
  readonly get: (collection: Collection, id: string) => Promise<StoredDocument | undefined>
  readonly find: (collection: Collection, find: FindQuery) => Promise<readonly StoredDocument[]>
  /** The documents of these ids that exist or were deleted and not yet swept, in no order; at most 1,000 ids. */
  readonly load: (
    collection: Collection,
    ids: readonly string[],
  ) => Promise<readonly LoadedDocument[]>
  /**
   * Writes every change whose position is later than the stored document's and ignores the others (a deletion also
   * replaces a document of its own position); then moves the checkpoints, forward only: a lower position changes
   * nothing, an equal one may make it ready and never undoes that. Each version of a projection occurs once, and none
   * has another's collections. The same again, or out of order, changes nothing. Throws `Failure` `unavailable` when
   * the outcome is unknown: each commit may then be done or not, for none the checkpoint has moved and a document is
   * missing, and the same again is right.
   */
  readonly commit: (commits: readonly Commit[]) => Promise<void>
  /** The checkpoints of every version of every projection. */
  readonly checkpoints: () => Promise<readonly Checkpoint[]>
  /**
   * Makes the collections, before anything is written. Indexes may be left to `completeIndexes`, where an index of many
   * documents is cheaper to make than to maintain while they are written. Throws when one exists with other indexes.
   */
  readonly prepare: (collections: readonly Collection[]) => Promise<void>
  /**
   * Makes the missing indexes of prepared collections, those of collections with documents one at a time, between other
   * work. Returns whether all exist: once `signal` is aborted no other index is begun. Until all exist, `find` may scan
   * the whole collection. Repeating it is right, also after a crash.
   */
  readonly completeIndexes: (
    collections: readonly Collection[],
    signal?: AbortSignal,
  ) => Promise<boolean>
  /**
   * Removes the collections that the checkpoint names, and the checkpoint. After a crash in between it is as if it had
   * finished: a store without transactions removes the checkpoint last and treats one without its collections as
   * absent.
   */
  readonly drop: (checkpoint: Checkpoint) => Promise<void>
  /** Removes tombstones whose position is at or below `position`. */
  readonly sweep: (collection: Collection, position: number) => Promise<void>
  /**
   * The time of expiries and leases, in milliseconds since the Unix epoch: one clock for all instances that share the
   * store. Throws `Failure` `unavailable` when the store does not answer.
   */
  readonly nowMs: () => Promise<number>
  readonly close: () => Promise<void>
}

/** A read store that several instances share: the owner of a lease writes, the others read. */
export interface SharedReadStore extends ReadStore {
  readonly leases: Leases
  /**
   * The same store for the owner of a lease: once another owner has it, the commits, `prepare`, `completeIndexes`,
   * `drop` and `sweep` throw `LeaseLost` and change no checkpoint, collection or tombstone. A store without
   * transactions may still write documents of the current batch: the same that the next owner makes of the same events,
   * at the same positions.
   */
  readonly withLease: (lease: Lease) => ReadStore
}

/** What only the owner of the lease of a shared store may do. */
export const readStoreWrites = ['commit', 'prepare', 'completeIndexes', 'drop', 'sweep'] as const

export type ReadStoreWrites = Pick<ReadStore, (typeof readStoreWrites)[number]>
