/** A data folder whose log is kept by a server: a file in it says so, for whoever would open the folder without that server. */

import { existsSync, statSync, writeFileSync } from 'node:fs'
import { openRefusal } from './databaseTrouble.ts'
import type { DataFolder } from './dataFolder.ts'

type Folder = Pick<DataFolder, 'path' | 'log' | 'logElsewhere'>

/** Throws an `Error` that says what to do when the folder has a log of its own, or still the one that was to be moved. */
export function refuseOwnLog({ path, log, logElsewhere }: Folder): void {
  const bytes = statSync(log, { throwIfNoEntry: false })?.size ?? 0
  if (bytes === 0) return
  if (existsSync(logElsewhere)) {
    // what a service would write there could not be told from the events of somebody else
    throw new Error(
      `Cannot use ${path}: a migration of its log was interrupted before ${log} was set aside. Run vigil migrate again with the same servers.`,
    )
  }
  throw new Error(
    `Cannot use ${path} with EVENTSTORE_URL: it has a log of its own, ${log}, which would be left behind. Move it with vigil migrate, name another folder with VIGIL_DATA, or leave EVENTSTORE_URL unset.`,
  )
}

/** Writes down that a server keeps the log. Throws an `Error` that names the file when it cannot be written. */
export function noteLogElsewhere({ logElsewhere: file }: Folder): void {
  if (existsSync(file)) return
  try {
    const text = 'The log of this folder is kept by the server in EVENTSTORE_URL.\n'
    writeFileSync(file, text, { mode: 0o600 })
  } catch (error) {
    throw openRefusal(error, file)
  }
}

/** Throws an `Error` that says what to do when a server keeps the log of the folder. */
export function refuseLogElsewhere({ path, logElsewhere }: Folder): void {
  if (!existsSync(logElsewhere)) return
  throw new Error(
    `Cannot use ${path} without its log, which an EventStoreDB keeps: set EVENTSTORE_URL to it, or name another folder with VIGIL_DATA.`,
  )
}
