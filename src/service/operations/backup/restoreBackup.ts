/**
 * Lays a backup out in a data folder that no service uses. What stands there is kept aside; events that it has and the backup lacks are
 * given up only when that was said to be meant; keys are never given up, and none that was destroyed comes back.
 */

import { join, resolve } from 'node:path'
import { startRefusal } from '../../../stores/embedded/databaseTrouble.ts'
import { type DataFolder, lockFolder } from '../../../stores/embedded/dataFolder.ts'
import type { MergedKeys } from '../../../stores/embedded/mergeKeys.ts'
import { refuseServers } from '../../../stores/embedded/onServers.ts'
import { removeViews } from '../../../stores/embedded/readStoreFile.ts'
import type { LongWork } from '../longWork.ts'
import { type Restored, type RestoreOptions, restoreLosses } from '../restoreFolder.ts'
import type { BackupManifest } from './backupManifest.ts'
import { checkBackup } from './checkBackup.ts'
import { findLack, type Lack, witnessEnd } from './findLack.ts'
import { layOut } from './layOut.ts'
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
    refuseServers(folder)
    const unlock = lockFolder(folder)
    try {
      return await restoreInto(folder, { backup, manifest }, options)
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

interface Made {
  readonly backup: string
  readonly manifest: BackupManifest
}

async function restoreInto(
  folder: DataFolder,
  { backup, manifest }: Made,
  options: RestoreBackupOptions,
): Promise<RestoredBackup> {
  const lack = findLack(folder, join(backup, 'log.db'))
  const report = { backup, manifest, folder: folder.path, lack, losses: [] }
  if (lack && !options.accept.log) return report
  const masterKey = masterKeyOfBackup(folder, backup, options)
  if (lack) witnessEnd(folder, lack, options.clock.nowMs())
  const laidOut = await layOut(folder, { backup, manifest, masterKey, options })
  const losses = await restoreLosses(folder, options)
  if (losses.every(({ recorded_at }) => recorded_at !== undefined)) {
    removeViews(folder.path)
  }
  return { ...report, laidOut, losses }
}
