/** The embedded key store in a thread of its own, so that neither rows nor syncs hold up the thread that answers requests. */

import type { Worker } from 'node:worker_threads'
import type { KeyStore } from '../keyStore.ts'
import { damagedStore, unavailable } from './databaseTrouble.ts'
import { decodeKeys, encodeKeys, type KeysMessage } from './keysMessage.ts'
import type { KeyCall, KeyReply, KeyThreadStart } from './keyThread.ts'
import { startThread } from './startThread.ts'

export interface ThreadKeyStoreOptions extends KeyThreadStart {
  /** Starts the thread; another one only to end it in tests. */
  readonly start?: (start: KeyThreadStart) => Worker
  /** How soon after a thread the next one may be started, should it end by itself. */
  readonly restartMs?: number
}

/**
 * Settles when the thread has opened the store; rejects with the `Error` that says why it could not. Should the thread end by itself,
 * what it was asked is refused, `unavailable`, and another one takes its place.
 */
export async function threadKeyStore(options: ThreadKeyStoreOptions): Promise<KeyStore> {
  const line = lines(options)
  await line.opened()
  const ask = async <Answer>(call: KeyCall): Promise<Answer> => (await line.ask(call)) as Answer
  return {
    make: async (count) => decodeKeys(await ask<KeysMessage>({ do: 'make', count })),
    add: (keys) => ask({ do: 'add', keys: encodeKeys(keys) }),
    keys: (ids) => ask({ do: 'keys', ids }),
    destroy: (ids, atMs) => ask({ do: 'destroy', ids, atMs }),
    destroyedSince: (atMs) => ask({ do: 'destroyedSince', atMs }),
    discard: (ids) => ask({ do: 'discard', ids }),
    close: line.close,
  }
}

interface Lines {
  readonly opened: () => Promise<unknown>
  readonly ask: (call: KeyCall) => Promise<unknown>
  /** Settles when the store is closed and nothing runs any more. */
  readonly close: () => Promise<void>
}

/** The line to the thread of the time. */
function lines({
  folder,
  masterKey,
  start = startKeyThread,
  restartMs = 1_000,
}: ThreadKeyStoreOptions): Lines {
  const open = (): Line => {
    startedMs = performance.now()
    return openLine(start({ folder, masterKey }))
  }
  let startedMs = 0
  let line = open()
  return {
    opened: () => line.opened,
    ask: async (call) => {
      const isEarly = performance.now() - startedMs < restartMs
      if (line.hasEnded() && !isEarly) line = open()
      const { opened, ask } = line
      await opened.catch((error: unknown) => {
        throw unavailable('key store', error)
      })
      return ask(call)
    },
    close: async () => {
      if (!line.hasEnded()) await line.ask({ do: 'close' })
      await line.ended
    },
  }
}

function startKeyThread(start: KeyThreadStart): Worker {
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js'
  return startThread(new URL(`./keyThread.${extension}`, import.meta.url), start)
}

interface Line {
  readonly opened: Promise<unknown>
  readonly ask: (call: KeyCall) => Promise<unknown>
  readonly hasEnded: () => boolean
  readonly ended: Promise<void>
}

interface Asked {
  readonly resolve: (value: unknown) => void
  readonly reject: (error: Error) => void
}

function openLine(thread: Worker): Line {
  const asked: Asked[] = []
  let end: Error | undefined
  let why = 'it ended'
  const next = (): Promise<unknown> =>
    new Promise((resolve, reject) => {
      if (end) reject(unavailable('key store', end))
      else asked.push({ resolve, reject })
    })
  thread.on('message', (reply: KeyReply) => settle(asked.shift(), reply))
  thread.on('error', (error) => {
    why = error.message
  })
  const ended = new Promise<void>((resolve) => {
    thread.on('exit', () => {
      end = new Error(`the thread of the key store: ${why}`)
      for (const { reject } of asked.splice(0)) reject(unavailable('key store', end))
      resolve()
    })
  })
  const opened = next()
  // told to whoever asks
  opened.catch(() => undefined)
  return {
    opened,
    ask: (call) => {
      const answered = next()
      if (!end) thread.postMessage(call)
      return answered
    },
    hasEnded: () => end !== undefined,
    ended,
  }
}

function settle(asked: Asked | undefined, reply: KeyReply): void {
  if (reply.kind === 'answered') asked?.resolve(reply.value)
  else asked?.reject(errorOf(reply))
}

function errorOf({ message, failure }: Extract<KeyReply, { kind: 'failed' }>): Error {
  const told = new Error(message)
  if (failure === undefined) return told
  return failure === 'damage' ? damagedStore('key store', told) : unavailable('key store', told)
}
