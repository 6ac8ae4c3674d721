/** The event store of one process: an append-only log in a SQLite file, one writer, group commit. */

import { randomUUID } from 'node:crypto'
import { checkAppend } from '../checkAppend.ts'
import type { CommitStatistics } from '../commitStatistics.ts'
import type { EventStore } from '../eventStore.ts'
import { appendQueue, type QueueLimits } from './appendQueue.ts'
import { lockFolder, openDataFolder } from './dataFolder.ts'
import { openEmbeddedEventReader } from './embeddedEventReader.ts'
import { inspectLog, logLossRefusal } from './inspectStores.ts'
import { logPageBytes } from './logRows.ts'
import type { BatchResult, LogWriterOptions } from './logWriter.ts'
import { type BatchWriter, callerWriter, type Owner, ownedWriter, startOwner } from './owner.ts'
import { sharedHead } from './threads.ts'
import type { LogWitness } from './witnesses.ts'

export interface EmbeddedEventStore extends EventStore {
  /** Hands the head to a reader in another thread, see `openEmbeddedEventReader`. */
  readonly headBuffer: SharedArrayBuffer
  /** Names the time for which this process holds the folder: what was leased in another one is over. */
  readonly session: string
}

export interface EmbeddedEventStoreOptions {
  /** The data folder; made when it is missing. */
  readonly folder: string
  /** Where the writer runs: in a thread of its own (the default), in this one that may own the keys too, or in the caller's, for tests and tools. */
  readonly thread?: 'own' | Owner | 'caller'
  /** Has another thread move the write-ahead log of this file; answers why the disk has failed, if it has. The writer alone does unless given. */
  readonly moveWal?: (log: string) => Promise<string | undefined>
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
  /** Another way to open the file, only to let it fail in tests. */
  readonly open?: LogWriterOptions['open']
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
      witness: folder.witness,
      head,
      nowMs,
      helped: options.moveWal !== undefined,
    })
    close.unshift(writer.close)
    const reader = openEmbeddedEventReader({ folder: folder.path, headBuffer: head.buffer })
    // The reader outlives the writer: SQLite's last connection moves the -wal file into the log, which after a failed sync must
    // wait for the restart, and a reader cannot do that.
    close.splice(1, 0, reader.close)
    const { onCommit, limits, moveWal } = options
    const wrote = moveWal && walSteps(() => moveWal(folder.log), writer.break)
    const health = logHealth({ ...healthOf(options), probe: writer.probe })
    close.unshift(health.close)
    const queue = appendQueue({
      writer,
      onBegun: health.begun,
      onResult: health.note,
      onCommit: (statistics) => {
        onCommit?.(statistics)
        wrote?.(statistics)
      },
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

async function openWriter(
  { thread = 'own', open }: EmbeddedEventStoreOptions,
  log: Omit<LogWriterOptions, 'open'>,
): Promise<BatchWriter> {
  if (thread === 'caller') return callerWriter({ ...log, ...(open && { open }) })
  if (thread !== 'own') return ownedWriter(thread, log)
  const owner = startOwner()
  try {
    const writer = await ownedWriter(owner, log)
    return { ...writer, close: () => writer.close().then(owner.close) }
  } catch (error) {
    await owner.close()
    throw error
  }
}

/** Bytes written after which the write-ahead log is moved: few enough that a commit behind its sync waits for little. */
const stepBytes = 2 * 1024 * 1024

/** To be told of each commit: one step after the other, each when enough is written. */
function walSteps(
  move: () => Promise<string | undefined>,
  onFailed: (reason: string) => void,
): (written: CommitStatistics) => void {
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
    bytes += written.bytes + written.events * logPageBytes
    if (bytes >= stepBytes && !isMoving) void step()
  }
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

export interface LogHealth {
  readonly takesAppends: () => boolean
  /** To be told of every batch that leaves for the disk, before its end is noted. */
  readonly begun: () => void
  /** To be told what became of every batch. */
  readonly note: (result: BatchResult) => void
  /** Settles when nothing is being tried any more. */
  readonly close: () => Promise<void>
}

export interface LogHealthOptions {
  /** Tries to write without adding an event; never rejects. */
  readonly probe: () => Promise<BatchResult>
  /** Told why the log has begun to fail, and with undefined that it is well again. */
  readonly onTrouble?: (reason: string | undefined) => void
  /** Time between two tries. */
  readonly probeEveryMs?: number
}

const hanging = 'A write has been under way for more than 5 s: the disk does not answer.'

/** A log that is well. */
export function logHealth(options: LogHealthOptions): LogHealth {
  const { probe, onTrouble, probeEveryMs = 5_000 } = options
  let trouble: string | undefined
  let told: string | undefined
  let timer: NodeJS.Timeout | undefined
  let trying: Promise<void> | undefined
  let closed = false

  const reasonNow = (): string | undefined => trouble ?? (writes.hangs() ? hanging : undefined)
  /** What follows a failure is not said again; why what hung has failed is. */
  const tell = (): void => {
    const reason = reasonNow()
    const isWell = reason === undefined
    if (isWell !== (told === undefined) || (told === hanging && reason !== hanging)) {
      onTrouble?.(reason)
    }
    told = reason
  }
  const writes = watchWrites(tell)
  const become = (reason: string | undefined): void => {
    trouble = reason
    tell()
  }
  const tryLater = (): void => {
    if (closed || timer !== undefined || trying) return
    timer = setTimeout(() => {
      timer = undefined
      trying = tryNow()
    }, probeEveryMs).unref()
  }
  const tryNow = async (): Promise<void> => {
    const result = await probe()
    trying = undefined
    become(reasonOf(result))
    if (!isFinal(result) && trouble !== undefined) tryLater()
  }

  return {
    takesAppends: () => reasonNow() === undefined,
    begun: writes.begun,
    note: (result) => {
      writes.ended()
      const reason = reasonOf(result)
      become(reason ?? trouble)
      if (reason !== undefined && !isFinal(result)) tryLater()
    },
    close: async () => {
      closed = true
      writes.close()
      clearTimeout(timer)
      await trying
    },
  }
}

function reasonOf(result: BatchResult): string | undefined {
  return result.kind === 'refused' ? result.reason : result.unwitnessed
}

/** A broken writer writes no more until it is opened anew. */
function isFinal(result: BatchResult): boolean {
  return result.kind === 'refused' && result.broken
}

interface WriteWatch {
  /** To be told of every write when it begins, and when it has ended, however. */
  readonly begun: () => void
  readonly ended: () => void
  /** Whether one is under way and none has ended for longer than the limit. */
  readonly hangs: () => boolean
  readonly close: () => void
}

/** How often is looked whether a write has ended. */
const lookMs = 1_000
/**
 * Looks without an end: more than 5 s, which no sync of a busy disk takes, and well before those who wait are answered that there was no
 * answer in time. Looks are counted, not the time: while this thread stands still it hears of no end.
 */
const hangingLooks = 6

/** Begins to look, and calls `onHang` each time that what is under way begins to hang. */
function watchWrites(onHang: () => void): WriteWatch {
  let underWay = 0
  let looks = 0
  const look = (): void => {
    looks = underWay > 0 ? looks + 1 : 0
    if (looks === hangingLooks) onHang()
  }
  const timer = setInterval(look, lookMs).unref()
  return {
    begun: () => {
      underWay += 1
    },
    ended: () => {
      underWay -= 1
      looks = 0
    },
    hangs: () => looks >= hangingLooks,
    close: () => clearInterval(timer),
  }
}
