/** Creates and drops the collections of the read models in MongoDB, with their indexes. */

import { randomUUID } from 'node:crypto'
import { type Db, type IndexDescription, MongoServerError } from 'mongodb'
import type { Lease } from '../lease.ts'
import type { Checkpoint, Collection } from '../readStore.ts'
import {
  assertNewestLease,
  checkpointsOf,
  collectionKey,
  originId,
  parsePhysicalName,
  physicalName,
  type ReadModelState,
  type ReadModelStateStore,
  registrationOf,
} from './readModelState.ts'
import type { MongoDocument } from './writeDocuments.ts'

export interface CollectionsContext {
  readonly database: Db
  readonly states: ReadModelStateStore
  /** Called with a sentence when read models are built again because collections of theirs were dropped or emptied. */
  readonly onRebuild?: ((message: string) => void) | undefined
  /** Under which it is written, if there is one. */
  readonly lease?: Lease
}

/** When several instances register the same collection at once one succeeds; the others find it at the next attempt. */
const attemptsMax = 5

/**
 * Makes the collections and their indexes, where they are missing, and removes what an interrupted drop has left, with
 * the checkpoints of collections that were dropped or emptied by somebody else. Throws when one exists with other
 * indexes, and `LeaseLost`.
 */
export async function prepareCollections(
  context: CollectionsContext,
  collections: readonly Collection[],
): Promise<void> {
  const { database, states } = context
  await removeLost(context)
  // a state that was dropped knows nothing of the collections that it has left
  const present = await listNames(database)
  for (const collection of collections) {
    const { generation } = await register(context, collection, present)
    const name = physicalName(collectionKey(collection), generation)
    await database.collection(name).createIndexes([...indexesOf(collection)])
  }
  await dropUnregistered(database, await states.read())
}

/** Removes lost collections, and with them the checkpoints that name one and all their collections. */
async function removeLost(context: CollectionsContext): Promise<void> {
  const { database, states, lease, onRebuild } = context
  const lost = await states.findLost(0)
  const state = await states.read()
  for (const [key, registration] of Object.entries(state.collections ?? {})) {
    if (!lost.has(originId(registration))) continue
    const { generation } = registration
    const named = checkpointsOf(state).filter((one) => collectionKeysOf(one).includes(key))
    const gone = [`collections.${key}`, ...named.flatMap(listPaths)]
    // unless another instance was faster
    const guard = { [`collections.${key}.generation`]: generation }
    if (!(await states.change(guard, unsetting(gone), lease))) continue
    const name = physicalName(key, generation)
    onRebuild?.(`collection ${name} was dropped or emptied: what it is part of is built again`)
  }
  if (lost.size > 0) await dropUnregistered(database, await states.read())
}

async function register(
  { database, states, lease }: CollectionsContext,
  collection: Collection,
  present: readonly string[],
) {
  const key = collectionKey(collection)
  const indexes = JSON.stringify(collection.indexes)
  for (let attempts = 0; attempts < attemptsMax; attempts += 1) {
    const state = await states.read()
    if (lease) assertNewestLease(state, lease)
    const found = registrationOf(state, collection)
    if (found && found.indexes !== indexes) throw indexMismatch(collection)
    if (found) return found
    const before = state.generations?.[key]
    const newest = present.map(parsePhysicalName).filter((one) => one?.key === key)
    const generation = Math.max(before ?? 0, ...newest.map((one) => one?.generation ?? 0)) + 1
    const made = { generation, id: randomUUID(), indexes }
    const documents = database.collection<MongoDocument>(physicalName(key, generation))
    // first: what is registered has it
    await documents.insertOne({ _id: originId(made), _position: never, _deleted: never })
    const guard = {
      [`collections.${key}`]: { $exists: false },
      [`generations.${key}`]: before ?? { $exists: false },
    }
    const set = { [`collections.${key}`]: made, [`generations.${key}`]: generation }
    if (await states.change(guard, { $set: set }, lease)) return made
  }
  throw new Error(`collection ${collection.name} cannot be registered: others do it all the time`)
}

/** The position of a tombstone that is never swept. */
const never = Number.MAX_SAFE_INTEGER

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
 * Removes the checkpoint and its collections from the state in one change, then drops them. After a crash the next
 * `prepare` drops the rest; a name is never reused, so a late drop never hits a collection in use. Throws `LeaseLost`.
 */
export async function dropCollections(
  { database, states, lease }: CollectionsContext,
  checkpoint: Checkpoint,
): Promise<void> {
  await states.change({}, unsetting(listPaths(checkpoint)), lease)
  await dropUnregistered(database, await states.read())
}

function collectionKeysOf({ version, collections }: Checkpoint): readonly string[] {
  return collections.map((name) => collectionKey({ name, version }))
}

/** Where the state has a checkpoint and its collections. */
function listPaths(checkpoint: Checkpoint): readonly string[] {
  const key = collectionKey({ name: checkpoint.projection, version: checkpoint.version })
  return [`checkpoints.${key}`, ...collectionKeysOf(checkpoint).map((one) => `collections.${one}`)]
}

function unsetting(paths: readonly string[]) {
  return { $unset: Object.fromEntries(paths.map((path) => [path, '' as const])) }
}

async function listNames(database: Db): Promise<readonly string[]> {
  const found = await database.listCollections({}, { nameOnly: true }).toArray()
  return found.map(({ name }) => name)
}

/** Drops collections that were removed from the state; collections of other programs stay. */
async function dropUnregistered(database: Db, state: ReadModelState): Promise<void> {
  for (const name of await listNames(database)) {
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
