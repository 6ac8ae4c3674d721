/**
 * Sends what was recorded to a server once more, message by message, and hands back what it says in the form of the
 * recording.
 */

import { setTimeout as delay } from 'node:timers/promises'
import streamsService from '@eventstore/db-client/generated/streams_grpc_pb.js'
import streams from '@eventstore/db-client/generated/streams_pb.js'
import { credentials, type ServiceError } from '@grpc/grpc-js'
import type { FakeEventStoreDb } from './fakeServer.ts'
import type { RecordedMessage, Recording, Refusal } from './recordings.ts'

export interface Said {
  /** The answers in order; those to appends and those to reads apart, since they share no call. */
  readonly appends: unknown[]
  readonly reads: unknown[]
  refusal: Refusal | undefined
}

type Client = InstanceType<(typeof streamsService)['StreamsClient']>

interface Replay {
  readonly client: Client
  readonly said: Said
  readonly batch: ReturnType<Client['batchAppend']>
  readonly calls: { readonly cancel: () => void }[]
}

/** `move` says where a position of the recording is in the log of this server. */
export async function replay(
  { port }: Pick<FakeEventStoreDb, 'port'>,
  its: Recording,
  move: (position: number) => number,
): Promise<Said> {
  const client = new streamsService.StreamsClient(`127.0.0.1:${port}`, credentials.createInsecure())
  const said: Said = { appends: [], reads: [], refusal: undefined }
  const batch = client.batchAppend()
  batch.on('data', (answer) => said.appends.push(plain(answer)))
  batch.on('error', () => undefined)
  const underWay: Replay = { client, said, batch, calls: [batch] }
  const { messages } = its
  for (const [index, message] of messages.entries()) {
    await came(said, answersIn(messages.slice(0, index)))
    ask(underWay, message, move)
  }
  await came(said, answersIn(messages) + (its.refusal ? 1 : 0))
  // and a moment longer, for what should not be said
  await delay(30)
  for (const call of underWay.calls) call.cancel()
  client.close()
  return said
}

function ask(
  { client, said, batch, calls }: Replay,
  message: RecordedMessage,
  move: (position: number) => number,
): void {
  const bytes = Buffer.from(message.hex, 'hex')
  if (message.type === 'streams.BatchAppendReq') {
    batch.write(streams.BatchAppendReq.deserializeBinary(bytes))
  }
  if (message.type === 'streams.ReadReq') {
    const call = client.read(movedRequest(bytes, move))
    calls.push(call)
    call.on('data', (answer) => said.reads.push(plain(answer)))
    call.on('error', (error: ServiceError) => fail(said, error))
  }
}

function movedRequest(bytes: Uint8Array, move: (position: number) => number) {
  const request = streams.ReadReq.deserializeBinary(bytes)
  const position = request.getOptions()?.getAll()?.getPosition()
  if (position) {
    position.setCommitPosition(`${move(Number(position.getCommitPosition()))}`)
    position.setPreparePosition(`${move(Number(position.getPreparePosition()))}`)
  }
  return request
}

function fail(said: Said, error: ServiceError): void {
  const [exception] = error.metadata.get('exception')
  if (error.details === 'Cancelled on client') return
  said.refusal = { code: error.code, details: error.details, exception: exception?.toString() }
}

/** What is asked of the features of a server goes before everything else, and not through here. */
function answersIn(messages: readonly RecordedMessage[]): number {
  const answers = messages.filter(
    ({ dir, type }) => dir === 'server->client' && !type.startsWith('serverfeatures'),
  )
  return answers.length
}

/** Settles when so much was said; gives up in the end, and the comparison will say what is missing. */
async function came(said: Said, count: number): Promise<void> {
  for (let tries = 0; tries < 1_000; tries += 1) {
    const refusals = said.refusal ? 1 : 0
    if (said.appends.length + said.reads.length + refusals >= count) return
    await delay(10)
  }
}

/** What a recorded message of the server says, without what no other run can have. */
export function plainAnswer({ type, hex }: RecordedMessage): unknown {
  const [, name = ''] = type.split('.')
  const kind = (streams as unknown as Readonly<Record<string, MessageType>>)[name]
  return kind && plain(kind.deserializeBinary(Buffer.from(hex, 'hex')))
}

interface MessageType {
  readonly deserializeBinary: (bytes: Uint8Array) => Plainable
}

interface Plainable {
  readonly toObject: () => unknown
}

function plain(message: Plainable): unknown {
  return withoutChance(JSON.parse(JSON.stringify(message.toObject())))
}

/** What differs from run to run, and the order that the entries of a map happen to have. */
const chance = new Set([
  'commitPosition',
  'preparePosition',
  'subscriptionId',
  'instanceId',
  'timeStamp',
  'address',
  'port',
])

/** A message without what no other run can have. */
function withoutChance(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutChance)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(([key, its]): [string, unknown] => {
    if (chance.has(key)) return [key, 'any']
    if (key !== 'metadataMap') return [key, withoutChance(its)]
    const map = its as [string, string][]
    return [key, map.map(([name, text]) => [name, name === 'created' ? 'any' : text]).sort()]
  })
  return Object.fromEntries(entries)
}
