/** Replays every evaluation of a data folder on several threads, also while it is in use. */

import { existsSync } from 'node:fs'
import {
  addReplayTotals,
  emptyReplayTotals,
  type ReplayTotals,
} from '../../../events/audit/replay.ts'
import { explainStartError } from '../../../stores/embedded/databaseErrors.ts'
import {
  type DataFolder,
  openFolderToRead,
  rejectMovedFolder,
} from '../../../stores/embedded/dataFolder.ts'
import { isMasterKeyOf } from '../../../stores/embedded/embeddedKeyStore.ts'
import { findMasterKey } from '../../../stores/embedded/installationSecrets.ts'
import { batchMax, openLogReader } from '../../../stores/embedded/logReader.ts'
import { type CallableThread, startThread } from '../../../stores/embedded/threadCalls.ts'
import type { ReplayFilter } from './replayRecords.ts'
import type { LogRange, ReplayCalls, ReplayStart } from './replayThread.ts'

export interface ReplayFolderOptions {
  readonly dataFolder: string
  /** As the service has it; undefined for the one kept in the folder. */
  readonly masterKey: Uint8Array | undefined
  /** Threads that read and compute: 1 or more. */
  readonly threads: number
  /** The position to begin behind: the beginning unless given. */
  readonly after?: number
  /** Everything unless given. */
  readonly filter?: ReplayFilter
  /** Positions that a thread is given at a time. */
  readonly positionsAtATime?: number
  /** Ends it with its reason. */
  readonly signal: AbortSignal
  readonly onProgress: (progress: FolderProgress) => void
}

interface FolderProgress {
  /** Everything up to here has been replayed: where to go on behind. */
  readonly position: number
  /** The position of the last event. */
  readonly end: number
  readonly evaluations: number
}

export interface ReplayedFolder extends ReplayTotals {
  /** The absolute path of the data folder. */
  readonly folder: string
  /** The position that it began behind. */
  readonly after: number
  /** Up to which position the log was read. */
  readonly position: number
}

/**
 * Up to the last event that the log has now; nothing is changed. Rejects with an `Error` that says what to do when the
 * folder is none, its log is damaged or kept by a server, or the master key is not that of its keys.
 */
export async function replayFolder(options: ReplayFolderOptions): Promise<ReplayedFolder> {
  const { after = 0, filter = {}, positionsAtATime = rangeSize, signal, onProgress } = options
  const folder = openFolderToRead(options.dataFolder)
  const start = { ...readReplayStart(folder, options.masterKey), filter }
  const end = readHead(folder)
  if (after > end) throw new Error(`There is no position ${after}: the log ends at ${end}.`)
  const ranges = splitIntoRanges({ after, end }, positionsAtATime)
  let replayed = emptyReplayTotals
  const underWay = new Set<LogRange>()
  const progress = (): FolderProgress => ({
    position: Math.min(end, ...[...underWay, ...ranges.slice(0, 1)].map((range) => range.after)),
    end,
    evaluations: replayed.match + replayed.mismatch + replayed.evidence_erased,
  })
  const ends = { beside: import.meta.url, module: 'replayThread', onDied: () => undefined }
  const threads = Array.from({ length: Math.min(options.threads, ranges.length) }, () =>
    startThread<ReplayCalls>(ends),
  )
  const each = async ({ call }: CallableThread<ReplayCalls>): Promise<void> => {
    await call('open', start)
    for (let range = ranges.shift(); range; range = ranges.shift()) {
      underWay.add(range)
      const part = await replayRange(call, range, signal)
      replayed = addReplayTotals(replayed, part)
      underWay.delete(range)
      onProgress(progress())
    }
  }
  try {
    await Promise.all(threads.map(each))
    return { folder: folder.path, after, position: end, ...replayed }
  } finally {
    await Promise.all(threads.map(({ close }) => close()))
  }
}

/**
 * A whole batch, so that none is read twice; few, so that no thread is long at its last range while the others have no
 * work.
 */
const rangeSize = batchMax

/** The ranges of that size, in order. */
export function splitIntoRanges({ after, end }: LogRange, size: number): LogRange[] {
  return Array.from({ length: Math.max(0, Math.ceil((end - after) / size)) }, (_, index) => ({
    after: after + index * size,
    end: Math.min(end, after + (index + 1) * size),
  }))
}

function readReplayStart(
  folder: DataFolder,
  configured: Uint8Array | undefined,
): Omit<ReplayStart, 'filter'> {
  rejectMovedFolder(folder)
  const { log, keys, path } = folder
  if (!existsSync(log) || !existsSync(keys))
    throw new Error(`There is no data of Vigil in ${path}.`)
  const masterKey = findMasterKey({ folder: path, ...(configured && { masterKey: configured }) })
  if (!masterKey || !isMasterKeyOf(keys, masterKey)) {
    throw new Error(
      `The keys of ${path} were made under a master key that is not here: set VIGIL_MASTER_KEY to it, or put it into ${folder.masterKey}.`,
    )
  }
  return { log, keys, masterKey }
}

function readHead({ log }: DataFolder): number {
  const reader = openLogReader(log)
  try {
    return reader.head()
  } finally {
    reader.close()
  }
}

/** Rejects with what went wrong, which a failure says only in its cause, and with the reason of the signal. */
async function replayRange(
  call: CallableThread<ReplayCalls>['call'],
  range: LogRange,
  signal: AbortSignal,
): Promise<ReplayTotals> {
  signal.throwIfAborted()
  try {
    return await call('replay', range, signal)
  } catch (error) {
    signal.throwIfAborted()
    throw explainStartError(error)
  }
}
