/** Moves log and keys of a data folder to EventStoreDB and MongoDB, and marks it as moved. */

import { existsSync } from 'node:fs'
import { explainStartError } from '../embedded/databaseErrors.ts'
import {
  type DataFolder,
  lockFolder,
  markMovedToServers,
  openFolderToRead,
  readFileSize,
} from '../embedded/dataFolder.ts'
import { inspectKeys, inspectLog } from '../embedded/inspectStores.ts'
import { findMasterKey } from '../embedded/installationSecrets.ts'
import { keyLossError, logLossError } from '../losses.ts'
import {
  type CopyProgress,
  type CopyResult,
  copyStores,
  type TransferTarget,
} from './copyStores.ts'
import { withFolderSource } from './folderStores.ts'
import { createServerTarget, type ServerUrls, withServers } from './serverStores.ts'

export interface MoveOptions extends CopyProgress {
  /** The data folder, which no service uses. */
  readonly from: string
  /** As the service has it; undefined for the one kept in the folder. */
  readonly masterKey?: Uint8Array | undefined
}

export interface MigrationSummary extends CopyResult {
  /** The absolute path of the data folder. */
  readonly from: string
}

/**
 * Rejects with an `Error` with advice; then the folder is unchanged, or running it again completes the move. Data that
 * is there already is not written a second time.
 */
export function migrateFolder({
  servers,
  ...options
}: MoveOptions & { readonly servers: ServerUrls }): Promise<MigrationSummary> {
  return moveFolder(options, (move) =>
    withServers(servers, ({ events, mongo }) => {
      if (mongo.witnesses.length === 0) return move(createServerTarget(events, mongo.keyRecords))
      throw new Error(
        `The database ${mongo.databaseName} that MONGODB_URL names is of another Vigil: name one that is empty. Nothing was written.`,
      )
    }),
  )
}

/** Same, to stores that are opened once the folder is known to be complete. */
export async function moveFolder(
  { from, masterKey, ...work }: MoveOptions,
  withTarget: (move: (target: TransferTarget) => Promise<CopyResult>) => Promise<CopyResult>,
): Promise<MigrationSummary> {
  const folder = openFolderToRead(from)
  refuseNothingToMove(folder)
  const unlock = lockFolder(folder)
  try {
    refuseLosses(folder, masterKey)
    const copied = await withTarget((target) =>
      withFolderSource(folder, (source) => copyStores({ source, target, work })),
    )
    // from here on no service starts on what the folder has
    markMovedToServers(folder)
    return { from: folder.path, ...copied }
  } catch (error) {
    throw explainStartError(error)
  } finally {
    unlock()
  }
}

function refuseNothingToMove({ path, log, keys, movedMarkerFile }: DataFolder): void {
  if (existsSync(movedMarkerFile)) {
    throw new Error(`The log and the keys of ${path} are kept by servers already.`)
  }
  if (readFileSize(log) + readFileSize(keys) === 0)
    throw new Error(`There is no data of Vigil in ${path}.`)
}

function refuseLosses(folder: DataFolder, masterKey: Uint8Array | undefined): void {
  const lostLog = inspectLog(folder)
  if (lostLog) throw logLossError(lostLog, folder.log)
  const found = findMasterKey({ folder: folder.path, masterKey })
  const lostKeys = inspectKeys(folder, { masterKey: found, isLogInUse: true })
  if (lostKeys) throw keyLossError(lostKeys)
}
