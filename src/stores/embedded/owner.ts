/** The thread that owns log and keys, as the others see it: what writes the log, the key store, and what crosses the border to them. */

import type { Append, NewEvent } from '../eventStore.ts'
import type { KeyStore, SealingKey } from '../keyStore.ts'
import type { Answer } from './logRows.ts'
import {
  type BatchResult,
  type LogWriterOptions,
  openLogWriter,
  type Refused,
  type Written,
} from './logWriter.ts'
import type { OwnerCalls } from './ownerThread.ts'
import { startThread, type Thread } from './threads.ts'

export type Owner = Thread<OwnerCalls>

/** Starts the thread. `onDied` is told why, should it end by itself: whatever it is asked from then on is refused. */
export function startOwner(onDied: (why: string) => void = () => undefined): Owner {
  return startThread<OwnerCalls>({ beside: import.meta.url, module: 'ownerThread', onDied })
}

/** Writes batches in the order they were given, also those given while others are being written. */
export interface BatchWriter {
  /** Settles when the batch is on disk or refused; never rejects. */
  readonly write: (batch: readonly Append[]) => Promise<BatchResult>
  /** Tells whether a batch could be written, and writes none; never rejects. */
  readonly probe: () => Promise<BatchResult>
  /** Takes a result that has come, if there is one, without waiting for a turn of the event loop. */
  readonly hear: () => void
  /** Has it write no more: another thread has failed to bring to the disk what was written. */
  readonly break: (reason: string) => void
  /** Settles when the log is closed. */
  readonly close: () => Promise<void>
}

/** Writes in the calling thread, which every commit holds up: for tests and tools. */
export function callerWriter(options: LogWriterOptions): BatchWriter {
  const { commit, settle, probe, close, ...writer } = openLogWriter(options)
  return {
    ...writer,
    write: async (batch) => {
      const result = commit(batch)
      settle()
      return result
    },
    probe: async () => probe(),
    hear: () => undefined,
    close: async () => close(),
  }
}

/** Writes in the thread of the owner. Rejects with the `Error` that says why the log could not be opened. */
export async function ownedWriter(
  owner: Owner,
  { file, witness, head, helped = false }: Omit<LogWriterOptions, 'nowMs' | 'open'>,
): Promise<BatchWriter> {
  await owner.ask('openLog', { file, witness, head: head.buffer, helped })
  return {
    write: (batch) =>
      owner
        .ask('commit', encodeBatch(batch))
        .then(
          (result) =>
            result.kind === 'written'
              ? { ...result, answers: decodeAnswers(result.answers) }
              : result,
          refusedUnknown,
        ),
    probe: () => owner.ask('probe', undefined).catch(refusedUnknown),
    hear: owner.hear,
    break: (reason) => void owner.ask('breakLog', reason).catch(() => undefined),
    close: () => owner.ask('closeLog', undefined).catch(() => undefined),
  }
}

/** What became of the batch is known to nobody. */
function refusedUnknown(error: Error): Refused {
  const { message } = error.cause instanceof Error ? error.cause : error
  return { kind: 'refused', reason: `the thread of the writer failed: ${message}`, broken: true }
}

/** The keys of the folder in the thread of the owner. Rejects with the `Error` that says why they could not be opened. */
export async function ownedKeys(
  { ask }: Owner,
  keys: { readonly folder: string; readonly masterKey: Uint8Array },
): Promise<KeyStore> {
  await ask('openKeys', keys)
  return {
    make: async (count) => decodeKeys(await ask('makeKeys', count)),
    add: (added) => ask('addKeys', encodeKeys(added)),
    keys: (ids) => ask('keys', ids),
    destroy: (ids, atMs) => ask('destroyKeys', { ids, atMs }),
    destroyedSince: (atMs) => ask('keysDestroyedSince', atMs),
    discard: (ids) => ask('discardKeys', ids),
    close: () => ask('closeKeys', undefined).catch(() => undefined),
  }
}

/**
 * A batch as flat values, which are copied several times faster than objects. For each append: stream, expected revision (-1 for none), count
 * of events; for each event: id, type, data, metadata.
 */
export type BatchMessage = readonly (string | number)[]

/** For each append three numbers: 1 when it succeeded; the revision or the actual one (-1 for no stream); the position. */
export type AnswersMessage = readonly number[]

export type ResultMessage =
  | Refused
  | (Omit<Written, 'answers'> & { readonly answers: AnswersMessage })

function encodeBatch(batch: readonly Append[]): BatchMessage {
  const message: (string | number)[] = []
  for (const { stream, expected, events } of batch) {
    message.push(stream, expected === 'no_stream' ? -1 : expected, events.length)
    for (const { id, type, data, metadata } of events) message.push(id, type, data, metadata)
  }
  return message
}

export function decodeBatch(message: BatchMessage): readonly Append[] {
  const batch: Append[] = []
  for (let at = 0; at < message.length; ) {
    const stream = message[at] as string
    const expected = message[at + 1] as number
    const end = at + 3 + 4 * (message[at + 2] as number)
    const events: NewEvent[] = []
    for (at += 3; at < end; at += 4) {
      events.push({
        id: message[at] as string,
        type: message[at + 1] as string,
        data: message[at + 2] as string,
        metadata: message[at + 3] as string,
      })
    }
    batch.push({ stream, expected: expected < 0 ? 'no_stream' : expected, events })
  }
  return batch
}

export function encodeAnswers(answers: readonly Answer[]): AnswersMessage {
  const message: number[] = []
  for (const answer of answers) {
    if (answer.ok) message.push(1, answer.revision, answer.position)
    else message.push(0, answer.actual === 'no_stream' ? -1 : answer.actual, 0)
  }
  return message
}

function decodeAnswers(message: AnswersMessage): readonly Answer[] {
  const answers: Answer[] = []
  for (let at = 0; at < message.length; at += 3) {
    const revision = message[at + 1] as number
    answers.push(
      message[at] === 1
        ? { ok: true, revision, position: message[at + 2] as number }
        : { ok: false, actual: revision < 0 ? 'no_stream' : revision },
    )
  }
  return answers
}

/** Keys as two things, which are copied several times faster than an object for each. */
export interface KeysMessage {
  readonly ids: readonly string[]
  /** 32 bytes of each, one behind the other. */
  readonly secrets: Uint8Array
}

const secretBytes = 32

/** The keys as they are sent. */
export function encodeKeys(keys: readonly SealingKey[]): KeysMessage {
  const secrets = new Uint8Array(keys.length * secretBytes)
  for (const [index, { secret }] of keys.entries()) secrets.set(secret, index * secretBytes)
  return { ids: keys.map(({ id }) => id), secrets }
}

/** The keys that were sent; each has bytes of its own, so that whoever holds one holds no other. */
export function decodeKeys({ ids, secrets }: KeysMessage): readonly SealingKey[] {
  return ids.map((id, index) => ({
    id,
    secret: secrets.slice(index * secretBytes, (index + 1) * secretBytes),
  }))
}
