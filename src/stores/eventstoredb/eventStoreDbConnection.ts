/** Shares one EventStoreDB client, and replaces it when it stops answering. */

import type { EventStoreDbConnectionOptions } from '../eventStoreDbUrl.ts'
import { logClosedFailure } from './eventStoreDbErrors.ts'
import { type GrpcCalls, openGrpcCalls } from './grpcCalls.ts'
import { createAppendSender, type SendAppend } from './sendAppends.ts'

/** The calls of one client. */
export interface Client extends GrpcCalls {
  readonly send: SendAppend
}

export interface Connection {
  /** The current client, made when there is none. Throws `unavailable` when the connection is closed. */
  readonly client: () => Client
  /** Ends the calls of this client, if it is still the current one: the next call is made by a new one. */
  readonly discardClient: (client: Client) => void
  /** Takes no more calls, and ends those in flight. */
  readonly close: () => Promise<void>
}

export function openConnection(address: EventStoreDbConnectionOptions): Connection {
  let current: Client | undefined
  let closed = false
  let generation = 0
  const ending = new Set<Promise<void>>()

  const discardClient = (client: Client | undefined): void => {
    if (!client || client !== current) return
    const ended = client.dispose().finally(() => ending.delete(ended))
    ending.add(ended)
    current = undefined
  }
  return {
    client: () => {
      if (closed) throw logClosedFailure()
      if (current) return current
      const calls = openGrpcCalls(address, generation)
      generation += 1
      const send = createAppendSender(calls, () => discardClient(client))
      const client: Client = { ...calls, send }
      current = client
      return client
    },
    discardClient,
    close: async () => {
      closed = true
      discardClient(current)
      await Promise.all(ending)
    },
  }
}
