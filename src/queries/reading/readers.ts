/** What every question is asked with, and which version of a collection it is asked of. */

import { Failure } from '../../domain/failure.ts'
import type { DocumentCollection } from '../../projections/running/projection.ts'
import type { Projections } from '../../projections/running/projections.ts'
import type { Collection, ReadStore } from '../../stores/readStore.ts'

export interface Readers {
  readonly documents: Pick<ReadStore, 'get' | 'find'>
  /** The version of each projection that readers use. */
  readonly projections: Pick<Projections, 'active'>
}

/**
 * The collection in the version that readers use. While a new version is being built that is the one before, so a question must
 * understand the documents of both. Throws `Failure` `unavailable` when no version has been built yet.
 */
export function activeCollection(
  { projections }: Pick<Readers, 'projections'>,
  collection: DocumentCollection<object>,
): Collection {
  const version = projections.active(collection.projection)
  if (version === undefined) throw beingBuilt()
  if (version === collection.version) return collection
  return { ...collection, version, indexes: collection.indexesBefore ?? collection.indexes }
}

/** Whether readers use the version of the collection that is declared, and not one before. Throws `Failure` `unavailable`. */
export function isNewest(
  readers: Pick<Readers, 'projections'>,
  collection: DocumentCollection<object>,
): boolean {
  return activeCollection(readers, collection) === collection
}

/** Throws `Failure` `unavailable` while readers use a version before the one declared. */
export function assertNewest(
  readers: Pick<Readers, 'projections'>,
  collection: DocumentCollection<object>,
): void {
  if (!isNewest(readers, collection)) throw beingBuilt()
}

/** Throws `Failure` `unavailable` while readers use a version before this one. */
export function assertSince(
  readers: Pick<Readers, 'projections'>,
  collection: DocumentCollection<object>,
  version: number,
): void {
  if (activeCollection(readers, collection).version < version) throw beingBuilt()
}

function beingBuilt(): Failure {
  return new Failure('unavailable', 'What you ask for is being built from the log; try again.', {
    retryAfterSeconds: 5,
  })
}
