/** Moves the log of a data folder into an EventStoreDB: copies it, compares it from end to end, and has the folder go on with it there. */

import { existsSync } from 'node:fs'
import type { Clock } from '../../../domain/clock.ts'
import { startRefusal } from '../../../stores/embedded/databaseTrouble.ts'
import { type DataFolder, dataFolder, refuseNoFiles } from '../../../stores/embedded/dataFolder.ts'
import { lockFolder } from '../../../stores/embedded/folderLock.ts'
import { inspectLog } from '../../../stores/embedded/inspectLog.ts'
import { logLossRefusal } from '../../../stores/embedded/logLoss.ts'
import { openLogReader } from '../../../stores/embedded/logReader.ts'
import { eventStoreUrlMistakes } from '../../../stores/eventStoreUrl.ts'
import type { LongWork } from '../longWork.ts'
import { type Agreement, compareStores } from './compareStores.ts'
import { copyEvents } from './copyEvents.ts'
import { switchFolder } from './switchFolder.ts'

export interface MigrateOptions extends LongWork {
  /** The data folder, which no service uses. */
  readonly from: string
  /** The connection string of the EventStoreDB. */
  readonly to: string
  readonly clock: Clock
  /** How long the EventStoreDB may be away in between; a minute unless given. */
  readonly patienceMs?: number
}

export interface Migrated {
  /** The absolute path of the data folder. */
  readonly from: string
  readonly events: number
  /** SHA-256 over all events, the same in both stores. */
  readonly digest: string
  /** Of the last event in the EventStoreDB; 0 without one. */
  readonly position: number
  /** Where the log of the folder was moved to. */
  readonly movedTo: string
}

/**
 * Rejects with an `Error` that says what to do; then the folder is as it was, or the same again brings it to its end. Events that are
 * there already are not written a second time.
 */
export async function migrateLog(options: MigrateOptions): Promise<Migrated> {
  const folder = dataFolder(options.from)
  const [mistake] = eventStoreUrlMistakes(options.to)
  if (mistake !== undefined) throw new Error(`The connection string ${mistake}`)
  refuseWithoutLog(folder)
  refuseNoFiles(folder)
  const unlock = lockFolder(folder)
  try {
    // one that was interrupted at its end has witnesses of both logs
    const loss = existsSync(folder.logElsewhere) ? undefined : inspectLog(folder)
    if (loss) throw logLossRefusal(loss, folder.log)
    const { events, digest, last } = await copyAndCompare(folder, options)
    const movedTo = switchFolder(folder, last, options.clock.nowMs())
    return { from: folder.path, events, digest, position: last?.position ?? 0, movedTo }
  } catch (error) {
    throw startRefusal(error)
  } finally {
    unlock()
  }
}

function refuseWithoutLog({ path, log, logElsewhere }: DataFolder): void {
  if (existsSync(log)) return
  throw new Error(
    existsSync(logElsewhere)
      ? `The log of ${path} is kept by an EventStoreDB already.`
      : `There is no log of Vigil in ${path}.`,
  )
}

async function copyAndCompare(
  folder: DataFolder,
  { to, patienceMs = 60_000, signal, onProgress }: MigrateOptions,
): Promise<Agreement> {
  const work = { signal, onProgress }
  const source = openLogReader(folder.log)
  try {
    const { openEventStoreDb } = await import('../../../stores/eventstoredb/openEventStoreDb.ts')
    const target = await openEventStoreDb({ url: to })
    try {
      await copyEvents({ source, target, work, patienceMs })
      return await compareStores({ source, target, work })
    } finally {
      await target.close()
    }
  } finally {
    source.close()
  }
}
