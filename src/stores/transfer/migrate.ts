/** Moves a data folder to servers: its log into an EventStoreDB, its keys into a MongoDB. Only when both agree does the folder go on there. */

import { existsSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Clock } from '../../domain/clock.ts'
import { isoTime } from '../../domain/isoTime.ts'
import { fileRefusal, startRefusal } from '../embedded/databaseTrouble.ts'
import { type DataFolder, dataFolder, lockFolder, refuseNoFiles } from '../embedded/dataFolder.ts'
import { syncPath } from '../embedded/durableFile.ts'
import { findKeyLoss, keyLossRefusal } from '../embedded/findKeyLoss.ts'
import { inspectLog, logLossRefusal } from '../embedded/inspectStores.ts'
import { findMasterKey } from '../embedded/installation.ts'
import { openLogReader } from '../embedded/logReader.ts'
import { noteServers } from '../embedded/onServers.ts'
import { removeViews } from '../embedded/readStoreFile.ts'
import { openDatabase } from '../embedded/sqlite.ts'
import {
  type Copied,
  type CopiedLog,
  copyStores,
  type LongWork,
  type TransferTarget,
} from './copyStores.ts'
import { bytesOf, fromFolder } from './folderStores.ts'
import { type Servers, serverTarget, withServers } from './serverStores.ts'

export interface MoveOptions extends LongWork {
  /** The data folder, which no service uses. */
  readonly from: string
  /** As the service has it; undefined for the one kept in the folder. */
  readonly masterKey?: Uint8Array | undefined
  readonly clock: Clock
}

export interface Migrated {
  /** The absolute path of the data folder. */
  readonly from: string
  readonly log: CopiedLog & { readonly movedTo: string }
  readonly keys: Copied['keys'] & { readonly movedTo: string }
}

/**
 * Rejects with an `Error` that says what to do; then the folder is as it was, or the same again brings it to its end. What is there already is not
 * written a second time.
 */
export function migrateFolder({
  servers,
  ...options
}: MoveOptions & { readonly servers: Servers }): Promise<Migrated> {
  return moveFolder(options, (move) =>
    withServers(servers, ({ events, keys, mongo }) => {
      if (mongo.witnesses.length === 0) return move(serverTarget(events, keys))
      throw new Error(
        `The database ${mongo.database.databaseName} that MONGODB_URL names is of another Vigil: name one that is empty. Nothing was written.`,
      )
    }),
  )
}

/** The same to what is opened once the folder is known to be whole. */
export async function moveFolder(
  { from, masterKey, clock, ...work }: MoveOptions,
  withTarget: (move: (target: TransferTarget) => Promise<Copied>) => Promise<Copied>,
): Promise<Migrated> {
  const folder = dataFolder(from)
  refuseNothingToMove(folder)
  refuseNoFiles(folder)
  const unlock = lockFolder(folder)
  try {
    takeBack(folder)
    await refuseLosses(folder, masterKey)
    const { log, keys } = await withTarget((target) =>
      fromFolder(folder, (source) => copyStores({ source, target, work })),
    )
    const movedTo = switchFolder(folder, clock.nowMs())
    return {
      from: folder.path,
      log: { ...log, movedTo: movedTo.log },
      keys: { ...keys, movedTo: movedTo.keys },
    }
  } catch (error) {
    throw startRefusal(error)
  } finally {
    unlock()
  }
}

function refuseNothingToMove({ path, log, keys, onServers }: DataFolder): void {
  if (bytesOf(log) + bytesOf(keys) > 0) return
  throw new Error(
    existsSync(onServers)
      ? `The log and the keys of ${path} are kept by servers already.`
      : `There is no data of Vigil in ${path}.`,
  )
}

async function refuseLosses(folder: DataFolder, masterKey: Uint8Array | undefined): Promise<void> {
  const lostLog = inspectLog(folder)
  if (lostLog) throw logLossRefusal(lostLog, folder.log)
  const found = findMasterKey({ folder: folder.path, ...(masterKey && { masterKey }) })
  const { head, readTail, close } = openLogReader(folder.log)
  try {
    const lostKeys = await findKeyLoss({ folder, masterKey: found, head: head(), readTail })
    if (lostKeys) throw keyLossRefusal(lostKeys)
  } finally {
    close()
  }
}

/** Ended at any point, no service starts on half of it: the folder says that servers keep everything, and may still have files of its own. */
function switchFolder(folder: DataFolder, nowMs: number) {
  const suffix = `.moved-${isoTime(nowMs).replaceAll(/[-:.]/g, '')}`
  noteServers(folder)
  removeViews(folder.path)
  for (const file of [folder.log, folder.keys]) closeFile(file)
  renameSync(folder.keys, `${folder.keys}${suffix}`)
  renameSync(folder.log, `${folder.log}${suffix}`)
  rmSync(folder.witness, { force: true })
  syncPath(folder.path)
  return { log: `${folder.log}${suffix}`, keys: `${folder.keys}${suffix}` }
}

/** Both files again where an earlier move ended when it had set aside the first of them. */
function takeBack({ path, keys, onServers }: DataFolder): void {
  if (!existsSync(onServers) || existsSync(keys)) return
  const moved = readdirSync(path).filter((name) => name.startsWith('keys.db.moved-'))
  const last = moved.toSorted().at(-1)
  if (last !== undefined) renameSync(join(path, last), keys)
}

/** Brings all of it into the one file that is moved; an empty rest beside it is of no use to anybody. */
function closeFile(file: string): void {
  const database = openDatabase({ file, synchronous: 'FULL' })
  const { busy } = database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get() ?? {}
  database.close()
  if (busy !== 0) throw fileRefusal(file, 'another process is reading the file; stop it first')
  for (const beside of ['-wal', '-shm']) rmSync(`${file}${beside}`, { force: true })
}
