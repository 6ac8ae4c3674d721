/**
 * The thread that owns the log and the keys. It does what it is asked in the order in which it is asked; batches that have come while one
 * was being synced share the next transaction.
 */

import { randomBytes } from 'node:crypto'
import type { Append } from '../eventStore.ts'
import type { KeyStore, SealingKey } from '../keyStore.ts'
import { openEmbeddedKeyStore } from './keyStore.ts'
import { type BatchResult, type LogWriter, openLogWriter } from './logWriter.ts'
import { serveThread, sharedHead } from './threads.ts'

interface LogToOpen {
  readonly file: string
  readonly witness: string
  /** The buffer of the shared head. */
  readonly head: SharedArrayBuffer
}

interface KeysToOpen {
  readonly folder: string
  readonly masterKey: Uint8Array
}

interface WaitingBatch {
  readonly batch: readonly Append[]
  readonly done: (result: BatchResult) => void
}

const clock = { nowMs: Date.now }
const chance = { bytes: (count: number) => randomBytes(count) }

let log: LogWriter | undefined
let keys: KeyStore | undefined
let waiting: WaitingBatch[] = []

const calls = {
  openLog: ({ head, ...files }: LogToOpen): void => {
    log = openLogWriter({ ...files, head: sharedHead(head) })
  },
  commit: (batch: readonly Append[]): Promise<BatchResult> =>
    new Promise((done) => {
      waiting.push({ batch, done })
      if (waiting.length === 1) setImmediate(commitWaiting)
    }),
  breakLog: (reason: string): void => opened(log).break(reason),
  closeLog: (): void => log?.close(),
  openKeys: (options: KeysToOpen): void => {
    keys = openEmbeddedKeyStore({ ...options, clock, chance })
  },
  makeKeys: (count: number) => opened(keys).make(count),
  addKeys: (added: readonly SealingKey[]) => opened(keys).add(added),
  keys: (ids: readonly string[]) => opened(keys).keys(ids),
  destroyKeys: ({ ids, atMs }: { readonly ids: readonly string[]; readonly atMs: number }) =>
    opened(keys).destroy(ids, atMs),
  keysDestroyedSince: (atMs: number) => opened(keys).destroyedSince(atMs),
  discardKeys: (ids: readonly string[]) => opened(keys).discard(ids),
  closeKeys: () => keys?.close(),
}

export type OwnerCalls = typeof calls

serveThread(calls, () => undefined)

function commitWaiting(): void {
  const { commit, settle } = opened(log)
  const batches = waiting
  waiting = []
  const result = commit(batches.flatMap(({ batch }) => batch))
  let at = 0
  for (const { batch, done } of batches) {
    const end = at + batch.length
    done(result.kind === 'written' ? { ...result, answers: result.answers.slice(at, end) } : result)
    at = end
  }
  // once the answers have left
  setImmediate(settle)
}

function opened<Store>(store: Store | undefined): Store {
  if (store === undefined) throw new Error('the store is not open')
  return store
}
