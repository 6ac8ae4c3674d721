/** A data folder whose sealing keys a server keeps: a file in it says so, for whoever would open the folder without that server. */

import { existsSync, statSync, writeFileSync } from 'node:fs'
import { openRefusal } from './databaseTrouble.ts'
import type { DataFolder } from './dataFolder.ts'

type Folder = Pick<DataFolder, 'path' | 'keys' | 'keysElsewhere'>

/** Throws an `Error` that says what to do when the folder has sealing keys of its own, or still those that were to be moved. */
export function refuseOwnKeys({ path, keys, keysElsewhere }: Folder): void {
  const bytes = statSync(keys, { throwIfNoEntry: false })?.size ?? 0
  if (bytes === 0) return
  if (existsSync(keysElsewhere)) {
    // a service would make new keys there, and leave here every key that is destroyed from now on
    throw new Error(
      `Cannot use ${path}: a migration of its sealing keys was interrupted before ${keys} was set aside. Run vigil migrate again with the same servers.`,
    )
  }
  throw new Error(
    `Cannot use ${path} with MONGODB_URL: it has sealing keys of its own, ${keys}, which would be left behind. Move them with vigil migrate, name another folder with VIGIL_DATA, or leave MONGODB_URL unset.`,
  )
}

/** Writes down that a server keeps the keys. Throws an `Error` that names the file when it cannot be written. */
export function noteKeysElsewhere({ keysElsewhere: file }: Folder): void {
  if (existsSync(file)) return
  try {
    const text = 'The sealing keys of this folder are kept by the server in MONGODB_URL.\n'
    writeFileSync(file, text, { mode: 0o600 })
  } catch (error) {
    throw openRefusal(error, file)
  }
}

/** Throws an `Error` that says what to do when a server keeps the keys of the folder. */
export function refuseKeysElsewhere({ path, keysElsewhere }: Folder): void {
  if (!existsSync(keysElsewhere)) return
  throw new Error(
    `Cannot use ${path} without its sealing keys, which a MongoDB keeps: set MONGODB_URL to it, or name another folder with VIGIL_DATA.`,
  )
}
