/** Recomputes every evaluation of a data folder on several threads, also while it is in use. */

import { existsSync } from 'node:fs'
import { startRefusal } from '../../stores/embedded/databaseErrors.ts'
import { type DataFolder, dataFolder, refuseServers } from '../../stores/embedded/dataFolder.ts'
import { findMasterKey } from '../../stores/embedded/installation.ts'
import { isMasterKeyOf } from '../../stores/embedded/keyStore.ts'
import { openLogReader } from '../../stores/embedded/logReader.ts'
import { startThread, type Thread } from '../../stores/embedded/threads.ts'
import { type LogRange, logRanges, rangeSize } from './logRanges.ts'
import { addTo, newTally, type Recomputed } from './recomputed.ts'
import type { RecomputeCalls, RecomputeStart } from './recomputeThread.ts'

export interface RecomputeOptions {
  readonly dataFolder: string
  /** As the service has it; undefined for the one kept in the folder. */
  readonly masterKey: Uint8Array | undefined
  /** Threads that read and compute: 1 or more. */
  readonly threads: number
  /** Positions that a thread is given at a time: by how long the log is, unless given. */
  readonly positionsAtATime?: number
  /** Ends it with its reason. */
  readonly signal: AbortSignal
  /** Told how many positions of the log are done, of how many. */
  readonly onProgress: (step: string, done: number, of: number) => void
}

export interface RecomputedFolder extends Recomputed {
  /** The absolute path of the data folder. */
  readonly folder: string
  /** Up to which position the log was read. */
  readonly position: number
}

/**
 * Up to the last event that the log has now; nothing is changed. Rejects with an `Error` that says what to do when the folder is none, its log
 * is damaged or kept by a server, or the master key is not that of its keys.
 */
export async function recomputeFolder(options: RecomputeOptions): Promise<RecomputedFolder> {
  const folder = dataFolder(options.dataFolder)
  const start = startOf(folder, options.masterKey)
  const position = headOf(folder)
  const size = options.positionsAtATime ?? rangeSize(position, options.threads)
  const ranges = logRanges(position, size)
  const tally = newTally()
  let done = 0
  const threads = Array.from({ length: Math.min(options.threads, ranges.length) }, startRecompute)
  const each = async ({ ask }: Thread<RecomputeCalls>): Promise<void> => {
    await ask('open', start)
    for (let range = ranges.shift(); range; range = ranges.shift()) {
      addTo(tally, await recompute(ask, range, options.signal))
      done += range.end - range.after
      options.onProgress('Recomputing', done, position)
    }
  }
  try {
    await Promise.all(threads.map(each))
    return { folder: folder.path, position, ...tally }
  } finally {
    await Promise.all(threads.map(({ close }) => close()))
  }
}

function startOf(folder: DataFolder, configured: Uint8Array | undefined): RecomputeStart {
  refuseServers(folder)
  const { log, keys, path } = folder
  if (!existsSync(log) || !existsSync(keys))
    throw new Error(`There is no data of Vigil in ${path}.`)
  const masterKey = findMasterKey({ folder: path, masterKey: configured })
  if (!masterKey || !isMasterKeyOf(keys, masterKey)) {
    throw new Error(
      `The keys of ${path} were made under a master key that is not here: set VIGIL_MASTER_KEY to it, or put it into ${folder.masterKey}.`,
    )
  }
  return { log, keys, masterKey }
}

function headOf({ log }: DataFolder): number {
  const reader = openLogReader(log)
  try {
    return reader.head()
  } finally {
    reader.close()
  }
}

function startRecompute(): Thread<RecomputeCalls> {
  return startThread<RecomputeCalls>({ beside: import.meta.url, module: 'recomputeThread' })
}

/** Rejects with what went wrong, which a failure says only in its cause, and with the reason of the signal. */
async function recompute(
  ask: Thread<RecomputeCalls>['ask'],
  range: LogRange,
  signal: AbortSignal,
): Promise<Recomputed> {
  signal.throwIfAborted()
  try {
    return await ask('recompute', range, signal)
  } catch (error) {
    signal.throwIfAborted()
    throw startRefusal(error)
  }
}
