/**
 * Makes a backup of a data folder, also while a service uses it (docs/decisions/backups-read-the-files.md). It is written under another
 * name, read again from end to end, and only then has its own.
 */

import {
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statfsSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join, relative, resolve, sep } from 'node:path'
import type { Clock } from '../../../domain/clock.ts'
import { isoTime } from '../../../domain/isoTime.ts'
import { copyKeys } from '../../../stores/embedded/copyKeys.ts'
import { copyLog, type LogCopy } from '../../../stores/embedded/copyLog.ts'
import { openRefusal, startRefusal } from '../../../stores/embedded/databaseTrouble.ts'
import {
  type DataFolder,
  dataFolder,
  lockFolder,
  refuseNoFiles,
} from '../../../stores/embedded/dataFolder.ts'
import { digestOfFile, syncPath } from '../../../stores/embedded/durableFile.ts'
import { openKeptKeys } from '../../../stores/embedded/openKeptKeys.ts'
import { operatorTokenFile } from '../../opening/installation.ts'
import type { LongWork } from '../longWork.ts'
import { type BackupFile, type BackupManifest, writeManifest } from './backupManifest.ts'
import { checkBackup } from './checkBackup.ts'

export interface BackupOptions extends LongWork {
  readonly dataFolder: string
  /** The folder to make; its parent exists. */
  readonly target: string
  /** Whether `master.key` comes along: whoever has both can read everything. */
  readonly withMasterKey: boolean
  readonly clock: Clock
}

export interface Backup {
  /** The absolute paths of the data folder and of the backup. */
  readonly of: string
  readonly backup: string
  readonly manifest: BackupManifest
  /** See `CheckedBackup`. */
  readonly lackingKeys: number
  /** Where the master key is to be found, which whoever restores the backup needs. */
  readonly masterKey: 'in the backup' | 'in the data folder' | 'not in the data folder'
}

/** Rejects with an `Error` that says what to do; what was written so far is removed. */
export async function makeBackup(options: BackupOptions): Promise<Backup> {
  const source = dataFolder(options.dataFolder)
  const target = resolve(options.target)
  refuseSource(source, options)
  refuseTarget(source, target)
  const partial = dataFolder(`${target}.partial`)
  const letGo = takePartial(partial, target)
  try {
    const manifest = await write({ source, partial, options }, target)
    syncPath(partial.path)
    const { lackingKeys } = await checkBackup(partial.path, options)
    letGo()
    removeLock(partial)
    renameSync(partial.path, target)
    syncPath(dirname(target))
    return {
      of: source.path,
      backup: target,
      manifest,
      lackingKeys,
      masterKey: keptIn(source, manifest),
    }
  } catch (error) {
    letGo()
    rmSync(partial.path, { recursive: true, force: true })
    throw startRefusal(error)
  }
}

function keptIn({ masterKey }: DataFolder, { files }: BackupManifest): Backup['masterKey'] {
  if (files.some(({ name }) => name === 'master.key')) return 'in the backup'
  return existsSync(masterKey) ? 'in the data folder' : 'not in the data folder'
}

function refuseSource(source: DataFolder, { withMasterKey }: BackupOptions): void {
  if (existsSync(source.onServers)) {
    throw new Error(
      `Servers keep the log and the keys of ${source.path}: back up the EventStoreDB first, then the MongoDB, by their own means.`,
    )
  }
  if (bytesOf(source.keys) === 0 || bytesOf(source.log) === 0) {
    throw new Error(
      `There is no data of Vigil in ${source.path}, or some of it is lost: vigil restore says what.`,
    )
  }
  refuseNoFiles(source)
  if (withMasterKey && !existsSync(source.masterKey)) {
    throw new Error(
      `${source.masterKey} is not there: the master key is the one in VIGIL_MASTER_KEY, which you have to keep.`,
    )
  }
}

function refuseTarget(source: DataFolder, target: string): void {
  if (statSync(target, { throwIfNoEntry: false })) {
    throw new Error(
      `${target} exists already: a backup is never written over. Name another folder.`,
    )
  }
  const parent = dirname(target)
  if (!statSync(parent, { throwIfNoEntry: false })?.isDirectory()) {
    throw new Error(`${parent} is no folder: make it first.`)
  }
  const inside = relative(source.path, target)
  if (inside !== '..' && !inside.startsWith(`..${sep}`)) {
    throw new Error(
      `${target} lies in the data folder, and would be lost with it. Name a folder elsewhere, best on another disk.`,
    )
  }
}

/** Keeps a second backup to the same place away; what one that was killed has left is removed. */
function takePartial(partial: DataFolder, target: string): () => void {
  try {
    mkdirSync(partial.path, { mode: 0o700, recursive: true })
  } catch (error) {
    throw openRefusal(error, partial.path)
  }
  let unlock: (() => void) | undefined = lockPartial(partial, target)
  for (const name of ['log.db', 'keys.db', 'operator.token.sha256', 'master.key', 'backup.json']) {
    for (const beside of ['', '-wal', '-shm', '-journal']) {
      rmSync(join(partial.path, `${name}${beside}`), { force: true })
    }
  }
  return () => {
    unlock?.()
    unlock = undefined
  }
}

function lockPartial(partial: DataFolder, target: string): () => void {
  try {
    return lockFolder(partial)
  } catch (error) {
    throw new Error(
      `A backup to ${target} is under way already, or ${partial.path} cannot be written.`,
      { cause: error },
    )
  }
}

function removeLock({ lock }: DataFolder): void {
  for (const beside of ['-wal', '-shm', '']) rmSync(`${lock}${beside}`, { force: true })
}

/** A tenth more than log and keys take now: a service goes on writing. */
function refuseWithoutRoom({ log, keys }: DataFolder, target: string): void {
  const files = [log, `${log}-wal`, keys, `${keys}-wal`]
  const needed = Math.ceil(files.reduce((sum, file) => sum + bytesOf(file), 0) * 1.1)
  const { bavail, bsize } = statfsSync(dirname(target))
  if (bavail * bsize >= needed) return
  throw new Error(
    `There is no room for ${target}: it takes about ${mib(needed)} MiB, ${mib(bavail * bsize)} MiB are free.`,
  )
}

function mib(bytes: number): string {
  return (bytes / 1024 / 1024).toFixed(1)
}

interface Writing {
  readonly source: DataFolder
  readonly partial: DataFolder
  readonly options: BackupOptions
}

/** The log first: whatever key it names was stored before, and is copied after. */
async function write({ source, partial, options }: Writing, target: string) {
  const { clock, signal, onProgress } = options
  refuseWithoutRoom(source, target)
  const atMs = clock.nowMs()
  const step = (name: string) => (done: number, of: number) => onProgress(name, done, of)
  const log = await copyLog({
    ...{ from: source.log, to: partial.log, signal, onProgress: step('Copying events') },
  })
  const from = openKeptKeys(source.keys)
  const keys = await copyKeys({
    ...{ from, to: partial.keys, signal, onProgress: step('Copying keys') },
  }).finally(from.close)
  const files: BackupFile[] = ['log.db', 'keys.db']
  for (const name of smallFiles(options)) {
    if (copySmall(source, partial, name)) files.push(name)
  }
  const manifest: BackupManifest = {
    format: 1,
    made_at: isoTime(atMs),
    log: logOf(log),
    keys,
    files: await Promise.all(
      files.map(async (name) => ({ name, ...(await synced(join(partial.path, name), signal)) })),
    ),
  }
  writeManifest(partial.path, manifest)
  syncPath(join(partial.path, 'backup.json'))
  return manifest
}

function logOf({ events, position, id, digest }: LogCopy): BackupManifest['log'] {
  return { events, position, id, digest }
}

function smallFiles({ withMasterKey }: BackupOptions): readonly BackupFile[] {
  return [operatorTokenFile, ...(withMasterKey ? (['master.key'] as const) : [])]
}

function copySmall(source: DataFolder, partial: DataFolder, name: BackupFile): boolean {
  const from = join(source.path, name)
  if (!existsSync(from)) return false
  writeFileSync(join(partial.path, name), readFileSync(from), { mode: 0o600, flag: 'wx' })
  return true
}

async function synced(path: string, signal: AbortSignal) {
  syncPath(path)
  return digestOfFile(path, signal)
}

function bytesOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0
}
