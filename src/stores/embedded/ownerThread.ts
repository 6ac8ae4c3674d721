/** The thread that owns the log and the keys: it does what it is asked at once, and in the order in which it is asked. */

import { randomBytes } from 'node:crypto'
import type { KeyStore, SealingKey } from '../keyStore.ts'
import { openEmbeddedKeyStore } from './keyStore.ts'
import { type BatchResult, type LogWriter, openLogWriter } from './logWriter.ts'
import { type BatchMessage, decodeBatch } from './owner.ts'
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

const clock = { nowMs: Date.now }
const chance = { bytes: (count: number) => randomBytes(count) }

let log: LogWriter | undefined
let keys: KeyStore | undefined

const calls = {
  openLog: ({ head, ...files }: LogToOpen): void => {
    log = openLogWriter({ ...files, head: sharedHead(head) })
  },
  commit: (batch: BatchMessage): BatchResult => {
    const { commit, settle } = opened(log)
    const result = commit(decodeBatch(batch))
    // once the answers have left
    setImmediate(settle)
    return result
  },
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

function opened<Store>(store: Store | undefined): Store {
  if (store === undefined) throw new Error('the store is not open')
  return store
}
