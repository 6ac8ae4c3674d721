/**
 * Lays a backup out in a data folder that no service uses. What stands there is kept aside; events that it has and the backup lacks are
 * given up only when that was said to be meant; keys are never given up, and none that was destroyed comes back.
 */

import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { isoTime } from '../../domain/isoTime.ts'
import { isDamage, startRefusal } from '../embedded/databaseTrouble.ts'
import { type DataFolder, dataFolder, lockFolder, openDataFolder } from '../embedded/dataFolder.ts'
import { syncPath } from '../embedded/durableFile.ts'
import { inspectLog, logLossText } from '../embedded/inspectStores.ts'
import { findMasterKey } from '../embedded/installation.ts'
import { endOf, type LogEnd } from '../embedded/logRows.ts'
import { refuseServers } from '../embedded/onServers.ts'
import { isMasterKeyOf, openKeptKeys } from '../embedded/openKeptKeys.ts'
import { removeViews } from '../embedded/readStoreFile.ts'
import { bearWitness } from '../embedded/recordLoss.ts'
import { type Database, hasTable, openDatabase, readDatabase } from '../embedded/sqlite.ts'
import { forgetWitnessed, readWitnessFile } from '../embedded/witnesses.ts'
import { type LossOptions, type Restored, restoreLosses } from './acceptLoss.ts'
import {
  type BackupFile,
  type BackupManifest,
  checkBackup,
  copyPrivate,
  filesIn,
} from './backup.ts'
import { copyKeys, copyStores, type LongWork } from './copyStores.ts'
import {
  type FolderTarget,
  fromFolder,
  type MergedKeys,
  refuseWithoutRoom,
  toFolder,
} from './folderStores.ts'

export interface RestoreBackupOptions extends LossOptions, LongWork {
  readonly dataFolder: string
  /** The folder that `vigil backup` has made. */
  readonly backup: string
}

/** What stands in the data folder and is not in the backup. */
interface Lack {
  /** A sentence without its end. */
  readonly text: string
  /** Events, and accounts opened by them; unknown where the log that stood there cannot be read. */
  readonly events?: number
  readonly accounts?: number
  /** The end of the log that stands there, when it can be read. */
  readonly end?: LogEnd
}

export interface RestoredBackup extends Restored {
  readonly backup: string
  readonly manifest: BackupManifest
  /** Undefined when nothing is known to be lacking. */
  readonly lack: Lack | undefined
  /** Undefined when nothing was changed, since the lack was not said to be meant. */
  readonly laidOut?: {
    /** The folder to which what stood there was moved; undefined when nothing stood there. */
    readonly replaced?: string
    /** Undefined when there were no other keys that could be read. */
    readonly keptKeys?: MergedKeys
  }
}

/** Rejects with an `Error` that says what to do; killed at any point it can be done again, and no service starts in between. */
export async function restoreBackup(options: RestoreBackupOptions): Promise<RestoredBackup> {
  const backup = dataFolder(options.backup)
  try {
    const manifest = await checkBackup(resolve(options.backup), options)
    const standing = dataFolder(options.dataFolder)
    refuseServers(standing)
    const report = { backup: backup.path, manifest, folder: standing.path, losses: [] }
    const seen = findLack(standing, backup.log)
    if (seen && !options.accept.log) return { ...report, lack: seen }
    const takesMasterKey = needsMasterKeyOf(backup, standing, options)
    const folder = openDataFolder(options.dataFolder)
    const unlock = lockFolder(folder)
    try {
      // a service may have written until the folder was locked
      const lack = findLack(folder, backup.log)
      if (lack && !options.accept.log) return { ...report, lack }
      if (lack) witnessEnd(folder, lack, options.clock.nowMs())
      const laidOut = await layOut(folder, { backup, manifest, takesMasterKey, options })
      const losses = await restoreLosses(folder, options)
      if (losses.every(({ recorded_at }) => recorded_at !== undefined)) removeViews(folder.path)
      return { ...report, lack, laidOut, losses }
    } finally {
      unlock()
    }
  } catch (error) {
    throw startRefusal(error)
  }
}

/** By the word of the log that stands there, and of every witness of it. Throws an `Error` that says what to do when the backup is of another log. */
function findLack(folder: DataFolder, copy: string): Lack | undefined {
  const beyond = beyondCopy(folder.log, copy)
  if (beyond && !beyond.isSameLog) {
    throw new Error(
      `The backup is of another log than the one in ${folder.path}: name an empty folder with --data.`,
    )
  }
  if (beyond && beyond.events > 0) {
    const { events, accounts, end } = beyond
    const text = `${folder.log} has ${events} events that the backup lacks; ${accounts} of them opened accounts`
    return { text, events, accounts, end }
  }
  const loss = inspectLog({ ...folder, log: copy })
  return loss && { text: `the backup of log.db: ${logLossText(loss)}` }
}

/** What a log has beyond an older copy of it; undefined when there is no log, or it is damaged. */
function beyondCopy(log: string, copy: string) {
  const older = openDatabase({ file: copy, synchronous: 'NORMAL', readOnly: true })
  try {
    return readDatabase(log, (standing) => {
      if (!hasTable(standing, 'events')) return undefined
      const [end, copied] = [endOf(standing), endOf(older)]
      const isSameLog = end.position >= copied.position ? has(standing, copied) : has(older, end)
      const sql = `SELECT count(*) AS n, count(*) FILTER (WHERE type = 'AccountOpened') AS m FROM events WHERE position > ?`
      const counted = standing.prepare(sql).get(copied.position)
      return { end, isSameLog, events: Number(counted?.['n']), accounts: Number(counted?.['m']) }
    })
  } finally {
    older.close()
  }
}

function has(database: Database, { position, id }: LogEnd): boolean {
  if (position === 0) return true
  const found = database.prepare('SELECT id FROM events WHERE position = ?').get(position)
  return found?.['id'] === id
}

/** Has the witness know where the log that is given up had come to: no position of it is ever used again. */
function witnessEnd({ witness }: DataFolder, { end }: Lack, nowMs: number): void {
  if (!end || end.position === 0) return
  const known = readWitnessFile(witness, 'log')
  if (known && known.position >= end.position) return
  bearWitness(witness, { ...end, atMs: nowMs })
}

/** Whether `master.key` of the backup is to be laid out. Throws an `Error` that says what to do when none opens the keys of the backup. */
function needsMasterKeyOf(
  backup: DataFolder,
  folder: DataFolder,
  { masterKey, accept }: LossOptions,
): boolean {
  const opens = (key: Uint8Array | undefined) =>
    key !== undefined && isMasterKeyOf(backup.keys, key)
  if (opens(masterKey ?? findMasterKey({ folder: folder.path }))) return false
  if (!masterKey && opens(findMasterKey({ folder: backup.path }))) return true
  if (accept.keys) return false
  throw new Error(
    `The keys of ${backup.path} were made under a master key that is not here: set VIGIL_MASTER_KEY to it, or put it into ${folder.masterKey}. Nothing was changed. To go on without the personal data: --accept-key-loss.`,
  )
}

interface Made {
  readonly backup: DataFolder
  readonly manifest: BackupManifest
  readonly takesMasterKey: boolean
  readonly options: RestoreBackupOptions
}

/** Puts the files into their places, and what stood there aside. At no point between could a service start on half of it. */
async function layOut(
  folder: DataFolder,
  made: Made,
): Promise<NonNullable<RestoredBackup['laidOut']>> {
  const { manifest, takesMasterKey, options } = made
  // in the folder itself, so that the files need only be renamed
  const staging = join(folder.path, 'restoring')
  rmSync(staging, { recursive: true, force: true })
  mkdirSync(staging, { mode: 0o700 })
  const keptKeys = await stage(folder, staging, made)
  const at = isoTime(options.clock.nowMs()).replaceAll(/[-:.]/g, '')
  const aside = join(folder.path, `replaced-${at}`)
  const names = filesIn(manifest)
    .filter((name) => name !== 'master.key' || takesMasterKey)
    // the log last: keys without a log are known to lack one
    .toSorted((one, other) => Number(one === 'log.db') - Number(other === 'log.db'))
  for (const name of names) {
    setAside(folder, name, aside)
    renameSync(join(staging, name), join(folder.path, name))
  }
  syncPath(folder.path)
  rmSync(staging, { recursive: true, force: true })
  return { ...(existsSync(aside) && { replaced: aside }), ...(keptKeys && { keptKeys }) }
}

/** Copies everything, compares it with what the backup says of itself, and adds the keys that stand in the folder. */
async function stage(
  folder: DataFolder,
  staging: string,
  { backup, manifest, options }: Made,
): Promise<MergedKeys | undefined> {
  const bytes = Object.values(manifest.files).reduce((sum, file) => sum + file.bytes, 0)
  refuseWithoutRoom(staging, folder.path, bytes)
  const files = dataFolder(staging)
  const kept = await toFolder(files, async (target) => {
    const copied = await fromFolder(backup, (source) =>
      copyStores({ source, target, work: options }),
    )
    const isSame =
      copied.log.digest === manifest.log.digest && copied.keys.digest === manifest.keys.digest
    if (!isSame) throw new Error(`${staging} is not what ${backup.path} has: try again.`)
    return mergeStanding(folder, target, options)
  })
  for (const file of [files.log, files.keys]) syncPath(file)
  for (const name of filesIn(manifest).filter((one) => !existsSync(join(staging, one)))) {
    copyPrivate(join(backup.path, name), join(staging, name))
  }
  return kept
}

/** The keys that stand there are newer. Undefined when there are none of the same master key, or they are damaged. */
async function mergeStanding(
  { keys: file }: DataFolder,
  target: FolderTarget,
  work: LongWork,
): Promise<MergedKeys | undefined> {
  if (!readDatabase(file, (database) => hasTable(database, 'destroyed'))) return undefined
  try {
    const standing = openKeptKeys(file)
    try {
      const [proof, kept] = [await standing.proof(), await target.keys.proof()]
      if (!proof || !kept || !Buffer.from(proof).equals(kept)) return undefined
      target.takeMerged()
      await copyKeys({ source: { keys: standing }, target, work })
      return target.takeMerged()
    } finally {
      standing.close()
    }
  } catch (error) {
    if (isDamage(error) || isDamage((error as Error).cause)) return undefined
    throw error
  }
}

/** What SQLite keeps beside a database first: without it the database is older, which is known. */
function setAside(folder: DataFolder, name: BackupFile, aside: string): void {
  if (name === 'keys.db') forgetWitnessed(folder.witness, 'keys')
  for (const path of [`${name}-wal`, `${name}-shm`, name]) {
    const from = join(folder.path, path)
    if (!existsSync(from)) continue
    mkdirSync(aside, { mode: 0o700, recursive: true })
    renameSync(from, join(aside, path))
  }
}
