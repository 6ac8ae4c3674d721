/** Shares one EventStoreDB client, and replaces it when it stops answering. */

import { type AppendCall, openAppendCall } from './appendCall.ts'
import type { GrpcCalls } from './grpcCalls.ts'
import { closedLog } from './protocolErrors.ts'

/** The calls of one client. */
export interface Client extends Pick<GrpcCalls, 'openRead' | 'isModern'>, AppendCall {}

export interface Connection {
  /** The current client, made when there is none. Throws `unavailable` when the connection is closed. */
  readonly client: () => Client
  /** Ends the calls of this client, if it is still the current one: the next call is made by a new one. */
  readonly discardClient: (client: Client) => void
  /** Takes no more calls, and ends those in flight. */
  readonly close: () => Promise<void>
}

/** A connection whose clients `open` makes; it is given how many there were before. */
export function openConnection(open: (generation: number) => GrpcCalls): Connection {
  let current: { readonly client: Client; readonly calls: GrpcCalls } | undefined
  let closed = false
  let generation = 0
  const ending = new Set<Promise<void>>()

  const endCurrent = (): void => {
    if (!current) return
    const ended = current.calls.dispose().finally(() => ending.delete(ended))
    ending.add(ended)
    current = undefined
  }
  const giveUp = (client: Client): void => {
    if (current?.client === client) endCurrent()
  }
  return {
    client: () => {
      if (closed) throw closedLog()
      if (current) return current.client
      const calls = open(generation)
      generation += 1
      const { send } = openAppendCall(calls, () => giveUp(client))
      const client: Client = { openRead: calls.openRead, isModern: calls.isModern, send }
      current = { client, calls }
      return client
    },
    discardClient: giveUp,
    close: async () => {
      closed = true
      endCurrent()
      await Promise.all(ending)
    },
  }
}
