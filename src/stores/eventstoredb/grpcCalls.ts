/** Opens an EventStoreDB client, its append and read calls, and checks the server version. */

/**
 * The client finds the server, connects, secures the connection and authenticates; the calls are made on its stubs,
 * with a deadline that is enforced here, not only sent to the server (docs/decisions/grpc-calls-to-eventstoredb.md).
 */

import { isIP } from 'node:net'
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
import { type ChannelCredentials, credentials } from '@grpc/grpc-js'
import type { EventStoreDbConnectionOptions } from '../connectionStrings.ts'
import { withTimeout } from '../withTimeout.ts'

// gRPC sends an IP address as the server name of TLS, which RFC 6066 forbids and Node 26 refuses. It is left out in the
// class, since the client makes its own credentials; certificates are compared with the host all the same. Without a
// file of authorities the usual ones would be read, for 60 ms.
const secure: ChannelCredentials = Object.getPrototypeOf(credentials.createSsl(Buffer.alloc(0)))
const createConnector = secure._createSecureConnector
secure._createSecureConnector = function (...args) {
  const connector = createConnector.apply(this, args)
  const { connectionOptions: tls } = connector as unknown as {
    readonly connectionOptions: { servername?: string }
  }
  if (isIP(tls.servername ?? '') !== 0) delete tls.servername
  return connector
}

type Arguments = Parameters<StreamsClient['batchAppend']>

/** Members that 6.2.1, the last version, has for subclasses. */
interface ClientInternals {
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

interface ReadLimits {
  /** Time limit for finding the server: the client's own is too long. */
  readonly findMs: number
  /** Time limit of the call; it goes on until it is cancelled when undefined. */
  readonly readMs?: number
}

export interface GrpcCalls {
  /** Opens a call that takes any number of appends and answers each. */
  readonly openAppends: () => Promise<AppendStream>
  /** Opens a read. Rejects when no server was found in time; one that is found later gets no request. */
  readonly openRead: (request: ReadReq, limits: ReadLimits) => Promise<ReadStream>
  /** Whether the server is 22.6 or newer, which returns the log positions of the events of a stream. */
  readonly isModern: () => Promise<boolean>
  /** The host and port of the server that the last call went to; undefined when none was found. */
  readonly server: () => string | undefined
  /** Ends every call with an error. */
  readonly dispose: () => Promise<void>
}

export type { BatchAppendReq, BatchAppendResp, ReadReq, ReadResp }

/** The shortest ping interval that the client accepts without a warning. */
const pingMs = 10_000

/** Time a server may take to say where the leader is: shorter than an append's attempt, so that another is asked. */
const gossipSeconds = 2

interface Generation {
  /**
   * gRPC shares one connection, even a dead one, between clients with the same settings: those of different generations
   * have different ones.
   */
  readonly number: number
  /**
   * The host and port of a server that has not answered: it is not asked where the leader is, unless it is the only
   * one.
   */
  readonly avoided?: string | undefined
}

/** A client of this server; nothing is sent before the first call. */
export function openGrpcCalls(
  { url, credentials }: EventStoreDbConnectionOptions,
  generation: Generation,
): GrpcCalls {
  const client = EventStoreDBClient.connectionString(urlOfGeneration(url, generation))
  const internals = client as unknown as ClientInternals
  const { StreamsClient: stub, StreamsService: service } = streamsService
  // only the leader has every acknowledged event, and accepts appends
  const options = { requiresLeader: true, ...(credentials && { credentials }) }
  const channels = new Set<ReturnType<StreamsClient['getChannel']>>()
  let isDisposed = false
  let server: string | undefined
  const opener = <Stream>(call: (streams: StreamsClient) => Stream): (() => Promise<Stream>) =>
    internals.GRPCStreamCreator(stub, 'call', (streams) => {
      if (isDisposed) {
        // the server was found after the client was given up
        streams.getChannel().close()
        throw new Error('the client of EventStoreDB was given up')
      }
      channels.add(streams.getChannel())
      server = streams.getChannel().getTarget().replace('dns:', '')
      return call(streams)
    })
  const untilCancelled = { deadline: Number.POSITIVE_INFINITY }
  return {
    openAppends: opener((streams) =>
      streams.batchAppend(...internals.callArguments(options, untilCancelled)),
    ),
    openRead: (request, { findMs, readMs }) => {
      const limit =
        readMs === undefined ? untilCancelled : { deadline: new Date(Date.now() + readMs) }
      const open = opener((streams) =>
        streams.read(request, ...internals.callArguments(options, limit)),
      )
      const opening = open()
      return withTimeout(opening, findMs, () => {
        opening.then((stream) => stream.cancel()).catch(() => undefined)
        return new Error(`no EventStoreDB was found in ${findMs} ms`)
      })
    },
    isModern: async () =>
      (await internals.supports(service.batchAppend)) &&
      (await internals.supports(service.read, 'position')),
    server: () => server,
    dispose: async () => {
      isDisposed = true
      await client.dispose()
      // dispose ends the calls but leaves the connections open
      for (const channel of channels) channel.close()
    },
  }
}

/** A setting given twice takes its last value. */
function urlOfGeneration(url: string, { number, avoided }: Generation): string {
  const [, scheme = '', hosts = '', query = ''] = /^(.*?:\/\/)([^/?]*)\/*\??(.*)$/s.exec(url) ?? []
  const [, given] = /(?:^|&)keep[_-]?alive[_-]?interval=(\d+)/i.exec(query) ?? []
  const pingInterval = Number(given ?? pingMs) + (number % 1_000)
  const settings = [`gossipTimeout=${gossipSeconds}`, query, `keepAliveInterval=${pingInterval}`]
  return `${scheme}${withoutHost(hosts, avoided)}?${settings.filter(Boolean).join('&')}`
}

/** As many hosts, since the client takes a single one for the leader: another in place of the avoided one. */
function withoutHost(hosts: string, avoided: string | undefined): string {
  const isAvoided = (host: string) => (host.includes(':') ? host : `${host}:2113`) === avoided
  const all = hosts.split(',')
  const other = all.find((host) => !isAvoided(host))
  return all.map((host) => (isAvoided(host) ? (other ?? host) : host)).join(',')
}
