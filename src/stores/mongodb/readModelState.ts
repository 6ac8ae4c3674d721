/** Stores collections, checkpoints and fences of all read models in one guarded document. */

/**
 * A write that a stale instance must not make is one guarded change of this document, so it happens or does not,
 * without a transaction.
 */

import type { Db, Filter, Collection as MongoCollection, UpdateFilter } from 'mongodb'
import { type Lease, LeaseLost } from '../lease.ts'
import type { Checkpoint, Collection } from '../readStore.ts'
import { callLimit, isDuplicate } from './mongoErrors.ts'
import type { MongoDocument } from './writeDocuments.ts'

/** A registered collection. */
export interface Registration {
  /**
   * Greater than that of any such collection before, and part of the name from 2 on: a late drop or write can only hit
   * an old one.
   */
  readonly generation: number
  /** Random; the collection has a document of this id from the beginning. */
  readonly id: string
  /** As declared, as JSON. */
  readonly indexes: string
}

type StoredCheckpoint = Omit<Checkpoint, 'ready'> & { readonly ready?: true }

export interface ReadModelState {
  readonly _id: string
  readonly format: number
  /** The newest fence by the name of its lease. */
  readonly fences?: Readonly<Record<string, number>>
  readonly collections?: Readonly<Record<string, Registration>>
  /** The newest generation of each collection ever made. */
  readonly generations?: Readonly<Record<string, number>>
  readonly checkpoints?: Readonly<Record<string, StoredCheckpoint>>
}

type Guard = Filter<ReadModelState>

export interface ReadModelStateStore {
  /** The current state. */
  readonly read: () => Promise<ReadModelState>
  /** A state at most `freshMs` old. */
  readonly recent: () => Promise<ReadModelState>
  /**
   * The ids of registered collections that somebody else has dropped or emptied, as found at most so many ms ago. Read
   * the state that is looked at after it: what is removed meanwhile is gone from that with its checkpoints.
   */
  readonly findLost: (withinMs?: number) => Promise<ReadonlySet<string>>
  /**
   * Changes the state if it matches the guard, and under the lease if there is one; false when it does not. Throws
   * `LeaseLost`.
   */
  readonly change: (
    guard: Guard,
    update: UpdateFilter<ReadModelState>,
    lease?: Lease,
  ) => Promise<boolean>
}

/** The collection of the document: analysts may read it, only the service writes it. */
export const stateCollection = 'read_models'
const id = 'read_models'
const format = 1
/** How old the state may be when a reader looks up a collection. */
const freshMs = 250
/** How old the answer may be whether the collections are there. */
const lostMs = 1_000
/** Collections that are looked at together, so that few connections are taken. */
const lookedAtOnce = 8

/** The state in this database; made when it is missing. */
export function openReadModelStateStore(database: Db): ReadModelStateStore {
  const documents = database.collection<ReadModelState>(stateCollection)
  let last: { readonly state: ReadModelState; readonly atMs: number } | undefined
  let lost: { readonly ids: ReadonlySet<string>; readonly atMs: number } | undefined

  const read = async (): Promise<ReadModelState> => {
    const atMs = Date.now()
    const state = checked(await documents.findOne({ _id: id }, { readConcern: 'majority' }))
    last = { state, atMs }
    return state
  }

  return {
    read,
    recent: async () => (last && Math.abs(Date.now() - last.atMs) < freshMs ? last.state : read()),
    findLost: async (withinMs = lostMs) => {
      const atMs = Date.now()
      if (lost && Math.abs(atMs - lost.atMs) < withinMs) return lost.ids
      const state = await read()
      const ids = await listLost(database, state)
      // those that were dropped in order since the state was read are not lost
      const now = ids.length === 0 ? state : await read()
      const registered = new Set(Object.values(now.collections ?? {}).map(originId))
      lost = { ids: new Set(ids.filter((one) => registered.has(one))), atMs }
      return lost.ids
    },
    change: async (guard, update, lease) => {
      const filter: Guard = { ...guard, ...(lease && fenceGuard(lease)), _id: id }
      const { matchedCount } = await changeExisting(documents, filter, update)
      last = undefined
      if (matchedCount === 0 && lease) assertNewestLease(await read(), lease)
      return matchedCount > 0
    },
  }
}

async function listLost(
  database: Db,
  { collections = {} }: ReadModelState,
): Promise<readonly string[]> {
  const lost: string[] = []
  const all = Object.entries(collections)
  for (let at = 0; at < all.length; at += lookedAtOnce) {
    const looks = all.slice(at, at + lookedAtOnce).map(async ([key, registration]) => {
      const name = physicalName(key, registration.generation)
      const _id = originId(registration)
      const found = await database.collection<MongoDocument>(name).findOne({ _id }, callLimit)
      if (!found) lost.push(_id)
    })
    await Promise.all(looks)
  }
  return lost
}

/**
 * The id of the first document of a collection. A collection that lacks it was dropped, or emptied, and perhaps written
 * to again.
 */
export function originId({ id }: Pick<Registration, 'id'>): string {
  return `origin/${id}`
}

/** Throws `LeaseLost` unless the lease is the newest of its name; also when the state was dropped with its fence. */
export function assertNewestLease({ fences }: ReadModelState, lease: Lease): void {
  if (fences?.[lease.name] !== lease.fence) throw new LeaseLost(lease)
}

function fenceGuard({ name, fence }: Lease): Guard {
  return { [`fences.${name}`]: fence }
}

/** Makes the document first when it is missing. */
async function changeExisting(
  documents: MongoCollection<ReadModelState>,
  filter: Guard,
  update: UpdateFilter<ReadModelState>,
) {
  const changed = await documents.updateOne(filter, update)
  if (changed.matchedCount > 0 || !(await createStateDocument(documents))) return changed
  return documents.updateOne(filter, update)
}

/** Makes the document; false when it existed. */
async function createStateDocument(documents: MongoCollection<ReadModelState>): Promise<boolean> {
  try {
    const made = { $setOnInsert: { format } }
    const { upsertedCount } = await documents.updateOne({ _id: id }, made, { upsert: true })
    return upsertedCount > 0
  } catch (error) {
    // another instance makes it at the same time
    if (isDuplicate(error)) return true
    throw error
  }
}

function checked(found: ReadModelState | null): ReadModelState {
  if (found && found.format !== format) {
    throw new Error(
      `The read models in MongoDB have format ${found.format}, not ${format}: another version of Vigil keeps them. Name another database in MONGODB_URL, or drop this one's collection ${stateCollection} to build them again (docs/guide/read-models.md).`,
    )
  }
  return found ?? { _id: id, format }
}

/** The registration of a collection; undefined when it was not prepared, or dropped. */
export function registrationOf(
  { collections }: ReadModelState,
  collection: Pick<Collection, 'name' | 'version'>,
): Registration | undefined {
  return collections?.[collectionKey(collection)]
}

/** Whether all collections of the checkpoint are as they were written. */
export function isIntact(
  { collections = {} }: ReadModelState,
  lost: ReadonlySet<string>,
  { version, collections: names }: Checkpoint,
): boolean {
  return !names.some((name) => {
    const registration = collections[collectionKey({ name, version })]
    return registration && lost.has(originId(registration))
  })
}

/** The checkpoints, in the order of their projections and versions. */
export function checkpointsOf({ checkpoints = {} }: ReadModelState): readonly Checkpoint[] {
  return Object.values(checkpoints)
    .map(({ ready = false, ...checkpoint }) => ({ ...checkpoint, ready }))
    .sort((a, b) => compare(a.projection, b.projection) || a.version - b.version)
}

/** The guarded change that moves checkpoints forward: all of them, or none when one is ahead already. */
export function checkpointMove(checkpoints: readonly Checkpoint[]) {
  const moves = checkpoints.map(({ ready, ...checkpoint }) => {
    const key = `checkpoints.${collectionKey({ name: checkpoint.projection, version: checkpoint.version })}`
    const fields = Object.entries(ready ? { ...checkpoint, ready } : checkpoint)
    const behind = { [`${key}.position`]: { $lte: checkpoint.position } }
    return {
      guard: { $or: [{ [key]: { $exists: false } }, behind] },
      set: fields.map(([name, value]) => [`${key}.${name}`, value] as const),
    }
  })
  return {
    guard: { $and: moves.map(({ guard }) => guard) },
    update: { $set: Object.fromEntries(moves.flatMap(({ set }) => set)) },
  }
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b)
}

const namePattern = /^[a-z][a-z_]{0,59}$/
const ownPattern = /^(?<key>[a-z][a-z_]*_v\d+)(?:_r(?<generation>\d+))?$/

/**
 * The key of a version of a collection, such as `evaluations_v2`; its name until it is dropped. Throws for a name that
 * is not allowed.
 */
export function collectionKey({ name, version }: Pick<Collection, 'name' | 'version'>): string {
  if (!namePattern.test(name)) throw new Error(`not the name of a collection: ${name}`)
  if (!Number.isSafeInteger(version) || version < 1) {
    throw new Error(`the version of collection ${name} must be a whole number from 1 on`)
  }
  return `${name}_v${version}`
}

/** The name of a generation of the collection, such as `evaluations_v2_r2` once it was rebuilt. */
export function physicalName(key: string, generation: number): string {
  return generation === 1 ? key : `${key}_r${generation}`
}

/** The key and generation of a collection's name; undefined for a name that is not of this form. */
export function parsePhysicalName(
  name: string,
): { readonly key: string; readonly generation: number } | undefined {
  const { key, generation = '1' } = ownPattern.exec(name)?.groups ?? {}
  return key === undefined ? undefined : { key, generation: Number(generation) }
}
