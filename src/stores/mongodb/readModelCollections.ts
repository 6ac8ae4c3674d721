/** Creates and drops the collections of the read models in MongoDB, with their indexes. */

import { type Db, type IndexDescription, MongoServerError } from 'mongodb'
import type { Lease } from '../lease.ts'
import type { Checkpoint, Collection } from '../readStore.ts'
import {
  assertNewestLease,
  collectionKey,
  parsePhysicalName,
  physicalName,
  type ReadModelState,
  type ReadModelStateStore,
  registrationOf,
} from './readModelState.ts'

export interface CollectionsContext {
  readonly database: Db
  readonly states: ReadModelStateStore
  /** Under which it is written, if there is one. */
  readonly lease?: Lease
}

/** When several instances register the same collection at once one succeeds; the others find it at the next attempt. */
const attemptsMax = 5

/**
 * Makes the collections and their indexes, where they are missing, and removes what an interrupted drop has left. Throws when one exists
 * with other indexes, and `LeaseLost`.
 */
export async function prepareCollections(
  context: CollectionsContext,
  collections: readonly Collection[],
): Promise<void> {
  const { database, states } = context
  for (const collection of collections) {
    const { generation } = await register(context, collection)
    const name = physicalName(collectionKey(collection), generation)
    await database.collection(name).createIndexes([...indexesOf(collection)])
  }
  await dropUnregistered(database, await states.read())
}

async function register({ states, lease }: CollectionsContext, collection: Collection) {
  const key = collectionKey(collection)
  const indexes = JSON.stringify(collection.indexes)
  for (let attempts = 0; attempts < attemptsMax; attempts += 1) {
    const state = await states.read()
    if (lease) assertNewestLease(state, lease)
    const found = registrationOf(state, collection)
    if (found && found.indexes !== indexes) throw indexMismatch(collection)
    if (found) return found
    const before = state.generations?.[key]
    const generation = (before ?? 0) + 1
    const made = { generation, indexes }
    const guard = {
      [`collections.${key}`]: { $exists: false },
      [`generations.${key}`]: before ?? { $exists: false },
    }
    const set = { [`collections.${key}`]: made, [`generations.${key}`]: generation }
    if (await states.change(guard, { $set: set }, lease)) return made
  }
  throw new Error(`collection ${collection.name} cannot be registered: others do it all the time`)
}

function indexMismatch({ name, version }: Collection): Error {
  return new Error(
    `collection ${name} version ${version} exists with other indexes; give it a new version`,
  )
}

/** As declared, each followed by the id, which orders ties; and one of the deleted documents alone, to sweep them. */
function indexesOf({ indexes }: Collection): readonly IndexDescription[] {
  const declared = indexes.map((fields) => ({
    key: Object.fromEntries([...fields, '_id'].map((field) => [field, 1])),
    name: `by_${fields.join('_')}`,
  }))
  return [...declared, { key: { _deleted: 1 }, name: 'deleted', sparse: true }]
}

/**
 * Removes the checkpoint and its collections from the state in one change, then drops them. After a crash the next `prepare` drops the
 * rest; a name is never reused, so a late drop never hits a collection in use. Throws `LeaseLost`.
 */
export async function dropCollections(
  { database, states, lease }: CollectionsContext,
  { projection, version, collections }: Checkpoint,
): Promise<void> {
  const keys = collections.map((name) => collectionKey({ name, version }))
  const gone = [
    `checkpoints.${collectionKey({ name: projection, version })}`,
    ...keys.map((key) => `collections.${key}`),
  ]
  await states.change({}, { $unset: Object.fromEntries(gone.map((path) => [path, ''])) }, lease)
  await dropUnregistered(database, await states.read())
}

/** Drops collections that were removed from the state; collections of other programs stay. */
async function dropUnregistered(database: Db, state: ReadModelState): Promise<void> {
  const found = await database.listCollections({}, { nameOnly: true }).toArray()
  for (const { name } of found) {
    if (isUnregistered(name, state)) await ignoreMissing(() => database.collection(name).drop())
  }
}

function isUnregistered(name: string, { collections, generations }: ReadModelState): boolean {
  const parsed = parsePhysicalName(name)
  if (!parsed) return false
  const newest = generations?.[parsed.key] ?? 0
  return parsed.generation <= newest && collections?.[parsed.key]?.generation !== parsed.generation
}

const namespaceNotFound = 26

/** Drops or renames a collection, unless there is none: another instance may have been faster. */
export async function ignoreMissing(work: () => Promise<unknown>): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (!(error instanceof MongoServerError) || error.code !== namespaceNotFound) throw error
  }
}
