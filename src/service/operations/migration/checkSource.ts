/** Whether what is to be moved is whole, and where it is to be moved to is free: before anything is written. */

import { existsSync } from 'node:fs'
import type { DataFolder } from '../../../stores/embedded/dataFolder.ts'
import { inspectLog, logLossRefusal } from '../../../stores/embedded/inspectLog.ts'
import { openLogReader } from '../../../stores/embedded/logReader.ts'
import { findKeyLoss, keyLossRefusal } from '../../opening/findKeyLoss.ts'
import { findMasterKey } from '../../opening/installation.ts'
import type { Migration } from './migrateFolder.ts'

/** Throws an `Error` that says what to do. */
export async function checkSource(migration: Migration): Promise<void> {
  const { folder, moves, mongo } = migration
  // a migration that was interrupted at its end has witnesses of both
  const keysStay = !existsSync(folder.keysElsewhere)
  if (mongo && keysStay && mongo.witnesses.length > 0) {
    throw new Error(
      `The database ${mongo.database.databaseName} that MONGODB_URL names is of another Vigil: name one that is empty. Nothing was written.`,
    )
  }
  const loss = existsSync(folder.logElsewhere) ? undefined : inspectLog(folder, mongo?.witnesses)
  if (loss) throw logLossRefusal(loss, folder.log)
  if (moves.keys) await refuseKeyLoss(migration)
}

async function refuseKeyLoss({ folder, options: { masterKey } }: Migration): Promise<void> {
  const found = findMasterKey({ folder: folder.path, ...(masterKey && { masterKey }) })
  const loss = await withLog(folder, (log) => findKeyLoss({ folder, masterKey: found, ...log }))
  if (loss) throw keyLossRefusal(loss)
}

type LogOfKeys = Pick<Parameters<typeof findKeyLoss>[0], 'head' | 'readTail'>

/** Of a log that a server keeps nothing is asked: what it names is asked for at the start. */
async function withLog<Result>(
  { log }: DataFolder,
  work: (log: LogOfKeys) => Promise<Result>,
): Promise<Result> {
  if (!existsSync(log)) return work({ head: 1, readTail: () => [] })
  const reader = openLogReader(log)
  try {
    return await work({ head: reader.head(), readTail: reader.readTail })
  } finally {
    reader.close()
  }
}
