/** Whether what is to be moved is whole, before anything is written. */

import { existsSync, statSync } from 'node:fs'
import type { DataFolder } from '../../../stores/embedded/dataFolder.ts'
import { inspectLog, logLossRefusal } from '../../../stores/embedded/inspectStores.ts'
import { type LogReader, openLogReader } from '../../../stores/embedded/logReader.ts'
import { findMasterKey } from '../../opening/installation.ts'
import { findKeyLoss, keyLossRefusal } from '../../opening/openKeys.ts'

/** Throws an `Error` that says what to do when there is nothing to move. */
export function refuseNothingToMove({ path, log, keys, onServers }: DataFolder): void {
  if ([log, keys].some((file) => (statSync(file, { throwIfNoEntry: false })?.size ?? 0) > 0)) return
  throw new Error(
    existsSync(onServers)
      ? `The log and the keys of ${path} are kept by servers already.`
      : `There is no data of Vigil in ${path}.`,
  )
}

/** Throws an `Error` that says what to do. */
export async function checkSource(
  folder: DataFolder,
  masterKey: Uint8Array | undefined,
): Promise<void> {
  const found = findMasterKey({ folder: folder.path, ...(masterKey && { masterKey }) })
  const of = { folder, masterKey: found }
  const loss = isLogMoved(folder)
    ? await findKeyLoss({ ...of, head: 1, readTail: () => [] })
    : await withLog(folder, ({ head, readTail }) => findKeyLoss({ ...of, head: head(), readTail }))
  if (loss) throw keyLossRefusal(loss)
}

/** Whether an earlier move ended when it had set aside the log, and not yet the keys. */
export function isLogMoved({ log, onServers }: DataFolder): boolean {
  return existsSync(onServers) && !existsSync(log)
}

async function withLog<Result>(
  folder: DataFolder,
  work: (log: LogReader) => Promise<Result>,
): Promise<Result> {
  const loss = inspectLog(folder)
  if (loss) throw logLossRefusal(loss, folder.log)
  const log = openLogReader(folder.log)
  try {
    return await work(log)
  } finally {
    log.close()
  }
}
