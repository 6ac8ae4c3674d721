/**
 * Lays a backup out in a data folder that no service uses. What stands there is kept aside; events that it has and the backup lacks are
 * given up only when that was said to be meant; keys are never given up, and none that was destroyed comes back.
 */

import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { startRefusal } from '../../../stores/embedded/databaseTrouble.ts'
import { type DataFolder, lockFolder } from '../../../stores/embedded/dataFolder.ts'
import { refuseKeysElsewhere, refuseOwnKeys } from '../../../stores/embedded/keysElsewhere.ts'
import type { MergedKeys } from '../../../stores/embedded/mergeKeys.ts'
import { removeViews } from '../../../stores/embedded/readStoreFile.ts'
import { type OpenedMongo, openMongo } from '../../opening/openMongo.ts'
import type { LongWork } from '../longWork.ts'
import { type Restored, type RestoreOptions, restoreLosses } from '../restoreFolder.ts'
import type { BackupManifest } from './backupManifest.ts'
import { checkBackup } from './checkBackup.ts'
import { findLack, type Lack, witnessEnd } from './findLack.ts'
import { layOut } from './layOut.ts'
import { refuseOtherMasterKey } from './layOutKeys.ts'
import { masterKeyOfBackup } from './masterKeyOfBackup.ts'
import { openForRestore } from './openForRestore.ts'

export interface RestoreBackupOptions extends RestoreOptions, LongWork {
  /** The folder that `vigil backup` has made. */
  readonly backup: string
}

export interface RestoredBackup extends Restored {
  readonly backup: string
  readonly manifest: BackupManifest
  /** What stood in the folder and is not in the backup; undefined when nothing is known to be. */
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
  const backup = resolve(options.backup)
  try {
    const { manifest } = await checkBackup(backup, options)
    const { folder, leaveUnchanged } = openForRestore(options.dataFolder)
    refuseOtherPlace(folder, manifest)
    if (options.mongoDbUrl === undefined) refuseKeysElsewhere(folder)
    else refuseOwnKeys(folder)
    const unlock = lockFolder(folder)
    try {
      const mongo = await openMongo(options.mongoDbUrl)
      try {
        return await restoreInto(folder, { backup, manifest, mongo }, options)
      } finally {
        await mongo?.close()
      }
    } finally {
      try {
        leaveUnchanged()
      } finally {
        unlock()
      }
    }
  } catch (error) {
    throw startRefusal(error)
  }
}

/** Where the log is kept must be the same in both. */
function refuseOtherPlace({ path, log, logElsewhere }: DataFolder, manifest: BackupManifest): void {
  if (manifest.log && existsSync(logElsewhere)) {
    throw new Error(
      `The log of ${path} is kept by the server in EVENTSTORE_URL, the backup has one of its own: name another folder with --data.`,
    )
  }
  if (!manifest.log && existsSync(log)) {
    throw new Error(
      `${path} has a log of its own, the backup is of a folder whose log a server keeps: name another folder with --data.`,
    )
  }
}

interface Made {
  readonly backup: string
  readonly manifest: BackupManifest
  /** Where the keys go; undefined when the folder keeps them. */
  readonly mongo: OpenedMongo | undefined
}

async function restoreInto(
  folder: DataFolder,
  { backup, manifest, mongo }: Made,
  options: RestoreBackupOptions,
): Promise<RestoredBackup> {
  if (mongo) await refuseOtherMasterKey(join(backup, 'keys.db'), mongo)
  const lack = manifest.log && findLack(folder, join(backup, 'log.db'), mongo?.witnesses)
  const report = { backup, manifest, folder: folder.path, lack, losses: [] }
  if (lack && !options.accept.log) return report
  const masterKey = masterKeyOfBackup(folder, backup, options)
  if (lack) witnessEnd(folder, lack, options.clock.nowMs())
  const laidOut = await layOut(folder, { backup, manifest, masterKey, mongo, options })
  // a log kept by a server is asked at the start
  const losses = manifest.log ? await restoreLosses(folder, { ...options, mongo }) : []
  if (losses.every(({ recorded_at }) => recorded_at !== undefined)) {
    removeViews(folder.path)
  }
  return { ...report, laidOut, losses }
}
