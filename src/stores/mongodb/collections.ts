/** Creates and drops the collections of the read models in MongoDB, with their indexes. */

import { type Db, type IndexDescription, MongoServerError } from 'mongodb'
import type { Lease } from '../lease.ts'
import type { Checkpoint, Collection } from '../readStore.ts'
import { collectionKey, makingOf, physicalName } from './collectionNames.ts'
import {
  type ReadModelState,
  type ReadModelStates,
  type Registration,
  refuseLost,
  registrationOf,
} from './readModelState.ts'

interface Making {
  readonly database: Db
  readonly states: ReadModelStates
  readonly lease: Lease | undefined
}

/** Of those who register the same collection at once one does; the others find it the next time. */
const triesMax = 5

/**
 * Makes the collections and their indexes, where they are missing, and removes what dropping has left. Throws when one exists with other
 * indexes, and `LeaseLost`.
 */
export async function prepareCollections(
  making: Making,
  collections: readonly Collection[],
): Promise<void> {
  for (const collection of collections) {
    const { generation } = await registered(making, collection)
    await makeIndexes(making.database, collection, generation)
  }
  await removeDead(making.database, await making.states.read())
}

async function registered(making: Making, collection: Collection): Promise<Registration> {
  const { states, lease } = making
  const key = collectionKey(collection)
  const indexes = JSON.stringify(collection.indexes)
  for (let tries = 0; tries < triesMax; tries += 1) {
    const state = await states.read()
    if (lease) refuseLost(state, lease)
    const found = registrationOf(state, collection)
    if (found && found.indexes !== indexes) throw otherIndexes(collection)
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

function otherIndexes({ name, version }: Collection): Error {
  return new Error(
    `collection ${name} version ${version} exists with other indexes; give it a new version`,
  )
}

async function makeIndexes(
  database: Db,
  collection: Collection,
  generation: number,
): Promise<void> {
  const name = physicalName(collectionKey(collection), generation)
  await database.collection(name).createIndexes([...indexesOf(collection)])
}

/** As declared, each with the id behind it, by which ties are in order; and one of the deleted documents alone, to sweep them. */
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
  { database, states, lease }: Making,
  { projection, version, collections }: Checkpoint,
): Promise<void> {
  const keys = collections.map((name) => collectionKey({ name, version }))
  const gone = [
    `checkpoints.${collectionKey({ name: projection, version })}`,
    ...keys.map((key) => `collections.${key}`),
  ]
  await states.change({}, { $unset: Object.fromEntries(gone.map((path) => [path, ''])) }, lease)
  await removeDead(database, await states.read())
}

/** Removes collections of ours that were dropped; what is not known to be ours stays. */
async function removeDead(database: Db, state: ReadModelState): Promise<void> {
  const found = await database.listCollections({}, { nameOnly: true }).toArray()
  for (const { name } of found) if (isDead(name, state)) await dropIfThere(database, name)
}

const namespaceNotFound = 26

/** Others who remove the same may have been faster. */
async function dropIfThere(database: Db, name: string): Promise<void> {
  try {
    await database.collection(name).drop()
  } catch (error) {
    if (!(error instanceof MongoServerError) || error.code !== namespaceNotFound) throw error
  }
}

function isDead(name: string, { collections, generations }: ReadModelState): boolean {
  const making = makingOf(name)
  if (!making) return false
  const newest = generations?.[making.key] ?? 0
  return making.generation <= newest && collections?.[making.key]?.generation !== making.generation
}
