/** Builds gRPC requests for EventStoreDB, and parses events with their text unchanged. */

import shared from '@eventstore/db-client/generated/shared_pb.js'
import streams from '@eventstore/db-client/generated/streams_pb.js'
import type { Append, RecordedEvent } from '../eventStore.ts'
import { logDamagedFailure } from './eventStoreDbErrors.ts'
import type { BatchAppendReq, ReadReq, ReadResp } from './grpcCalls.ts'

export interface AppendMessage {
  readonly append: Pick<Append, 'stream' | 'events'> & {
    readonly expected: Append['expected'] | 'any'
  }
  /** Names the append in its answer. */
  readonly id: string
}

/** Without a deadline, which is by the server's clock: it gives up after two seconds in any case. */
export function buildAppendRequest({ append, id }: AppendMessage): BatchAppendReq {
  const options = new streams.BatchAppendReq.Options()
  options.setStreamIdentifier(identifier(append.stream))
  if (append.expected === 'any') options.setAny(new shared.Empty())
  else if (append.expected === 'no_stream') options.setNoStream(new shared.Empty())
  else options.setStreamPosition(`${append.expected}`)
  const request = new streams.BatchAppendReq()
  request.setCorrelationId(uuid(id))
  request.setOptions(options)
  for (const { id: eventId, type, data, metadata } of append.events) {
    const message = new streams.BatchAppendReq.ProposedMessage()
    message.setId(uuid(eventId))
    message.getMetadataMap().set('type', type)
    message.getMetadataMap().set('content-type', 'application/json')
    message.setData(Buffer.from(data))
    message.setCustomMetadata(Buffer.from(metadata))
    request.addProposedMessages(message)
  }
  request.setIsFinal(true)
  return request
}

function uuid(text: string) {
  const message = new shared.UUID()
  message.setString(text)
  return message
}

function identifier(stream: string) {
  const message = new shared.StreamIdentifier()
  message.setStreamName(Buffer.from(stream).toString('base64'))
  return message
}

/** The events of a stream from a revision on, at most so many; or from the end backwards. */
export function buildReadStreamRequest(
  stream: string,
  { from, limit }: { readonly from: number | 'end'; readonly limit: number },
): ReadReq {
  const range = new streams.ReadReq.Options.StreamOptions()
  range.setStreamIdentifier(identifier(stream))
  if (from === 'end') range.setEnd(new shared.Empty())
  else range.setRevision(`${from}`)
  return readRequest((options) => {
    options.setStream(range)
    options.setReadDirection(from === 'end' ? backwards : forwards)
    options.setCount(`${limit}`)
  })
}

export interface LogRange {
  readonly from: number | 'start' | 'end'
  readonly direction: 'forwards' | 'backwards'
  readonly limit: number
}

/** Events of all the log: forwards with the one at the position, backwards without it. */
export function buildReadLogRequest({ from, direction, limit }: LogRange): ReadReq {
  return readRequest((options) => {
    options.setAll(allFrom(from))
    options.setReadDirection(direction === 'forwards' ? forwards : backwards)
    options.setCount(`${limit}`)
  })
}

/** All events after a position, 0 for the beginning, and then new ones. */
export function buildSubscriptionRequest(after: number): ReadReq {
  return readRequest((options) => {
    options.setAll(allFrom(after === 0 ? 'start' : after))
    options.setReadDirection(forwards)
    options.setSubscription(new streams.ReadReq.Options.SubscriptionOptions())
  })
}

/** Values of the protocol. */
const forwards = 0
const backwards = 1

function readRequest(
  complete: (options: InstanceType<(typeof streams)['ReadReq']['Options']>) => void,
): ReadReq {
  const ids = new streams.ReadReq.Options.UUIDOption()
  ids.setString(new shared.Empty())
  const options = new streams.ReadReq.Options()
  options.setResolveLinks(false)
  options.setUuidOption(ids)
  options.setNoFilter(new shared.Empty())
  complete(options)
  const request = new streams.ReadReq()
  request.setOptions(options)
  return request
}

/** Both halves of a position are equal for events written through gRPC. */
function allFrom(from: LogRange['from']) {
  const all = new streams.ReadReq.Options.AllOptions()
  if (from === 'start') all.setStart(new shared.Empty())
  else if (from === 'end') all.setEnd(new shared.Empty())
  else {
    const position = new streams.ReadReq.Options.Position()
    position.setCommitPosition(`${from}`)
    position.setPreparePosition(`${from}`)
    all.setPosition(position)
  }
  return all
}

/** Whether it is one of the server's own events. */
export function isSystemEvent({ stream, type }: Pick<RecordedEvent, 'stream' | 'type'>): boolean {
  return stream.startsWith('$') || type.startsWith('$')
}

/**
 * The event in an answer; undefined for an answer without one, and of one of the server's own not more than its names
 * and its position. Throws `Failure` `unavailable` for numbers beyond 2^53 - 1.
 */
export function parseRecordedEvent(response: ReadResp): RecordedEvent | undefined {
  const recorded = response.getEvent()?.getEvent()
  if (!recorded) return undefined
  const map = recorded.getMetadataMap()
  const names = {
    id: recorded.getId()?.getString() ?? '',
    type: map.get('type') ?? '',
    stream: textOf(recorded.getStreamIdentifier()?.getStreamName_asU8() ?? new Uint8Array()),
    position: parseSafeInteger(recorded.getCommitPosition()),
  }
  // the revision of a tombstone, of whosever stream, is 2^63 - 1
  if (isSystemEvent(names)) return { ...names, revision: 0, data: '', metadata: '{}' }
  const metadata = textOf(recorded.getCustomMetadata_asU8())
  return {
    ...names,
    data: textOf(recorded.getData_asU8()),
    metadata: metadata === '' ? '{}' : metadata,
    revision: parseSafeInteger(recorded.getStreamRevision()),
  }
}

function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8')
}

/** Throws `Failure` `unavailable` beyond 2^53 - 1: positions are bytes, so a log may grow to eight pebibytes. */
export function parseSafeInteger(digits: string): number {
  const number = Number(digits)
  if (Number.isSafeInteger(number)) return number
  throw logDamagedFailure(`${digits} is beyond the largest position that can be kept, 2^53 - 1`)
}
