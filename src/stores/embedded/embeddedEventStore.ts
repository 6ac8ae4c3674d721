/** Opens the embedded event store: a SQLite log with one writer and group commit. */

import { statfsSync } from 'node:fs'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { Failure } from '../../domain/failure.ts'
import { systemSources } from '../../domain/systemSources.ts'
import { checkAppend } from '../checkAppend.ts'
import { type Append, type CommitStatistics, charsOf, type EventStore } from '../eventStore.ts'
import { logLossError } from '../losses.ts'
import { storeUnavailable } from './databaseErrors.ts'
import { type DataFolder, lockFolder, openDataFolder } from './dataFolder.ts'
import { inspectLog } from './inspectStores.ts'
import { openEmbeddedEventReader } from './logReader.ts'
import { type AppendResult, type BatchResult, writtenBytes } from './logWriter.ts'
import { openSharedHead } from './threadCalls.ts'
import {
  type BatchWriter,
  openThreadLogWriter,
  runWriterInline,
  type WriterThread,
} from './writerThread.ts'

export interface EmbeddedEventStore extends EventStore {
  /** Hands the head to a reader in another thread, see `openEmbeddedEventReader`. */
  readonly headBuffer: SharedArrayBuffer
}

export interface EmbeddedEventStoreOptions {
  /** The data folder; made when it is missing. */
  readonly folder: string
  /** Where the writer runs, which may own the keys too; in the caller's thread unless given. */
  readonly thread?: WriterThread
  /**
   * Has another thread move the write-ahead log of this file; answers why the disk has failed, if it has. The writer
   * alone does unless given.
   */
  readonly checkpointWal?: (log: string) => Promise<string | undefined>
  /** Told of each batch that is on disk. */
  readonly onCommit?: (statistics: CommitStatistics) => void
  /** Told why the log takes no appends any more, and with undefined when it does again. */
  readonly onHealthChange?: (reason: string | undefined) => void
}

/**
 * Opens the store, makes it when it is new, and locks it until it is closed. Rejects with an `Error` that names the
 * file and has advice when the folder is in use, or the log is damaged, has lost events or cannot be written.
 */
export async function openEmbeddedEventStore(
  options: EmbeddedEventStoreOptions,
): Promise<EmbeddedEventStore> {
  const folder = openDataFolder(options.folder)
  const unlock = lockFolder(folder)
  try {
    const loss = inspectLog(folder)
    if (loss) throw logLossError(loss, folder.log)
    return await openLocked(options, folder, unlock)
  } catch (error) {
    unlock()
    throw error
  }
}

/** Of a writer that is asked for no keys. */
async function openLocked(
  options: EmbeddedEventStoreOptions,
  folder: DataFolder,
  unlock: () => void,
): Promise<EmbeddedEventStore> {
  const { log: file, witness, path } = folder
  const { thread = runWriterInline(systemSources) } = options
  const head = openSharedHead()
  const writer = await openThreadLogWriter(thread, { file, witness, head })
  const reader = openEmbeddedEventReader({ folder: path, headBuffer: head.buffer })
  const queue = createAppendQueue(options, writer, folder)
  let closed: Promise<void> | undefined
  const close = async (): Promise<void> => {
    await queue.drain()
    await writer.close()
    // The reader outlives the writer: SQLite's last connection moves the -wal file into the log, which after a failed
    // sync must wait for the restart, and a reader cannot do that.
    await reader.close()
    unlock()
  }
  return {
    ...reader,
    headBuffer: head.buffer,
    append: async (append) => {
      checkAppend(append)
      return queue.add(append)
    },
    isWritable: queue.isWritable,
    close: () => {
      closed ??= close()
      return closed
    },
  }
}

interface PendingAppend {
  readonly append: Append
  readonly resolve: (answer: AppendResult) => void
  readonly reject: (error: Failure) => void
}

/**
 * Hands what has come while a batch was being written to the writer as the next one (group commit), since every commit
 * costs all threads much that is the same for one append and for many; settles each with its answer. How many wait is
 * bounded by who asks.
 */
function createAppendQueue(
  { onCommit, onHealthChange, checkpointWal }: EmbeddedEventStoreOptions,
  writer: BatchWriter,
  { log, path }: DataFolder,
) {
  const health = trackHealth(path, onHealthChange)
  const noteWritten = checkpointWal && createWalMover(() => checkpointWal(log), writer.break)
  let waiting: PendingAppend[] = []
  let sending: Promise<void> | undefined
  let isClosed = false
  const send = async (): Promise<void> => {
    const batch = waiting
    waiting = []
    const begunMs = performance.now()
    const appends = batch.map(({ append }) => append)
    const result = await writer.write(appends)
    const durationMs = performance.now() - begunMs
    // before anybody hears of it: a caller that is refused and asks how the store is must not be told that it is well
    health.note(result)
    settle(batch, result)
    if (result.kind !== 'written') return
    onCommit?.(statisticsOf(appends, durationMs))
    noteWritten?.(writtenBytes(appends))
  }
  const sendAll = async (): Promise<void> => {
    while (waiting.length > 0) {
      // what arrives in one turn of the event loop shares the batch
      await nextTurn()
      await send()
    }
    sending = undefined
  }
  return {
    /**
     * Settles with the answer of the store; rejects with `unavailable` when the queue is closed or its writer failed.
     */
    add: (append: Append): Promise<AppendResult> =>
      new Promise((resolve, reject) => {
        const refused = isClosed
          ? storeUnavailable('event log', new Error('the event log is closed'))
          : health.failure()
        if (refused) return reject(refused)
        waiting.push({ append, resolve, reject })
        sending ??= sendAll()
      }),
    isWritable: health.isWell,
    /** Takes no more appends and settles when those under way are done. */
    drain: async () => {
      isClosed = true
      await sending
    },
  }
}

function settle(batch: readonly PendingAppend[], result: BatchResult): void {
  for (const [index, { resolve, reject }] of batch.entries()) {
    if (result.kind === 'refused') reject(failureOf(result))
    else resolve(result.answers[index] as AppendResult)
  }
}

type Refusal = Extract<BatchResult, { readonly kind: 'refused' }>

function failureOf({ reason, isFinal }: Refusal): Failure {
  const cause = new Error(reason)
  if (!isFinal) return storeUnavailable('event log', cause)
  const message = 'The event log has failed and takes nothing more until the service is restarted.'
  return new Failure('unavailable', message, { retryAfterSeconds: 1, cause })
}

function statisticsOf(batch: readonly Append[], durationMs: number): CommitStatistics {
  const events = batch.flatMap((append) => append.events)
  return { appends: batch.length, events: events.length, bytes: charsOf(events), durationMs }
}

/** What a disk that was full must have free again before the log counts as well: more than the largest append takes. */
const freeBytesMin = 4 * 1024 * 1024

/** Tracks whether the log takes appends, by what became of the last ones. `onHealthChange` is told of each change. */
function trackHealth(folder: string, onHealthChange: EmbeddedEventStoreOptions['onHealthChange']) {
  let refusal: Refusal | undefined
  const setRefusal = (now: Refusal | undefined): void => {
    if ((now === undefined) !== (refusal === undefined)) onHealthChange?.(now?.reason)
    refusal = now
  }
  return {
    note: (result: BatchResult): void => {
      if (!refusal?.isFinal) setRefusal(result.kind === 'refused' ? result : undefined)
    },
    failure: () => (refusal?.isFinal ? failureOf(refusal) : undefined),
    /**
     * Where it is asked for and nothing is sent any more, free space on the disk is what ends a refusal that may pass.
     */
    isWell: (): boolean => {
      if (refusal && !refusal.isFinal) {
        const { bavail, bsize } = statfsSync(folder)
        if (bavail * bsize >= freeBytesMin) setRefusal(undefined)
      }
      return refusal === undefined
    },
  }
}

/**
 * Bytes written after which the write-ahead log is moved: few enough that a commit behind its sync waits for little.
 */
const stepBytes = 4 * 1024 * 1024

/** To be told of what was written: moves the write-ahead log when that is enough, one step after the other. */
function createWalMover(
  move: () => Promise<string | undefined>,
  onFailed: (reason: string) => void,
): (written: number) => void {
  let bytes = 0
  let isMoving = false
  const step = async (): Promise<void> => {
    bytes = 0
    isMoving = true
    // a thread that has ended moves nothing: then the writer does
    const failed = await move().catch(() => undefined)
    isMoving = false
    if (failed !== undefined) onFailed(failed)
  }
  return (written) => {
    bytes += written
    if (bytes >= stepBytes && !isMoving) void step()
  }
}
