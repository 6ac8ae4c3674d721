/** Makes backups of a data folder, even one in use, and restores one into an unused folder. */

/*
 * Both are one copy by `copyStores` (docs/decisions/backups-read-the-files.md).
 */

import { copyFileSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import type { Clock } from '../../domain/clock.ts'
import { isoTime } from '../../domain/text/isoTime.ts'
import { explainStartError, explainStoreFault, isDamage } from '../embedded/databaseErrors.ts'
import {
  type DataFolder,
  databaseSuffixes,
  dataFolderAt,
  lockFolder,
  openDataFolder,
  openFolderToRead,
  readFileSize,
  rejectMovedFolder,
  syncPath,
  writeFileDurably,
} from '../embedded/dataFolder.ts'
import { openKeyRecords } from '../embedded/embeddedKeyStore.ts'
import { inspectLog } from '../embedded/inspectStores.ts'
import { removeReadStoreFile } from '../embedded/readStoreFile.ts'
import { logLossError, logLossText } from '../losses.ts'
import { encodeLossEvent, type LossOptions, recordLoss } from './acceptLoss.ts'
import { type CopyProgress, type CopyResult, copyKeys, copyStores } from './copyStores.ts'
import { withFolderSource, withFolderTarget } from './folderStores.ts'

export interface BackupOptions extends CopyProgress {
  readonly dataFolder: string
  /** The folder to make; its parent exists. */
  readonly target: string
  /** Whether `master.key` comes along: together with the keys it opens everything. */
  readonly withMasterKey: boolean
  readonly clock: Clock
}

/** `backup.json`: what a backup holds, so that one that was changed, cut or put together of two is known. */
interface BackupManifest extends CopyResult {
  /** A newer program may write another one. */
  readonly format: 1
  /** When it was begun: ISO 8601. */
  readonly made_at: string
}

export interface Backup {
  /** The absolute paths of the data folder and of the backup. */
  readonly of: string
  readonly backup: string
  readonly manifest: BackupManifest
  /** Where the master key is to be found, without which the backup cannot be read. */
  readonly masterKey: 'in the backup' | 'in the data folder' | 'not in the data folder'
}

const manifestName = 'backup.json'

/** Rejects with an `Error` with advice; files written so far are removed. */
export async function makeBackup(options: BackupOptions): Promise<Backup> {
  const { withMasterKey, clock, ...work } = options
  const source = openFolderToRead(options.dataFolder)
  const target = resolve(options.target)
  refuseSource(source, withMasterKey)
  if (existsSync(target)) {
    throw new Error(
      `${target} exists already: a backup is never written over. Name another folder.`,
    )
  }
  const partial = dataFolderAt(`${target}.partial`)
  rmSync(partial.path, { recursive: true, force: true })
  try {
    mkdirSync(partial.path, { mode: 0o700 })
    const made_at = isoTime(clock.nowMs())
    const copied = await withFolderSource(source, (from) =>
      withFolderTarget({ log: partial.log, keys: partial.keys }, (to) =>
        copyStores({ source: from, target: to, work }),
      ),
    )
    copyFile(source.operatorToken, partial.operatorToken)
    if (withMasterKey) copyFile(source.masterKey, partial.masterKey)
    const manifest: BackupManifest = { format: 1, made_at, ...copied }
    writeFileDurably(
      join(partial.path, manifestName),
      `${JSON.stringify(manifest, undefined, 2)}\n`,
    )
    renameSync(partial.path, target)
    return { of: source.path, backup: target, manifest, masterKey: keptIn(source, withMasterKey) }
  } catch (error) {
    rmSync(partial.path, { recursive: true, force: true })
    throw explainStoreFault(explainStartError(error), partial.path)
  }
}

function refuseSource(source: DataFolder, withMasterKey: boolean): void {
  if (existsSync(source.movedMarkerFile)) {
    throw new Error(
      `Servers keep the log and the keys of ${source.path}: back up the EventStoreDB first, then the MongoDB, by their own means.`,
    )
  }
  if (readFileSize(source.keys) === 0 || readFileSize(source.log) === 0) {
    throw new Error(
      `There is no data of Vigil in ${source.path}, or some of it is lost: vigil restore says what.`,
    )
  }
  const loss = inspectLog(source)
  if (loss) throw logLossError(loss, source.log)
  if (withMasterKey && !existsSync(source.masterKey)) {
    throw new Error(
      `${source.masterKey} is not there: the master key is the one in VIGIL_MASTER_KEY, which you have to keep.`,
    )
  }
}

function keptIn({ masterKey }: DataFolder, withMasterKey: boolean): Backup['masterKey'] {
  if (withMasterKey) return 'in the backup'
  return existsSync(masterKey) ? 'in the data folder' : 'not in the data folder'
}

/** A small file, where there is one. */
function copyFile(from: string, to: string): void {
  if (existsSync(from)) writeFileDurably(to, readFileSync(from))
}

export interface RestoreBackupOptions extends LossOptions, CopyProgress {
  readonly dataFolder: string
  /** The folder that `vigil backup` has made. */
  readonly backup: string
  /** Whether events that the folder has seen and the backup lacks are given up. */
  readonly acceptLoss: boolean
}

export interface RestoredBackup {
  /** The absolute paths of the data folder and of the backup. */
  readonly folder: string
  readonly backup: string
  readonly manifest: BackupManifest
  /** What the backup lacks: a sentence without its end. Undefined when nothing is known to be lacking. */
  readonly lack: string | undefined
  /** Undefined when nothing was changed, since the lack was not accepted. */
  readonly laidOut?: {
    /** Position of the event that records the lack. */
    readonly recorded_at?: string
    /** The folder to which what stood there was moved; absent when nothing stood there. */
    readonly replaced?: string
  }
}

/**
 * Restores the backup; existing files of the folder are moved aside, but keys that were destroyed there stay destroyed.
 * Rejects with an `Error` with advice; killed at any point it can be repeated, and no service starts in between.
 */
export async function restoreBackup(options: RestoreBackupOptions): Promise<RestoredBackup> {
  const backup = openFolderToRead(options.backup)
  const manifest = readManifest(backup.path)
  const folder = openDataFolder(options.dataFolder)
  rejectMovedFolder(folder)
  const unlock = lockFolder(folder)
  try {
    const loss = inspectLog({ ...folder, log: backup.log })
    const lack = loss && `the log of the backup: ${logLossText(loss)}`
    const report = { folder: folder.path, backup: backup.path, manifest, lack }
    if (loss && !options.acceptLoss) return report
    const staging = dataFolderAt(join(folder.path, 'restoring'))
    await stage({ backup, manifest, folder, staging }, options)
    const recordedAt = loss && recordLoss(staging, encodeLossEvent(loss, options))
    const replaced = exchange(folder, staging, options.clock.nowMs())
    const recorded = recordedAt !== undefined && { recorded_at: String(recordedAt) }
    return { ...report, laidOut: { ...recorded, ...(replaced !== undefined && { replaced }) } }
  } catch (error) {
    throw explainStartError(error)
  } finally {
    unlock()
  }
}

function readManifest(folder: string): BackupManifest {
  const file = join(folder, manifestName)
  if (!existsSync(file)) {
    throw new Error(
      `${folder} is no backup that vigil backup has finished: it has no ${manifestName} that can be read.`,
    )
  }
  let manifest: Partial<BackupManifest>
  try {
    manifest = JSON.parse(readFileSync(file, 'utf8')) as Partial<BackupManifest>
  } catch (error) {
    throw error instanceof SyntaxError ? changed(file) : error
  }
  if (Number(manifest?.format) > 1) {
    throw new Error(`Cannot use ${file}: a newer version of the program has made it.`)
  }
  // what it says of log and keys is compared with what is copied from them
  if (manifest?.log && manifest.keys) return manifest as BackupManifest
  throw changed(file)
}

function changed(path: string): Error {
  return new Error(
    `Cannot use ${path}: it has been changed since the backup was made. Take another copy of the backup, or an older one.`,
  )
}

interface Staging {
  readonly backup: DataFolder
  readonly manifest: BackupManifest
  readonly folder: DataFolder
  /** In the folder itself, so that its files need only be renamed. */
  readonly staging: DataFolder
}

/** Copies everything, compares it with what the backup says of itself, and adds the keys that stand in the folder. */
async function stage({ backup, manifest, folder, staging }: Staging, work: CopyProgress) {
  rmSync(staging.path, { recursive: true, force: true })
  mkdirSync(staging.path, { mode: 0o700 })
  await withFolderTarget(staging, async (target) => {
    const { log, keys } = await withFolderSource(backup, (source) =>
      copyStores({ source, target, work }),
    )
    if (log.digest !== manifest.log.digest) throw changed(backup.log)
    if (keys.digest !== manifest.keys.digest) throw changed(backup.keys)
    await mergeKeys(folder, target, work)
  })
  copyFile(backup.operatorToken, staging.operatorToken)
  copyFile(backup.masterKey, staging.masterKey)
}

/**
 * The keys that stand there are newer, and what was destroyed there must not come back: unless they are damaged or of
 * another master key.
 */
async function mergeKeys(
  { keys: file }: DataFolder,
  target: Parameters<Parameters<typeof withFolderTarget>[1]>[0],
  work: CopyProgress,
): Promise<void> {
  if (readFileSize(file) === 0) return
  try {
    const keys = openKeyRecords(file)
    try {
      const [existing, copied] = [await keys.proof(), await target.keys.proof()]
      if (!existing || !copied || !Buffer.from(existing).equals(copied)) return
      await copyKeys({ source: { keys }, target, work })
    } finally {
      keys.close()
    }
  } catch (error) {
    if (!isDamage(error)) throw error
  }
}

/**
 * Puts the files into their places, and what stood there aside. The log goes first and comes last: from the new witness
 * on, which takes the place of the old one, a service that is started in between misses it.
 */
function exchange(folder: DataFolder, staging: DataFolder, nowMs: number): string | undefined {
  const at = isoTime(nowMs).replaceAll(/[-:.]/g, '')
  const aside = join(folder.path, `replaced-${at}`)
  const setAside = (file: string, keep: (from: string, to: string) => void): void => {
    for (const suffix of databaseSuffixes) {
      const from = `${file}${suffix}`
      if (!existsSync(from)) continue
      mkdirSync(aside, { mode: 0o700, recursive: true })
      const move = suffix === '' ? keep : renameSync
      move(from, join(aside, basename(from)))
    }
  }
  setAside(folder.log, renameSync)
  renameSync(staging.witness, folder.witness)
  for (const name of ['keys', 'operatorToken', 'masterKey'] as const) {
    if (!existsSync(staging[name])) continue
    // a copy: killed in between, the command that is repeated still finds which keys were destroyed
    setAside(folder[name], copyFileSync)
    renameSync(staging[name], folder[name])
  }
  removeReadStoreFile(folder.path)
  syncPath(folder.path)
  renameSync(staging.log, folder.log)
  syncPath(folder.path)
  rmSync(staging.path, { recursive: true, force: true })
  return existsSync(aside) ? aside : undefined
}
