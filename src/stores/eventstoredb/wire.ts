/**
 * Opens one EventStoreDB client, and its two gRPC calls: append and read.
 * The client finds the server, connects, secures the connection and authenticates; the calls are made on its stubs, with a deadline that
 * is kept here, not only told to the server (docs/decisions/grpc-calls-to-eventstoredb.md).
 */

import { EventStoreDBClient } from '@eventstore/db-client'
import streamsService, {
  type StreamsClient,
} from '@eventstore/db-client/generated/streams_grpc_pb.js'
import type {
  BatchAppendReq,
  BatchAppendResp,
  ReadReq,
  ReadResp,
} from '@eventstore/db-client/generated/streams_pb.js'
import type { EventStoreAddress } from '../eventStoreUrl.ts'

type Arguments = Parameters<StreamsClient['batchAppend']>

/** What 6.2.1, the last version there is, has for those who extend it. */
interface ClientParts {
  readonly GRPCStreamCreator: <Stream>(
    stub: typeof streamsService.StreamsClient,
    name: string,
    create: (client: StreamsClient) => Stream,
  ) => () => Promise<Stream>
  readonly callArguments: (
    options: { readonly credentials?: object; readonly requiresLeader: boolean },
    callOptions: { readonly deadline: Date | number },
  ) => Arguments
  readonly supports: (method: object, feature?: string) => Promise<boolean>
}

type AppendStream = ReturnType<StreamsClient['batchAppend']>
export type ReadStream = ReturnType<StreamsClient['read']>

export interface Wire {
  /** A call that takes any number of appends and answers each. */
  readonly openAppends: () => Promise<AppendStream>
  /** A call that answers one question; without a deadline it goes on until it is cancelled. */
  readonly openRead: (request: ReadReq, deadlineMs?: number) => Promise<ReadStream>
  /** Whether the server is one of 22.6 or newer, which says where in the log the events of a stream stand. */
  readonly isModern: () => Promise<boolean>
  /** Ends every call with an error. */
  readonly dispose: () => Promise<void>
}

export type { BatchAppendReq, BatchAppendResp, ReadReq, ReadResp }

/** The least time between two pings of a connection that the client does not warn of. */
const pingMs = 10_000

/**
 * A client of this server; nothing is sent before the first call. gRPC gives all clients with the same settings the same connection, also
 * one that is dead: those of different `generation` have different ones.
 */
export function openWire({ url, credentials }: EventStoreAddress, generation = 0): Wire {
  const client = EventStoreDBClient.connectionString(ofGeneration(url, generation))
  const parts = client as unknown as ClientParts
  const { StreamsClient: stub, StreamsService: service } = streamsService
  // the leader alone knows all that was acknowledged, and takes appends
  const options = { requiresLeader: true, ...(credentials && { credentials }) }
  const channels = new Set<ReturnType<StreamsClient['getChannel']>>()
  let isDisposed = false
  const opener = <Stream>(call: (streams: StreamsClient) => Stream): (() => Promise<Stream>) =>
    parts.GRPCStreamCreator(stub, 'call', (streams) => {
      if (isDisposed) {
        // the server was found after the client was given up
        streams.getChannel().close()
        throw new Error('the client of EventStoreDB was given up')
      }
      channels.add(streams.getChannel())
      return call(streams)
    })
  const untilCancelled = { deadline: Number.POSITIVE_INFINITY }
  return {
    openAppends: opener((streams) =>
      streams.batchAppend(...parts.callArguments(options, untilCancelled)),
    ),
    openRead: (request, deadlineMs) => {
      const limit =
        deadlineMs === undefined ? untilCancelled : { deadline: new Date(Date.now() + deadlineMs) }
      return opener((streams) => streams.read(request, ...parts.callArguments(options, limit)))()
    },
    isModern: async () =>
      (await parts.supports(service.batchAppend)) &&
      (await parts.supports(service.read, 'position')),
    dispose: async () => {
      isDisposed = true
      await client.dispose()
      // which ends the calls and leaves the connections open
      for (const channel of channels) channel.close()
    },
  }
}

/** The setting that is named last counts. */
function ofGeneration(url: string, generation: number): string {
  const [, given] = /[?&]keep[_-]?alive[_-]?interval=(\d+)/i.exec(url) ?? []
  const ms = Number(given ?? pingMs) + (generation % 1_000)
  return `${url}${url.includes('?') ? '&' : '?'}keepAliveInterval=${ms}`
}
