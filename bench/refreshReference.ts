/**
 * What refreshes are compared with: proofs verified with `jose`, and for each an event of a refresh appended to the
 * store, durably, and no more.
 */

import { randomUUID } from 'node:crypto'
import { calculateJwkThumbprint, EmbeddedJWK, jwtVerify } from 'jose'
import type { NewEvent } from '../src/stores/eventStore.ts'
import { encode, openEmbeddedEventStore, startWriterThread } from './built.ts'
import { answerMessages } from './childProcess.ts'
import { newClientKey, proofBy } from './proofs.ts'

export interface RefreshReferenceOrder {
  readonly folder: string
  readonly sessions: number
  readonly host: string
}

/** One refresh of each session. */
export interface RoundOrder {
  readonly callers: number
}

type Store = Awaited<ReturnType<typeof openEmbeddedEventStore>>

interface Opened extends RefreshReferenceOrder {
  readonly store: Store
  readonly keys: readonly ReturnType<typeof newClientKey>[]
}

let opened: Opened | undefined
let rounds = 0

/** Answers refreshes per second; 0 for the beginning. */
answerMessages<RefreshReferenceOrder | RoundOrder, number>(async (order) => {
  if ('callers' in order) return refreshAll(order)
  const store = await openEmbeddedEventStore({ folder: order.folder, thread: startWriterThread() })
  opened = { ...order, store, keys: Array.from({ length: order.sessions }, newClientKey) }
  process.once('SIGTERM', () => void store.close().finally(() => process.exit()))
  return 0
})

async function refreshAll({ callers }: RoundOrder): Promise<number> {
  if (!opened) throw new Error('there is no store yet')
  const { host, keys, store } = opened
  const proofs = keys.map((key) => proofBy(key, host, 'n'.repeat(22)))
  const events = keys.map((_, session) => refreshedEvent(session))
  let next = 0
  const begunMs = performance.now()
  const caller = async (): Promise<void> => {
    while (next < keys.length) {
      const session = next
      next += 1
      await verify(proofs[session] as string)
      await append(store, session, events[session] as NewEvent)
    }
  }
  await Promise.all(Array.from({ length: callers }, caller))
  const seconds = (performance.now() - begunMs) / 1_000
  rounds += 1
  return keys.length / seconds
}

async function verify(proof: string): Promise<void> {
  const { protectedHeader } = await jwtVerify(proof, EmbeddedJWK, {
    algorithms: ['ES256'],
    typ: 'dpop+jwt',
  })
  await calculateJwkThumbprint(protectedHeader.jwk ?? {})
}

async function append(store: Store, session: number, event: NewEvent): Promise<void> {
  const stream = `session-${idOf('ses', session)}`
  const expected = rounds === 0 ? 'no_stream' : rounds - 1
  const answer = await store.append({ stream, events: [event], expected })
  if (!answer.ok) throw new Error(`${stream} has come to ${answer.actual}`)
}

/** As the service writes it, made before the time is taken. */
function refreshedEvent(session: number): NewEvent {
  const now = Date.now()
  const event = {
    type: 'SessionRefreshed',
    data: {
      session_id: idOf('ses', session),
      user_id: idOf('usr', session),
      generation: rounds + 1,
      refresh_token_hash: 'h'.repeat(43),
      key_thumbprint: 't'.repeat(43),
      proof_id: 'p'.repeat(32),
      scopes: [],
      device_at: 0,
      refreshed_at: now,
      expires_at: now + 1_000,
    },
  }
  const context = {
    account: idOf('acc', 1),
    actor: idOf('ses', session),
    request: randomUUID(),
    command: randomUUID(),
    time: now,
  }
  return encode({ event, context, index: 0 }, withoutKeys)
}

/** Nothing of a refresh is personal, unless the device has changed. */
const withoutKeys = {} as Parameters<typeof encode>[1]

function idOf(prefix: string, number: number): string {
  return `${prefix}_01h455vb4pex5vsknk${String(number).padStart(8, '0')}`
}
