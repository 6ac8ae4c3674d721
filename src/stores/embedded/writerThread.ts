/** Runs the only writer of event log and key store in a thread, and sends it calls. */

import type { Clock, Random } from '../../domain/clock.ts'
import type { Append, NewEvent } from '../eventStore.ts'
import type { KeyStore } from '../keyStore.ts'
import { type EmbeddedKeyStoreOptions, openEmbeddedKeyStore } from './embeddedKeyStore.ts'
import {
  type BatchResult,
  type LogWriter,
  type LogWriterOptions,
  openLogWriter,
} from './logWriter.ts'
import { type CallableThread, openSharedHead, runInline, startThread } from './threadCalls.ts'

interface LogToOpen extends Pick<LogWriterOptions, 'file' | 'witness'> {
  /** The buffer of the shared head. */
  readonly head: SharedArrayBuffer
}

type KeysToOpen = Pick<EmbeddedKeyStoreOptions, 'folder' | 'masterKey'>

interface WriterDependencies extends Pick<LogWriterOptions, 'open'> {
  readonly clock: Clock
  readonly random: Random
}

/** What the owner does: at once, and in the order in which it is asked. */
export function createWriterCalls({ clock, random, open }: WriterDependencies) {
  let log: LogWriter | undefined
  let keys: KeyStore | undefined
  const calls = {
    openLog: ({ head, ...files }: LogToOpen): void => {
      log = openLogWriter({ ...files, open, head: openSharedHead(head) })
    },
    commit: (batch: BatchMessage): BatchResult => {
      const { commit, checkpointIfLong: settle } = opened(log)
      const result = commit(decodeBatch(batch))
      // once the answers have left
      setImmediate(settle)
      return result
    },
    breakLog: (reason: string): void => opened(log).break(reason),
    closeLog: (): void => log?.close(),
    openKeys: (options: KeysToOpen): void => {
      keys = openEmbeddedKeyStore({ ...options, clock, random })
    },
    makeKeys: (count: number) => opened(keys).make(count),
    keys: (ids: readonly string[]) => opened(keys).keys(ids),
    destroyKeys: ({ ids, atMs }: { readonly ids: readonly string[]; readonly atMs: number }) =>
      opened(keys).destroy(ids, atMs),
    discardKeys: (ids: readonly string[]) => opened(keys).discard(ids),
    closeKeys: () => keys?.close(),
  }
  return { calls }
}

function opened<Store>(store: Store | undefined): Store {
  if (store === undefined) throw new Error('the store is not open')
  return store
}

type WriterCalls = ReturnType<typeof createWriterCalls>['calls']
export type WriterThread = CallableThread<WriterCalls>

/** The owner in the calling thread, which every commit blocks: for tests and tools. */
export function runWriterInline(means: WriterDependencies): WriterThread {
  return runInline(() => createWriterCalls(means))
}

/** Starts the thread. `onDied` is told why, should it end by itself: whatever it is asked from then on is refused. */
export function startWriterThread(onDied?: (why: string) => void): WriterThread {
  return startThread<WriterCalls>({ beside: import.meta.url, module: 'writerWorker', onDied })
}

/** Writes batches in the order they were given, also those given while others are being written. */
export type BatchWriter = Awaited<ReturnType<typeof openThreadLogWriter>>

/** Writes in the thread of the owner. Rejects with the `Error` of opening the log. */
export async function openThreadLogWriter(
  { call }: WriterThread,
  { file, witness, head }: Omit<LogWriterOptions, 'open'>,
) {
  await call('openLog', { file, witness, head: head.buffer })
  return {
    /** Settles when the batch is on disk or refused; never rejects. */
    write: (batch: readonly Append[]): Promise<BatchResult> =>
      call('commit', encodeBatch(batch)).catch(refusedUnknown),
    /** Has it write no more: another thread has failed to bring to the disk what was written. */
    break: (reason: string) => void call('breakLog', reason).catch(() => undefined),
    /** Settles when the log is closed. */
    close: () => call('closeLog', undefined).catch(() => undefined),
  }
}

/** What became of the batch is known to nobody. */
function refusedUnknown(error: Error): BatchResult {
  const { message } = error.cause instanceof Error ? error.cause : error
  return { kind: 'refused', reason: `the thread of the writer failed: ${message}`, isFinal: true }
}

/** The keys of the folder in the thread of the owner. Rejects with the `Error` of opening them. */
export async function openThreadKeyStore(
  { call }: WriterThread,
  keys: KeysToOpen,
): Promise<KeyStore> {
  await call('openKeys', keys)
  return {
    make: (count) => call('makeKeys', count),
    keys: (ids) => call('keys', ids),
    destroy: (ids, atMs) => call('destroyKeys', { ids, atMs }),
    discard: (ids) => call('discardKeys', ids),
    close: () => call('closeKeys', undefined).catch(() => undefined),
  }
}

/**
 * A batch as flat values, which are copied several times faster than objects. For each append: stream, expected
 * revision (-1 for none), count of events; for each event: id, type, data, metadata.
 */
type BatchMessage = readonly (string | number)[]

function encodeBatch(batch: readonly Append[]): BatchMessage {
  const message: (string | number)[] = []
  for (const { stream, expected, events } of batch) {
    message.push(stream, expected === 'no_stream' ? -1 : expected, events.length)
    for (const { id, type, data, metadata } of events) message.push(id, type, data, metadata)
  }
  return message
}

function decodeBatch(message: BatchMessage): readonly Append[] {
  const batch: Append[] = []
  for (let at = 0; at < message.length; ) {
    const [stream, expected, count] = message.slice(at, at + 3) as [string, number, number]
    const events: NewEvent[] = []
    for (at += 3; events.length < count; at += 4) {
      const [id, type, data, metadata] = message.slice(at, at + 4) as string[] as EventTexts
      events.push({ id, type, data, metadata })
    }
    batch.push({ stream, expected: expected < 0 ? 'no_stream' : expected, events })
  }
  return batch
}

type EventTexts = [id: string, type: string, data: string, metadata: string]
