/**
 * Moves a data folder to servers: its log into an EventStoreDB, its sealing keys into a MongoDB. Each is copied, compared from end to end, and
 * only then does the folder go on with them there.
 */

import type { Clock } from '../../../domain/clock.ts'
import { startRefusal } from '../../../stores/embedded/databaseTrouble.ts'
import {
  type DataFolder,
  dataFolder,
  lockFolder,
  refuseNoFiles,
} from '../../../stores/embedded/dataFolder.ts'
import { openLogReader } from '../../../stores/embedded/logReader.ts'
import { openKeptKeys } from '../../../stores/embedded/openKeptKeys.ts'
import type { EventStore } from '../../../stores/eventStore.ts'
import { eventStoreUrlMistakes } from '../../../stores/eventStoreUrl.ts'
import type { KeyDigest } from '../../../stores/keptKeys.ts'
import type { MongoKeptKeys } from '../../../stores/mongodb/mongoKeptKeys.ts'
import { openMongo } from '../../opening/openMongo.ts'
import type { LongWork } from '../longWork.ts'
import { carryKeys } from './carryKeys.ts'
import { checkSource, isLogMoved, refuseNothingToMove } from './checkSource.ts'
import { type Agreement, compareStores } from './compareStores.ts'
import { copyEvents } from './copyEvents.ts'
import { switchFolder } from './switchFolder.ts'

export interface MoveOptions extends LongWork {
  /** The data folder, which no service uses. */
  readonly from: string
  /** As the service has it; undefined for the one kept in the folder. */
  readonly masterKey?: Uint8Array | undefined
  readonly clock: Clock
}

/** What a folder is moved to. */
export interface MoveTarget {
  readonly events: EventStore
  readonly keys: MongoKeptKeys
  /** The name of the database that has the keys. */
  readonly database: string
  /** Whether read models are kept beside the keys: then they are of another Vigil. */
  readonly isInUse: boolean
  readonly close: () => Promise<void>
}

export interface MovedLog {
  readonly events: number
  /** SHA-256 over all events, the same in both stores. */
  readonly digest: string
  /** Of the last event in the EventStoreDB; 0 without one. */
  readonly position: number
  /** Where the log of the folder was moved to. */
  readonly movedTo: string
}

export interface MovedKeys extends KeyDigest {
  /** The name of the database. */
  readonly database: string
  /** Where the keys of the folder were moved to. */
  readonly movedTo: string
}

export interface Migrated {
  /** The absolute path of the data folder. */
  readonly from: string
  /** Undefined when an earlier move ended after the log was set aside. */
  readonly log: MovedLog | undefined
  readonly keys: MovedKeys
}

/** The connection strings of the servers. */
export interface Servers {
  readonly eventStoreUrl: string
  readonly mongoDbUrl: string
}

/** See `moveFolder`; to these servers. */
export function migrateFolder({
  servers,
  ...options
}: MoveOptions & { readonly servers: Servers }) {
  return moveFolder(options, () => openServers(servers))
}

/**
 * Rejects with an `Error` that says what to do; then the folder is as it was, or the same again brings it to its end. What is there already is not written
 * a second time.
 */
export async function moveFolder(
  options: MoveOptions,
  openTarget: () => Promise<MoveTarget>,
): Promise<Migrated> {
  const folder = dataFolder(options.from)
  refuseNothingToMove(folder)
  refuseNoFiles(folder)
  const unlock = lockFolder(folder)
  try {
    await checkSource(folder, options.masterKey)
    const target = await openTarget()
    try {
      return await move(folder, target, options)
    } finally {
      await target.close()
    }
  } catch (error) {
    throw startRefusal(error)
  } finally {
    unlock()
  }
}

async function openServers({ eventStoreUrl: url, mongoDbUrl }: Servers): Promise<MoveTarget> {
  const [mistake] = eventStoreUrlMistakes(url)
  if (mistake !== undefined) throw new Error(`EVENTSTORE_URL ${mistake}`)
  const mongo = await openMongo(mongoDbUrl)
  try {
    const { mongoKeptKeys } = await import('../../../stores/mongodb/mongoKeptKeys.ts')
    const { openEventStoreDb } = await import('../../../stores/eventstoredb/openEventStoreDb.ts')
    const events = await openEventStoreDb({ url })
    return {
      events,
      keys: mongoKeptKeys(mongo.database),
      database: mongo.database.databaseName,
      isInUse: mongo.witnesses.length > 0,
      close: async () => {
        await events.close()
        await mongo.close()
      },
    }
  } catch (error) {
    await mongo.close()
    throw error
  }
}

async function move(
  folder: DataFolder,
  target: MoveTarget,
  { signal, onProgress, clock }: MoveOptions,
): Promise<Migrated> {
  const { database, isInUse } = target
  if (isInUse) {
    throw new Error(
      `The database ${database} that MONGODB_URL names is of another Vigil: name one that is empty. Nothing was written.`,
    )
  }
  const work = { signal, onProgress }
  const log = isLogMoved(folder) ? undefined : await copyLog(folder, target, work)
  const keys = await copyKeys(folder, target, work)
  const movedTo = switchFolder(folder, clock.nowMs())
  return {
    from: folder.path,
    log: log && {
      ...{ events: log.events, digest: log.digest, position: log.last?.position ?? 0 },
      movedTo: movedTo.log,
    },
    keys: { ...keys, database, movedTo: movedTo.keys },
  }
}

async function copyLog(
  { log }: DataFolder,
  { events: target }: MoveTarget,
  work: LongWork,
): Promise<Agreement> {
  const source = openLogReader(log)
  try {
    await copyEvents({ source, target, work })
    return await compareStores({ source, target, work })
  } finally {
    source.close()
  }
}

async function copyKeys(
  { keys }: DataFolder,
  { keys: target }: MoveTarget,
  work: LongWork,
): Promise<KeyDigest> {
  const source = openKeptKeys(keys)
  try {
    return await carryKeys({ source, target, work })
  } finally {
    source.close()
  }
}
