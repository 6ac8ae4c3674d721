/** The data folder that a backup goes into, and how to leave it as it was when nothing was changed. */

import { existsSync, readdirSync, rmdirSync, rmSync } from 'node:fs'
import { basename, dirname, resolve } from 'node:path'
import { type DataFolder, openDataFolder } from '../../../stores/embedded/dataFolder.ts'

interface FolderForRestore {
  readonly folder: DataFolder
  /**
   * To be called while the folder is locked, so that nobody else has come to use it: when nothing but the lock was added, that is deleted,
   * and so are the folders that were made.
   */
  readonly leaveUnchanged: () => void
}

/** Makes the folder when it is missing. Throws like `openDataFolder`. */
export function openForRestore(dataFolder: string): FolderForRestore {
  const missing = missingFolders(resolve(dataFolder))
  const folder = openDataFolder(dataFolder)
  const before = new Set(readdirSync(folder.path))
  const ofLock = [folder.lock, `${folder.lock}-wal`, `${folder.lock}-shm`]
  const lockNames = new Set(ofLock.map((file) => basename(file)))
  return {
    folder,
    leaveUnchanged: () => {
      const added = readdirSync(folder.path).filter((name) => !before.has(name))
      if (added.some((name) => !lockNames.has(name))) return
      if (!before.has(basename(folder.lock))) {
        for (const file of ofLock) rmSync(file, { force: true })
      }
      for (const made of missing) if (readdirSync(made).length === 0) rmdirSync(made)
    },
  }
}

/** Those that are not there, the innermost first. */
function missingFolders(path: string): readonly string[] {
  if (existsSync(path) || dirname(path) === path) return []
  return [path, ...missingFolders(dirname(path))]
}
