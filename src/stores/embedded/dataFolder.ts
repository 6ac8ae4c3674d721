/** Resolves, opens and locks the data folder, writes its small files, and rejects a moved one. */

import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  fsyncSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { describeFileFault, findFileFault } from '../../domain/fileFaults.ts'
import { makeFolder } from '../../domain/makeFolder.ts'
import { explainOpenError, fileError, isDamage } from './databaseErrors.ts'
import { type Database, openDatabase } from './sqlite.ts'

export type DataFolder = ReturnType<typeof dataFolderAt>

/** Suffixes of the files that SQLite keeps of a database. */
export const databaseSuffixes = ['-wal', '-shm', ''] as const

/**
 * Makes the folder, for its owner alone, when it is missing. Throws an `Error` that names it when it cannot be made, or
 * this user may not read and write in it.
 */
export function openDataFolder(folder: string): DataFolder {
  const path = resolve(folder)
  try {
    makeFolder(path, 0o700)
    readdirSync(path)
    accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch (error) {
    const fault = findFileFault(error)
    const reason = fault ? describeFileFault(fault) : String(error)
    throw new Error(
      `Cannot use ${path} as data folder: ${reason}. Name another one with VIGIL_DATA.`,
      { cause: error },
    )
  }
  return dataFolderAt(path)
}

/**
 * For a folder that is only read. Throws an `Error` when it is there and this user may not read it: its files would
 * seem to be missing.
 */
export function openFolderToRead(folder: string): DataFolder {
  const path = resolve(folder)
  try {
    accessSync(path, constants.R_OK | constants.X_OK)
  } catch (error) {
    if (findFileFault(error) !== 'missing') throw explainOpenError(error, path)
  }
  return dataFolderAt(path)
}

/** The files, of those that are there, that others than their owner may read or write; the folder itself among them. */
export function findReadableByOthers(folder: DataFolder): readonly string[] {
  const databases = [folder.log, folder.views, folder.keys, folder.lock]
  const files = [
    ...databases.flatMap((file) => databaseSuffixes.map((suffix) => `${file}${suffix}`)),
    ...[folder.witness, folder.movedMarkerFile, folder.masterKey],
  ]
  return [folder.path, ...files].filter((path) => {
    return ((readStats(path)?.mode ?? 0) & 0o077) !== 0
  })
}

/** The names alone, for a folder that is already there. */
export function dataFolderAt(folder: string) {
  const path = resolve(folder)
  const named = (name: string) => join(path, name)
  return {
    path,
    /** The event log: what must never be lost. */
    log: named('log.db'),
    /** The read models: may be deleted while the service is down, and are built again. */
    views: named('views.db'),
    /** Says that they were found damaged: the next start builds them again. */
    viewsDamagedMarker: named('views.db-damaged'),
    /** A folder of long streams as they were folded: any of it may be deleted at any time. */
    snapshots: named('snapshots'),
    /** The sealing keys. */
    keys: named('keys.db'),
    /** How far the log has come, and which change of the keys was the last. */
    witness: named('stores.witness'),
    /** Says that servers keep log and keys. */
    movedMarkerFile: named('on-servers'),
    /** What wraps the sealing keys, unless it is configured. */
    masterKey: named('master.key'),
    /** SHA-256 of the operator's token, unless it is configured. */
    operatorToken: named('operator.token.sha256'),
    /** Held by the process that writes. */
    lock: named('lock.db'),
  } as const
}

/** Length of a file, 0 where there is none. Throws an `Error` that names it. */
export function readFileSize(file: string): number {
  return readStats(file)?.size ?? 0
}

function readStats(file: string) {
  try {
    return statSync(file, { throwIfNoEntry: false })
  } catch (error) {
    throw explainOpenError(error, file)
  }
}

/**
 * Locks the folder for this process and returns the release function. The lock is SQLite's own on an empty file, so the
 * operating system releases it however the process ends. Throws an `Error` with advice when another process has it.
 */
export function lockFolder(folder: DataFolder): () => void {
  const database = openLock(folder)
  try {
    database.exec('PRAGMA busy_timeout = 0')
    database.exec('BEGIN EXCLUSIVE')
  } catch (error) {
    database.close()
    if (findFileFault(error) !== 'busy') throw explainOpenError(error, folder.lock)
    throw new Error(
      `Cannot use ${folder.path}: another process is using it. Stop that one first, or name another folder.`,
      { cause: error },
    )
  }
  return () => {
    // Said aloud, because closing alone lets go only after the garbage collector has found every statement.
    database.exec('ROLLBACK')
    database.close()
  }
}

function openLock({ lock }: DataFolder): Database {
  try {
    return openDatabase({ file: lock, synchronous: 'NORMAL' })
  } catch (error) {
    if (!isDamage(error)) throw error
    throw fileError(lock, 'it is damaged; it holds nothing, so delete it', error)
  }
}

/** Syncs a file, or the names in a folder, to disk. Throws the error of the disk. */
export function syncPath(path: string): void {
  const handle = openSync(path, 'r')
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}

/**
 * Writes a small file for its owner alone, whole or not at all, and on disk when this returns. Throws an `Error` that
 * names it.
 */
export function writeFileDurably(file: string, content: string | Uint8Array): void {
  try {
    const made = `${file}.new`
    // what a crash left keeps the mode it has, and whoever has it open
    rmSync(made, { force: true })
    writeFileSync(made, content, { mode: 0o600, flag: 'wx', flush: true })
    renameSync(made, file)
    syncPath(dirname(file))
  } catch (error) {
    throw explainOpenError(error, file)
  }
}

/** Writes down that servers keep log and keys. Throws an `Error` that names the file when it cannot be written. */
export function markMovedToServers({ movedMarkerFile }: DataFolder): void {
  if (existsSync(movedMarkerFile)) return
  const text =
    'EVENTSTORE_URL and MONGODB_URL name the servers that keep what was in this folder.\n'
  writeFileDurably(movedMarkerFile, text)
}

/** Throws an `Error` with advice when the log and keys of the folder were moved to servers. */
export function rejectMovedFolder({ path, movedMarkerFile }: DataFolder): void {
  if (!existsSync(movedMarkerFile)) return
  throw new Error(
    `Cannot use ${path} by itself: servers keep its log and its keys. Set EVENTSTORE_URL and MONGODB_URL to them, or name another folder with VIGIL_DATA.`,
  )
}

/** Throws an `Error` with advice when the folder has a log or keys that were not moved to the servers. */
export function rejectLocalStores(
  folder: DataFolder,
  stores: readonly ('log' | 'keys')[] = ['log', 'keys'],
): void {
  const own = stores.map((store) => folder[store]).find((file) => readFileSize(file) > 0)
  if (own === undefined || existsSync(folder.movedMarkerFile)) return
  throw new Error(
    `Cannot use ${folder.path} with EVENTSTORE_URL and MONGODB_URL: it has ${own}, which would be left behind. Move it with vigil migrate, name another folder with VIGIL_DATA, or leave both unset.`,
  )
}
