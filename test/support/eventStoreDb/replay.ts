/** Sends what was recorded to a server once more, message by message, and hands back what it says in the form of the recording. */

import { setTimeout as delay } from 'node:timers/promises'
import shared from '@eventstore/db-client/generated/shared_pb.js'
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
  const client = new streamsService.StreamsClient(
    `127.0.0.1:${port}`,
    credentials.createInsecure(),
    { 'grpc.max_send_message_length': -1 },
  )
  const said: Said = { appends: [], reads: [], refusal: undefined }
  const batch = client.batchAppend()
  batch.on('data', (answer) => said.appends.push(plain(answer)))
  batch.on('error', () => undefined)
  const underWay: Replay = { client, said, batch, calls: [batch] }
  const { messages } = its
  const unary = messages.filter(({ type }) => type === 'streams.AppendReq')
  if (unary.length > 0) appendAlone(underWay, unary)
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
  const note = (error: ServiceError | null, answer: unknown) =>
    error ? fail(said, error) : said.appends.push(plain(answer as Plainable))
  const bytes = Buffer.from(message.hex ?? '', 'hex')
  if (message.type === 'streams.BatchAppendReq') batch.write(batchRequest(message))
  if (message.type === 'streams.DeleteReq') {
    client.delete(streams.DeleteReq.deserializeBinary(bytes), note)
  }
  if (message.type === 'streams.TombstoneReq') {
    client.tombstone(streams.TombstoneReq.deserializeBinary(bytes), note)
  }
  if (message.type === 'streams.ReadReq') {
    const call = client.read(movedRequest(bytes, move))
    calls.push(call)
    call.on('data', (answer) => said.reads.push(plain(answer)))
    call.on('error', (error: ServiceError) => fail(said, error))
  }
}

function appendAlone({ client, said, calls }: Replay, messages: readonly RecordedMessage[]): void {
  const call = client.append((error, answer) =>
    error ? fail(said, error) : said.appends.push(plain(answer)),
  )
  calls.push(call)
  for (const message of messages) {
    const request = streams.AppendReq.deserializeBinary(Buffer.from(message.hex ?? '', 'hex'))
    if (message.hex === undefined) {
      const large = new streams.AppendReq.ProposedMessage()
      large.setData(Buffer.alloc(message.bytes ?? 0))
      request.setProposedMessage(large)
    }
    call.write(request)
  }
  call.end()
}

/** A message too long to be recorded as it was is made anew, as long as it was. */
function batchRequest({ hex, msg, bytes }: RecordedMessage) {
  if (hex !== undefined) return streams.BatchAppendReq.deserializeBinary(Buffer.from(hex, 'hex'))
  const { correlationId, options, proposedMessagesList } = msg as unknown as LongAppend
  const message = new streams.BatchAppendReq.ProposedMessage()
  message.setId(uuid(proposedMessagesList[0]?.id.string ?? ''))
  message.getMetadataMap().set('type', 'T')
  message.setData(Buffer.alloc(bytes ?? 0))
  const name = new shared.StreamIdentifier()
  name.setStreamName(options.streamIdentifier.streamName)
  const its = new streams.BatchAppendReq.Options()
  its.setStreamIdentifier(name)
  its.setAny(new shared.Empty())
  const request = new streams.BatchAppendReq()
  request.setCorrelationId(uuid(correlationId.string))
  request.setOptions(its)
  request.addProposedMessages(message)
  request.setIsFinal(true)
  return request
}

interface LongAppend {
  readonly correlationId: { readonly string: string }
  readonly options: { readonly streamIdentifier: { readonly streamName: string } }
  readonly proposedMessagesList: readonly { readonly id: { readonly string: string } }[]
}

function uuid(text: string) {
  const message = new shared.UUID()
  message.setString(text)
  return message
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
export function plainAnswer({ type, hex = '' }: RecordedMessage): unknown {
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
