/** The event store of one process: an append-only log in a SQLite file, one writer, group commit. */

import { randomUUID } from 'node:crypto'
import { checkAppend } from '../checkAppend.ts'
import type { CommitStatistics } from '../commitStatistics.ts'
import type { EventStore } from '../eventStore.ts'
import { appendQueue, type QueueLimits } from './appendQueue.ts'
import { type BatchWriter, callerWriter } from './batchWriter.ts'
import { openDataFolder } from './dataFolder.ts'
import { openEmbeddedEventReader } from './embeddedEventReader.ts'
import { lockFolder } from './folderLock.ts'
import { inspectLog } from './inspectLog.ts'
import { type LogHealthOptions, logHealth } from './logHealth.ts'
import { logLossRefusal } from './logLoss.ts'
import type { LogWitness } from './logWitnesses.ts'
import type { LogWriterOptions } from './logWriter.ts'
import { sharedHead } from './sharedHead.ts'
import { type ThreadWriterOptions, threadWriter } from './threadWriter.ts'

export interface EmbeddedEventStore extends EventStore {
  /** Hands the head to a reader in another thread, see `openEmbeddedEventReader`. */
  readonly headBuffer: SharedArrayBuffer
  /** Names the time for which this process holds the folder: what was leased in another one is over. */
  readonly session: string
}

export interface EmbeddedEventStoreOptions {
  /** The data folder; made when it is missing. */
  readonly folder: string
  /** Where the writer runs: in a thread of its own (the default), or in the caller's, for tests and tools. */
  readonly thread?: 'own' | 'caller'
  /** What others than the files of the folder remember of the log. */
  readonly witnesses?: readonly LogWitness[]
  /** Dates the witness; the time of day unless given. */
  readonly nowMs?: () => number
  readonly onCommit?: (statistics: CommitStatistics) => void
  /** Told why the log takes no appends any more, and with undefined when it does again. */
  readonly onTrouble?: (reason: string | undefined) => void
  /** Time between two tries to write while it takes none. */
  readonly probeEveryMs?: number
  readonly limits?: QueueLimits
  /** Other ways to open the file and to start the thread, only to let them fail in tests. */
  readonly open?: LogWriterOptions['open']
  readonly startWriter?: ThreadWriterOptions['startWriter']
}

/**
 * Opens the store, makes it when it is new, and keeps other processes out until it is closed. Rejects with an `Error` that names
 * the file and says what to do when the folder is in use, or the log is damaged, has lost events or cannot be written.
 */
export async function openEmbeddedEventStore(
  options: EmbeddedEventStoreOptions,
): Promise<EmbeddedEventStore> {
  const { nowMs = Date.now } = options
  const folder = openDataFolder(options.folder)
  const head = sharedHead()
  // What is open so far, the last first, to be closed when the next step fails.
  const close: (() => Promise<void> | void)[] = [lockFolder(folder)]
  try {
    const loss = inspectLog(folder, options.witnesses)
    if (loss) throw logLossRefusal(loss, folder.log)
    const writer = await openWriter(options, {
      file: folder.log,
      witness: folder.logWitness,
      head,
      nowMs,
    })
    close.unshift(writer.close)
    const reader = openEmbeddedEventReader({ folder: folder.path, headBuffer: head.buffer })
    // The reader outlives the writer: SQLite's last connection moves the -wal file into the log, which after a failed sync must
    // wait for the restart, and a reader cannot do that.
    close.splice(1, 0, reader.close)
    const { onCommit, limits } = options
    const health = logHealth({ ...healthOf(options), probe: writer.probe })
    close.unshift(health.close)
    const queue = appendQueue({
      writer,
      onBegun: health.begun,
      onResult: health.note,
      ...(onCommit && { onCommit }),
      ...(limits && { limits }),
    })
    close.unshift(queue.drain)
    return {
      ...reader,
      headBuffer: head.buffer,
      session: randomUUID(),
      append: async (append) => {
        checkAppend(append)
        return queue.add(append)
      },
      takesAppends: health.takesAppends,
      close: once(() => runAll(close)),
    }
  } catch (error) {
    await runAll(close)
    throw error
  }
}

function healthOf({
  onTrouble,
  probeEveryMs,
}: EmbeddedEventStoreOptions): Omit<LogHealthOptions, 'probe'> {
  return { ...(onTrouble && { onTrouble }), ...(probeEveryMs !== undefined && { probeEveryMs }) }
}

function openWriter(
  { thread = 'own', open, startWriter }: EmbeddedEventStoreOptions,
  log: Omit<LogWriterOptions, 'open'>,
): Promise<BatchWriter> {
  return thread === 'own'
    ? threadWriter({ ...log, ...(startWriter && { startWriter }) })
    : Promise.resolve(callerWriter({ ...log, ...(open && { open }) }))
}

async function runAll(steps: readonly (() => Promise<void> | void)[]): Promise<void> {
  for (const step of steps) await step()
}

function once(work: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | undefined
  return () => {
    done ??= work()
    return done
  }
}
