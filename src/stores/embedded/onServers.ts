/** A data folder whose log and keys servers keep: a file in it says so, so that it is not started without them as if it were empty. */

import { existsSync, statSync, writeFileSync } from 'node:fs'
import { openRefusal } from './databaseTrouble.ts'
import type { DataFolder } from './dataFolder.ts'

type Folder = Pick<DataFolder, 'path' | 'log' | 'keys' | 'onServers'>

/** Writes down that servers keep log and keys. Throws an `Error` that names the file when it cannot be written. */
export function noteServers({ onServers: file }: Folder): void {
  if (existsSync(file)) return
  try {
    const text =
      'EVENTSTORE_URL and MONGODB_URL name the servers that keep what was in this folder.\n'
    writeFileSync(file, text, { mode: 0o600 })
  } catch (error) {
    throw openRefusal(error, file)
  }
}

/** Throws an `Error` that says what to do when servers keep log and keys of the folder. */
export function refuseServers({ path, onServers }: Folder): void {
  if (!existsSync(onServers)) return
  throw new Error(
    `Cannot use ${path} by itself: servers keep its log and its keys. Set EVENTSTORE_URL and MONGODB_URL to them, or name another folder with VIGIL_DATA.`,
  )
}

/** Throws an `Error` that says what to do when the folder has a log or keys of its own, which would be left behind. */
export function refuseOwnStores(
  { path, onServers, ...folder }: Folder,
  stores: readonly ('log' | 'keys')[] = ['log', 'keys'],
): void {
  const own = stores
    .map((store) => folder[store])
    .find((file) => (statSync(file, { throwIfNoEntry: false })?.size ?? 0) > 0)
  if (own === undefined) return
  if (existsSync(onServers)) {
    throw new Error(
      `Cannot use ${path}: a move to servers was interrupted before ${own} was set aside. Run vigil migrate again with the same servers.`,
    )
  }
  throw new Error(
    `Cannot use ${path} with EVENTSTORE_URL and MONGODB_URL: it has ${own}, which would be left behind. Move it with vigil migrate, name another folder with VIGIL_DATA, or leave both unset.`,
  )
}
