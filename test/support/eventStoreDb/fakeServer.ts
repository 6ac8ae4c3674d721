/**
 * A server that speaks the protocol of EventStoreDB and KurrentDB, as far as the product speaks it, with a log in
 * memory and faults on demand. What it answers is held against recordings of a real one; what it does not do, no test
 * may rely on.
 */

import gossipService from '@eventstore/db-client/generated/gossip_grpc_pb.js'
import gossip from '@eventstore/db-client/generated/gossip_pb.js'
import featuresService from '@eventstore/db-client/generated/serverfeatures_grpc_pb.js'
import features from '@eventstore/db-client/generated/serverfeatures_pb.js'
import shared from '@eventstore/db-client/generated/shared_pb.js'
import streamsService from '@eventstore/db-client/generated/streams_grpc_pb.js'
import { type handleUnaryCall, Server, ServerCredentials, status } from '@grpc/grpc-js'
import type { SelfSigned } from '../selfSigned.ts'
import { type FakeAppends, fakeAppends } from './fakeAppends.ts'
import { type FakeFaults, noFaults } from './fakeFaults.ts'
import { type FakeLog, fakeLog } from './fakeLog.ts'
import { type FakeReads, fakeReads } from './fakeReads.ts'

export interface FakeEventStoreDb {
  readonly port: number
  /** A connection string for it, without TLS. */
  readonly url: string
  readonly log: FakeLog
  readonly faults: FakeFaults
  readonly appends: FakeAppends
  readonly reads: FakeReads
  /** Questions for its features that have come so far. */
  readonly probes: () => number
  /** Questions for its cluster that have been answered so far. */
  readonly discoveries: () => number
  /** Cuts all connections and takes no more. */
  readonly stop: () => void
}

export interface FakeServerOptions {
  /** A log that an earlier server has written. */
  readonly log?: FakeLog
  /** Any free one unless given. */
  readonly port?: number
  /** Without TLS unless given. */
  readonly secured?: SelfSigned
}

export async function startFakeEventStoreDb(
  options: FakeServerOptions = {},
): Promise<FakeEventStoreDb> {
  const log = options.log ?? fakeLog()
  const faults = noFaults()
  const appends = fakeAppends(log, faults)
  const reads = fakeReads(log, faults)
  const server = new Server({ 'grpc.max_receive_message_length': 17 * 1024 * 1024 })
  const probe = supportedMethods(faults)
  server.addService(featuresService.ServerFeaturesService, { getSupportedMethods: probe.handle })
  server.addService(streamsService.StreamsService, {
    read: reads.read,
    batchAppend: appends.batch,
  })
  const port = await listen(server, options)
  let discoveries = 0
  const cluster = clusterOf(port, faults)
  server.addService(gossipService.GossipService, {
    read: ((call, callback) => {
      discoveries += 1
      cluster(call, callback)
    }) satisfies typeof cluster,
  })
  return {
    port,
    url: `esdb://127.0.0.1:${port}?tls=false`,
    log,
    faults,
    appends,
    reads,
    probes: probe.count,
    discoveries: () => discoveries,
    stop: () => server.forceShutdown(),
  }
}

function listen(server: Server, { port = 0, secured }: FakeServerOptions): Promise<number> {
  const credentials = secured
    ? ServerCredentials.createSsl(null, [
        { private_key: Buffer.from(secured.key), cert_chain: Buffer.from(secured.cert) },
      ])
    : ServerCredentials.createInsecure()
  return new Promise((resolve, reject) => {
    server.bindAsync(`127.0.0.1:${port}`, credentials, (error, bound) => {
      if (error) reject(error)
      else resolve(bound)
    })
  })
}

type Empty = InstanceType<(typeof shared)['Empty']>
type SupportedMethods = InstanceType<(typeof features)['SupportedMethods']>

/** The methods that somebody asks for; a real server names some thirty. */
const methods: readonly (readonly [string, string, readonly string[]])[] = [
  ['read', 'event_store.client.streams.streams', ['position', 'events']],
  ['batchappend', 'event_store.client.streams.streams', ['deadline_duration']],
  ['read', 'event_store.client.gossip.gossip', []],
  ['getsupportedmethods', 'event_store.client.server_features.serverfeatures', []],
]

function supportedMethods(faults: FakeFaults) {
  let count = 0
  const handle: handleUnaryCall<Empty, SupportedMethods> = (_call, callback) => {
    count += 1
    const fault = faults.features(count)
    if (fault === 'internal') callback({ code: status.INTERNAL })
    else if (fault === 'unimplemented') callback({ code: status.UNIMPLEMENTED })
    else if (fault === undefined) callback(null, featuresOf(faults))
  }
  return { handle, count: () => count }
}

function featuresOf({ old }: FakeFaults): SupportedMethods {
  const answer = new features.SupportedMethods()
  for (const [name, service, its] of old ? [] : methods) {
    const method = new features.SupportedMethod()
    method.setMethodName(name)
    method.setServiceName(service)
    method.setFeaturesList([...its])
    answer.addMethods(method)
  }
  answer.setEventStoreServerVersion(old ? '20.10.5' : '24.2.0')
  return answer
}

type ClusterInfo = InstanceType<(typeof gossip)['ClusterInfo']>

/** A cluster of this node alone, its leader, unless another is said to be. */
function clusterOf(port: number, faults: FakeFaults): handleUnaryCall<Empty, ClusterInfo> {
  return (_call, callback) => {
    const id = new shared.UUID()
    const structured = new shared.UUID.Structured()
    structured.setMostSignificantBits('-8926785542562428379')
    structured.setLeastSignificantBits('-6721184527138821199')
    id.setStructured(structured)
    const endPoint = new gossip.EndPoint()
    endPoint.setAddress('127.0.0.1')
    endPoint.setPort(faults.leader.port || port)
    const member = new gossip.MemberInfo()
    member.setInstanceId(id)
    member.setTimeStamp(`${Date.now()}0000`)
    member.setState(gossip.MemberInfo.VNodeState.LEADER)
    member.setIsAlive(true)
    member.setHttpEndPoint(endPoint)
    const cluster = new gossip.ClusterInfo()
    cluster.addMembers(member)
    callback(null, cluster)
  }
}
