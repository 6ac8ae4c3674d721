/**
 * Moves what a data folder keeps to servers: its log into an EventStoreDB, its sealing keys into a MongoDB. Each is copied, compared from end to end, and
 * only then does the folder go on with it there.
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
import type { KeyDigest } from '../../../stores/keptKeys.ts'
import { type OpenedMongo, openMongo } from '../../opening/openMongo.ts'
import type { LongWork } from '../longWork.ts'
import { carryKeys } from './carryKeys.ts'
import { checkSource } from './checkSource.ts'
import { type Agreement, compareStores } from './compareStores.ts'
import { copyEvents } from './copyEvents.ts'
import { type Moves, movesOf } from './movesOf.ts'
import { switchFolder } from './switchFolder.ts'

export interface MigrateOptions extends LongWork {
  /** The data folder, which no service uses. */
  readonly from: string
  /** The connection string of the EventStoreDB; undefined when the log stays where it is. */
  readonly to: string | undefined
  /** The MongoDB that is to keep the sealing keys, or does so already; undefined when the folder keeps them. */
  readonly mongoDbUrl?: string | undefined
  /** As the service has it; undefined for the one kept in the folder. */
  readonly masterKey?: Uint8Array | undefined
  readonly clock: Clock
  /** How long a server may be away in between; a minute unless given. */
  readonly patienceMs?: number
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
  /** Undefined when it stayed where it is. */
  readonly log: MovedLog | undefined
  /** Undefined when they stayed where they are. */
  readonly keys: MovedKeys | undefined
}

/**
 * Rejects with an `Error` that says what to do; then the folder is as it was, or the same again brings it to its end. What is there already is not written
 * a second time.
 */
export async function migrateFolder(options: MigrateOptions): Promise<Migrated> {
  const folder = dataFolder(options.from)
  const moves = movesOf(folder, options)
  refuseNoFiles(folder)
  const unlock = lockFolder(folder)
  try {
    const mongo = await openMongo(options.mongoDbUrl)
    try {
      return await migrate({ folder, moves, mongo, options })
    } finally {
      await mongo?.close()
    }
  } catch (error) {
    throw startRefusal(error)
  } finally {
    unlock()
  }
}

export interface Migration {
  readonly folder: DataFolder
  readonly moves: Moves
  readonly mongo: OpenedMongo | undefined
  readonly options: MigrateOptions
}

async function migrate(migration: Migration): Promise<Migrated> {
  const { folder, moves, mongo } = migration
  await checkSource(migration)
  const log = moves.log === undefined ? undefined : await copyLog(migration, moves.log)
  const keys = moves.keys && mongo ? await copyKeys(migration, mongo) : undefined
  const movedTo = await switchFolder(migration, log)
  return {
    from: folder.path,
    log: log && {
      ...{ events: log.events, digest: log.digest, position: log.last?.position ?? 0 },
      movedTo: movedTo.log,
    },
    keys: keys && {
      ...{ ...keys, database: mongo?.database.databaseName ?? '', movedTo: movedTo.keys },
    },
  }
}

async function copyLog({ folder, options }: Migration, to: string): Promise<Agreement> {
  const { patienceMs, signal, onProgress } = options
  const work = { signal, onProgress }
  const source = openLogReader(folder.log)
  try {
    const { openEventStoreDb } = await import('../../../stores/eventstoredb/openEventStoreDb.ts')
    const target = await openEventStoreDb({ url: to })
    try {
      await copyEvents({ source, target, work, patienceMs })
      return await compareStores({ source, target, work })
    } finally {
      await target.close()
    }
  } finally {
    source.close()
  }
}

async function copyKeys(
  { folder, options }: Migration,
  { database }: OpenedMongo,
): Promise<KeyDigest> {
  const { patienceMs, signal, onProgress } = options
  const source = openKeptKeys(folder.keys)
  try {
    const { mongoKeptKeys } = await import('../../../stores/mongodb/mongoKeptKeys.ts')
    const target = mongoKeptKeys(database)
    return await carryKeys({ source, target, work: { signal, onProgress }, patienceMs })
  } finally {
    source.close()
  }
}
