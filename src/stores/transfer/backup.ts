/**
 * Makes a backup of a data folder, also while a service uses it (docs/decisions/backups-read-the-files.md). It is written under another
 * name, read again from end to end, and only then has its own.
 */

import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join, relative, resolve, sep } from 'node:path'
import type { Clock } from '../../domain/clock.ts'
import { isoTime } from '../../domain/isoTime.ts'
import { startRefusal } from '../embedded/databaseTrouble.ts'
import { type DataFolder, dataFolder, lockFolder, refuseNoFiles } from '../embedded/dataFolder.ts'
import { digestOfFile, syncPath } from '../embedded/durableFile.ts'
import { operatorTokenFile } from '../embedded/installation.ts'
import { type Copied, copyStores, type LongWork } from './copyStores.ts'
import { bytesOf, fromFolder, refuseWithoutRoom, toFolder } from './folderStores.ts'

export interface BackupOptions extends LongWork {
  readonly dataFolder: string
  /** The folder to make; its parent exists. */
  readonly target: string
  /** Whether `master.key` comes along: whoever has both can read everything. */
  readonly withMasterKey: boolean
  readonly clock: Clock
}

/** `backup.json`: what a backup holds, so that one that was changed, cut or put together of two is known. */
export interface BackupManifest extends Copied {
  /** A newer program may write another one. */
  readonly format: 1
  /** When it was begun: ISO 8601. */
  readonly made_at: string
  /** Those that it has. */
  readonly files: Readonly<Partial<Record<BackupFile, FileDigest>>>
}

interface FileDigest {
  readonly bytes: number
  readonly sha256: string
}

export interface Backup {
  /** The absolute paths of the data folder and of the backup. */
  readonly of: string
  readonly backup: string
  readonly manifest: BackupManifest
  /** Where the master key is to be found, which whoever restores the backup needs. */
  readonly masterKey: 'in the backup' | 'in the data folder' | 'not in the data folder'
}

/** The files that a backup may have, by the names they have in a data folder. */
const backupFiles = ['log.db', 'keys.db', operatorTokenFile, 'master.key'] as const

export type BackupFile = (typeof backupFiles)[number]

const manifestName = 'backup.json'

/** Rejects with an `Error` that says what to do; what was written so far is removed. */
export async function makeBackup(options: BackupOptions): Promise<Backup> {
  const source = dataFolder(options.dataFolder)
  const target = resolve(options.target)
  refuseSource(source, options)
  refuseTarget(source, target)
  const partial = dataFolder(`${target}.partial`)
  const unlock = takePartial(partial, target)
  try {
    const manifest = await write(source, partial, options).finally(unlock)
    for (const beside of ['-wal', '-shm', '']) rmSync(`${partial.lock}${beside}`, { force: true })
    syncPath(partial.path)
    renameSync(partial.path, target)
    syncPath(dirname(target))
    return { of: source.path, backup: target, manifest, masterKey: keptIn(source, options) }
  } catch (error) {
    rmSync(partial.path, { recursive: true, force: true })
    throw startRefusal(error)
  }
}

function keptIn({ masterKey }: DataFolder, { withMasterKey }: BackupOptions): Backup['masterKey'] {
  if (withMasterKey) return 'in the backup'
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
  // a tenth more than log and keys take now: a service goes on writing
  const files = [source.log, `${source.log}-wal`, source.keys, `${source.keys}-wal`]
  const bytes = files.reduce((sum, file) => sum + bytesOf(file), 0)
  refuseWithoutRoom(parent, target, Math.ceil(bytes * 1.1))
}

/** Keeps a second backup to the same place away; what one that was killed has left is removed. Answers how to let go. */
function takePartial(partial: DataFolder, target: string): () => void {
  try {
    mkdirSync(partial.path, { mode: 0o700, recursive: true })
    const unlock = lockFolder(partial)
    const left = readdirSync(partial.path).filter((name) => !name.startsWith('lock.db'))
    for (const name of left) rmSync(join(partial.path, name), { force: true })
    return unlock
  } catch (cause) {
    const what = `A backup to ${target} is under way already, or ${partial.path} cannot be written.`
    throw new Error(what, { cause })
  }
}

async function write(
  source: DataFolder,
  partial: DataFolder,
  { withMasterKey, clock, ...work }: BackupOptions,
): Promise<BackupManifest> {
  const made_at = isoTime(clock.nowMs())
  const copied = await fromFolder(source, (from) =>
    toFolder(partial, (target) => copyStores({ source: from, target, work })),
  )
  const small = [operatorTokenFile, ...(withMasterKey ? ['master.key'] : [])]
  for (const name of small.filter((one) => existsSync(join(source.path, one)))) {
    copyPrivate(join(source.path, name), join(partial.path, name))
  }
  const files: Partial<Record<BackupFile, FileDigest>> = {}
  for (const name of backupFiles.filter((one) => existsSync(join(partial.path, one)))) {
    syncPath(join(partial.path, name))
    files[name] = await digestOfFile(join(partial.path, name), work.signal)
  }
  const manifest: BackupManifest = { format: 1, made_at, ...copied, files }
  const file = join(partial.path, manifestName)
  writeFileSync(file, `${JSON.stringify(manifest, undefined, 2)}\n`, { mode: 0o600, flag: 'wx' })
  syncPath(file)
  return manifest
}

/** Copies a small file, for its owner alone, to the disk. */
export function copyPrivate(from: string, to: string): void {
  writeFileSync(to, readFileSync(from), { mode: 0o600, flag: 'wx' })
  syncPath(to)
}

/** The files that the backup has. */
export function filesIn({ files }: BackupManifest): readonly BackupFile[] {
  return backupFiles.filter((name) => files[name])
}

/** Reads every byte of a backup. Rejects with an `Error` that says what to do, and names the file that is not as it was made. */
export async function checkBackup(folder: string, work: LongWork): Promise<BackupManifest> {
  const manifest = readManifest(folder)
  const names = filesIn(manifest)
  for (const [index, name] of names.entries()) {
    work.onProgress('Checking files', index, names.length)
    const path = join(folder, name)
    if (!existsSync(path)) throw changed(path, 'it is gone')
    const { bytes, sha256 } = await digestOfFile(path, work.signal)
    const expected = manifest.files[name]
    if (bytes !== expected?.bytes || sha256 !== expected.sha256) {
      throw changed(path, 'it has been changed')
    }
  }
  return manifest
}

function readManifest(folder: string): BackupManifest {
  const file = join(folder, manifestName)
  if (!existsSync(file)) {
    throw new Error(
      `${folder} is no backup that vigil backup has finished: it has no ${manifestName} that can be read.`,
    )
  }
  const manifest = parsed(readFileSync(file, 'utf8'))
  const { format, log, keys, files } = manifest ?? {}
  if (typeof format === 'number' && format > 1) {
    throw new Error(`Cannot use ${file}: a newer version of the program has made it.`)
  }
  // what it says of log and keys is compared with what is copied from them
  if (manifest && log && keys && files?.['log.db'] && files['keys.db']) return manifest
  throw changed(file, 'it has been changed')
}

function parsed(text: string): BackupManifest | undefined {
  try {
    return JSON.parse(text) as BackupManifest
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

function changed(path: string, what: string): Error {
  return new Error(
    `Cannot use ${path}: ${what} since the backup was made. Take another copy of the backup, or an older one.`,
  )
}
