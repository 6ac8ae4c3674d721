/** Opens the read store in MongoDB, reads its log witnesses, and drops all read models. */

import type { Db, Filter } from 'mongodb'
import type { LogWitness } from '../eventStore.ts'
import { LeaseLost } from '../lease.ts'
import type {
  Change,
  Checkpoint,
  Collection,
  Commit,
  FindQuery,
  ReadStore,
  ReadStoreWrites,
  SharedReadStore,
} from '../readStore.ts'
import { checkLoad, type ResolvedFind, resolveFindQuery } from '../resolveFindQuery.ts'
import { guardCalls, type MongoConnection } from './mongoConnection.ts'
import { callLimit, type MapErrors, mapMongoErrors } from './mongoErrors.ts'
import { openMongoLeases, serverTimeMs } from './mongoLeases.ts'
import {
  type CollectionsContext,
  dropCollections,
  prepareCollections,
} from './readModelCollections.ts'
import {
  assertNewestLease,
  checkpointMove,
  checkpointsOf,
  collectionKey,
  isIntact,
  openReadModelStateStore,
  physicalName,
  type ReadModelState,
  type ReadModelStateStore,
  registrationOf,
} from './readModelState.ts'
import {
  type MongoDocument,
  notDeleted,
  toLoadedDocument,
  toStoredDocument,
  writeDocuments,
} from './writeDocuments.ts'

export interface MongoReadStoreOptions {
  readonly connection: MongoConnection
  /** The clock of the store, in ms; the server's unless given. */
  readonly nowMs?: () => number
  readonly onRebuild?: CollectionsContext['onRebuild']
}

interface StoreContext extends CollectionsContext {
  readonly guard: MapErrors
  readonly guardLong: MapErrors
}

/**
 * The read store over a connection, which it closes with itself; nothing is sent before the first use. Every function
 * throws `Failure` `unavailable` when MongoDB does not answer in time, and an `Error` for a query that no index of the
 * collection answers. A collection that was not prepared reads as empty. Within a second of somebody's dropping or
 * emptying a collection its checkpoint is absent, and writes under a lease throw `LeaseLost`: the holder begins anew,
 * and builds it again.
 */
export function openMongoReadStore({
  connection,
  nowMs,
  onRebuild,
}: MongoReadStoreOptions): SharedReadStore {
  const { database } = connection
  const states = openReadModelStateStore(database)
  const context: StoreContext = {
    database,
    states,
    onRebuild,
    ...guardCalls(connection, 'read store'),
  }
  const { guard } = context
  const time = async () => nowMs?.() ?? serverTimeMs(database)
  const leases = openMongoLeases(database, states, time)
  const store = {
    ...readsOf(context),
    nowMs: guard(time),
    leases: {
      acquire: guard(leases.acquire),
      renew: guard(leases.renew),
      release: guard(leases.release),
    },
    close: connection.close,
  }
  return {
    ...store,
    ...writesOf(context),
    withLease: (lease) => ({ ...store, ...writesOf({ ...context, lease }) }),
  }
}

function readsOf({
  database,
  states,
  guard,
}: StoreContext): Pick<ReadStore, 'get' | 'find' | 'load' | 'checkpoints'> {
  const documentsOf = async (collection: Collection) =>
    documentsIn(database, collection, await knownState(states, collection))

  return {
    get: guard(async (collection: Collection, id: string) => {
      const documents = await documentsOf(collection)
      return toStoredDocument((await documents?.findOne({ _id: id }, callLimit)) ?? null)
    }),
    find: guard(async (collection: Collection, find: FindQuery) => {
      const { filter, sort } = findFilter(collection, find)
      const documents = await documentsOf(collection)
      const options = { sort, limit: find.limit, ...callLimit }
      const found = await documents?.find(filter, options).toArray()
      return (found ?? []).flatMap((document) => toStoredDocument(document) ?? [])
    }),
    load: guard(async (collection: Collection, ids: readonly string[]) => {
      checkLoad(ids)
      const documents = await documentsOf(collection)
      const wanted = { _id: { $in: [...new Set(ids)] } }
      return ((await documents?.find(wanted, callLimit).toArray()) ?? []).map(toLoadedDocument)
    }),
    checkpoints: guard(async () => {
      const lost = await states.findLost()
      const state = await states.read()
      return checkpointsOf(state).filter((one) => isIntact(state, lost, one))
    }),
  }
}

/** A state that has the collection, if it exists. */
async function knownState(states: ReadModelStateStore, collection: Collection) {
  const recent = await states.recent()
  return registrationOf(recent, collection) ? recent : states.read()
}

/** Undefined for a collection that was not prepared, or was dropped. */
function documentsIn(database: Db, collection: Collection, state: ReadModelState) {
  const registration = registrationOf(state, collection)
  if (!registration) return undefined
  const name = physicalName(collectionKey(collection), registration.generation)
  return database.collection<MongoDocument>(name)
}

/** The writing functions, under the lease if there is one. */
function writesOf(context: StoreContext): ReadStoreWrites {
  const { database, states, guardLong, lease } = context
  /** Looks up collections in the current state. Throws `LeaseLost`. */
  const openWritable = async () => {
    const lost = lease ? await states.findLost() : undefined
    const state = await states.read()
    if (lease && lost) {
      assertNewestLease(state, lease)
      if (!checkpointsOf(state).every((one) => isIntact(state, lost, one))) {
        throw new LeaseLost(lease)
      }
    }
    return (collection: Collection) => {
      const documents = documentsIn(database, collection, state)
      if (documents) return documents
      throw new Error(`collection ${collection.name} version ${collection.version} is not prepared`)
    }
  }

  const move = (checkpoints: readonly Checkpoint[]): Promise<boolean> => {
    const { guard: forward, update } = checkpointMove(checkpoints)
    return states.change(forward, update, lease)
  }

  return {
    commit: guardLong(async (commits: readonly Commit[]) => {
      const changes = commits.flatMap((one) => one.changes)
      if (changes.length > 0) {
        const documentsOf = await openWritable()
        for (const group of byCollection(changes)) {
          await writeDocuments(documentsOf(group[0].collection), group)
        }
      }
      const checkpoints = commits.map(({ checkpoint }) => checkpoint)
      if (checkpoints.length === 0 || (await move(checkpoints))) return
      // one that is ahead already does not stop the others
      for (const checkpoint of checkpoints) await move([checkpoint])
    }),
    prepare: guardLong((collections: readonly Collection[]) =>
      prepareCollections(context, collections),
    ),
    // `prepare` has made them
    completeIndexes: async () => {
      if (lease) await guardLong(openWritable)()
      return true
    },
    drop: guardLong((checkpoint: Checkpoint) => dropCollections(context, checkpoint)),
    sweep: guardLong(async (collection: Collection, position: number) => {
      const documentsOf = await openWritable()
      await documentsOf(collection).deleteMany({ _deleted: { $lte: position } }, callLimit)
    }),
  }
}

function byCollection(changes: readonly Change[]): Iterable<readonly [Change, ...Change[]]> {
  const found = new Map<string, [Change, ...Change[]]>()
  for (const change of changes) {
    const key = collectionKey(change.collection)
    const some = found.get(key)
    if (some) some.push(change)
    else found.set(key, [change])
  }
  return found.values()
}

/** The events of the log at the checkpoints. Throws `unavailable` when MongoDB does not answer. */
export const readMongoWitnesses = mapMongoErrors('read store')(
  async (database: Db): Promise<readonly LogWitness[]> => {
    const checkpoints = checkpointsOf(await openReadModelStateStore(database).read())
    // each event once: many projections are at the same one
    const ids = new Map(
      checkpoints.flatMap(({ position, witness }) => (witness ? [[position, witness.id]] : [])),
    )
    return [...ids].map(([position, id]) => ({ by: 'the read models in MongoDB', position, id }))
  },
)

/**
 * Drops every read model, so that they are rebuilt from a log that has lost events. No service may use the database
 * meanwhile; the connection stays open. Rejects with `unavailable`; repeating it is then right.
 */
export async function dropReadModels(connection: MongoConnection): Promise<void> {
  const { database } = connection
  const { drop } = openMongoReadStore({ connection })
  for (const one of checkpointsOf(await openReadModelStateStore(database).read())) await drop(one)
}

type DocumentFilter = Filter<MongoDocument>

/** The filter and the order of a query. Throws like `resolveFindQuery`. */
function findFilter(collection: Collection, find: FindQuery) {
  const resolved = resolveFindQuery(collection, find)
  const { conditions, order, descending } = resolved
  // each a condition of its own: two of them may use the same operator
  const filters: readonly DocumentFilter[] = conditions.map(({ field, operator, value }) => ({
    [fieldFor(field)]: { [`$${operator}`]: value },
  }))
  const after = find.after ? afterOf(resolved, find.after) : []
  return {
    filter: { $and: [...filters, ...after, notDeleted] },
    sort: Object.fromEntries(order.map((field) => [fieldFor(field), descending ? -1 : 1] as const)),
  }
}

function fieldFor(field: string): string {
  return field === 'id' ? '_id' : field
}

/** Documents after this one: a later first value, or the same one and a later second, and so on. */
function afterOf(
  { order, descending }: ResolvedFind,
  { id, values }: NonNullable<FindQuery['after']>,
): readonly DocumentFilter[] {
  const after = descending ? '$lt' : '$gt'
  const fields = order.map(fieldFor)
  const last = [...values, id]
  const alternatives = fields.map((field, at) => ({
    ...Object.fromEntries(fields.slice(0, at).map((one, index) => [one, last[index]])),
    [field]: { [after]: last[at] },
  }))
  const [first = '_id'] = fields
  // redundant, so that the index is entered at that document
  return [{ [first]: { [`${after}e`]: last[0] } }, { $or: alternatives }]
}
