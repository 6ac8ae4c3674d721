/** The folder of the embedded stores and the names of its files. */

import {
  closeSync,
  fdatasyncSync,
  mkdirSync,
  openSync,
  rmSync,
  type Stats,
  statSync,
  writeSync,
} from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileRefusal, isDamage, openRefusal, troubleOf } from './databaseTrouble.ts'
import { type Database, openDatabase } from './sqlite.ts'

export interface DataFolder {
  readonly path: string
  /** The event log: what must never be lost. */
  readonly log: string
  /** The read models: may be deleted while the service is down, and are built again. */
  readonly views: string
  /** A folder of long streams as they were folded: any of it may be deleted at any time. */
  readonly snapshots: string
  /** The sealing keys. */
  readonly keys: string
  /** How far the log has come, and which change of the keys was the last. */
  readonly witness: string
  /** Says that servers keep log and keys. */
  readonly onServers: string
  /** What wraps the sealing keys, unless it is configured. */
  readonly masterKey: string
  /** Held by the process that writes. */
  readonly lock: string
}

/** What SQLite keeps beside a database. */
const besides = ['', '-wal', '-shm'] as const

/**
 * Makes the folder, for its owner alone, when it is missing. Throws an `Error` that names it when it cannot be made, or what lies in
 * the way of a file of it.
 */
export function openDataFolder(folder: string): DataFolder {
  const path = resolve(folder)
  try {
    makeFolder(path)
  } catch (error) {
    throw new Error(
      `Cannot use ${path} as data folder: ${reasonOf(error)}. Name another one with VIGIL_DATA.`,
      { cause: error },
    )
  }
  const names = dataFolder(path)
  refuseNoFiles(names)
  return names
}

/** Throws an `Error` that names the first thing in the folder that stands where a file should be, or cannot even be looked at. */
export function refuseNoFiles(folder: DataFolder): void {
  for (const path of filesOf(folder)) refuseNoFile(path)
}

/** The files, of those that are there, that others than their owner may read or write; the folder itself among them. */
export function openToOthers(folder: DataFolder): readonly string[] {
  return [folder.path, ...filesOf(folder)].filter((path) => {
    const mode = statSync(path, { throwIfNoEntry: false })?.mode ?? 0
    return (mode & 0o077) !== 0
  })
}

function filesOf(folder: DataFolder): readonly string[] {
  const databases = [folder.log, folder.views, folder.keys, folder.lock]
  return [
    ...databases.flatMap((file) => besides.map((beside) => `${file}${beside}`)),
    ...[folder.witness, folder.onServers, folder.masterKey],
  ]
}

/** The names alone, for a folder that is already there. */
export function dataFolder(folder: string): DataFolder {
  const path = resolve(folder)
  return {
    path,
    log: join(path, 'log.db'),
    views: join(path, 'views.db'),
    snapshots: join(path, 'snapshots'),
    keys: join(path, 'keys.db'),
    witness: join(path, 'stores.witness'),
    onServers: join(path, 'on-servers'),
    masterKey: join(path, 'master.key'),
    lock: join(path, 'lock.db'),
  }
}

/**
 * Makes a folder and those it lies in. Not by Node's own way, which never ends on a file system that says there is no such place where
 * it says there is its parent (/proc).
 */
function makeFolder(path: string): void {
  if (isFolder(path)) return
  if (dirname(path) !== path) makeFolder(dirname(path))
  try {
    mkdirSync(path, { mode: 0o700 })
  } catch (error) {
    // another process may have made it in the meantime
    if (!isFolder(path)) throw error
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false
}

/** SQLite says of a folder in the place of a file that the disk has failed. */
function refuseNoFile(path: string): void {
  const found = foundAt(path)
  if (found && !found.isFile()) throw fileRefusal(path, 'it is no file; move it away')
}

function foundAt(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false })
  } catch (error) {
    throw openRefusal(error, path)
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/**
 * Takes the folder for this process and answers how to let go. The lock is SQLite's own on a file that holds nothing, so the
 * operating system releases it however the process ends. Throws an `Error` that says what to do when another process has it.
 */
export function lockFolder(folder: DataFolder): () => void {
  const database = openLock(folder)
  try {
    database.exec('PRAGMA busy_timeout = 0')
    database.exec('BEGIN EXCLUSIVE')
  } catch (error) {
    database.close()
    throw troubleOf(error) === 'busy' ? inUse(folder, error) : openRefusal(error, folder.lock)
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
    throw fileRefusal(lock, 'it is damaged; it holds nothing, so delete it', error)
  }
}

function inUse(folder: DataFolder, cause: unknown): Error {
  return new Error(
    `Cannot use ${folder.path}: another process is using it. Stop that one first, or name another folder.`,
    { cause },
  )
}

/** Writes so many bytes into this file, which is removed again. Throws what the disk says. */
export function tryRoom(file: string, bytes: number): void {
  try {
    const handle = openSync(file, 'w', 0o600)
    try {
      writeSync(handle, Buffer.alloc(bytes, 1))
      fdatasyncSync(handle)
    } finally {
      closeSync(handle)
    }
  } finally {
    rmSync(file, { force: true })
  }
}
