/** The thread of the key store: opens it, then answers one call after another until it is told to close. */

import { randomBytes } from 'node:crypto'
import { parentPort, workerData } from 'node:worker_threads'
import { Failure } from '../../domain/failure.ts'
import type { KeyStore } from '../keyStore.ts'
import { openEmbeddedKeyStore } from './keyStore.ts'
import { decodeKeys, encodeKeys, type KeysMessage } from './keysMessage.ts'

export interface KeyThreadStart {
  readonly folder: string
  readonly masterKey: Uint8Array
}

/** A call of the port; the answer is that of the function of this name, keys as they are sent. */
export type KeyCall =
  | { readonly do: 'make'; readonly count: number }
  | { readonly do: 'add'; readonly keys: KeysMessage }
  | { readonly do: 'keys' | 'discard'; readonly ids: readonly string[] }
  | { readonly do: 'destroy'; readonly ids: readonly string[]; readonly atMs: number }
  | { readonly do: 'destroyedSince'; readonly atMs: number }
  | { readonly do: 'close' }

/** The first one says whether the store could be opened; every other answers the call that was sent longest ago. */
export type KeyReply =
  | { readonly kind: 'answered'; readonly value: unknown }
  | {
      readonly kind: 'failed'
      readonly message: string
      /** Which failure it was; undefined for any other error. */
      readonly failure: 'unavailable' | 'damage' | undefined
    }

const clock = { nowMs: Date.now }

if (parentPort) {
  const port = parentPort
  const reply = (message: KeyReply): void => port.postMessage(message)
  try {
    const chance = { bytes: (count: number) => randomBytes(count) }
    const store = openEmbeddedKeyStore({ ...(workerData as KeyThreadStart), clock, chance })
    serve(store, port, reply)
    reply({ kind: 'answered', value: undefined })
  } catch (error) {
    reply(failed(error))
  }
}

function serve(
  store: KeyStore,
  port: NonNullable<typeof parentPort>,
  reply: (message: KeyReply) => void,
): void {
  port.on('message', (call: KeyCall) => {
    // what is asked of the store is done in order, and at once
    answer(store, call).then(
      (value) => {
        reply({ kind: 'answered', value })
        if (call.do === 'close') port.close()
      },
      (error: unknown) => reply(failed(error)),
    )
  })
}

async function answer(store: KeyStore, call: KeyCall): Promise<unknown> {
  switch (call.do) {
    case 'make':
      return encodeKeys(await store.make(call.count))
    case 'add':
      return store.add(decodeKeys(call.keys))
    case 'destroy':
      return store.destroy(call.ids, call.atMs)
    case 'destroyedSince':
      return store.destroyedSince(call.atMs)
    case 'close':
      return store.close()
    default:
      return store[call.do](call.ids)
  }
}

/** Of a failure its cause crosses, which names the file. */
function failed(error: unknown): KeyReply {
  const failure = failureIn(error)
  const told = error instanceof Failure ? (error.cause ?? error) : error
  const message = told instanceof Error ? told.message : String(told)
  return { kind: 'failed', message, failure }
}

function failureIn(error: unknown): Extract<KeyReply, { kind: 'failed' }>['failure'] {
  if (!(error instanceof Failure) || error.code !== 'unavailable') return undefined
  return error.isDamage ? 'damage' : 'unavailable'
}
