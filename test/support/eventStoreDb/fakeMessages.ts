/** What the fake EventStoreDB reads from the messages of its protocol and writes into them. */

import shared from '@eventstore/db-client/generated/shared_pb.js'
import status from '@eventstore/db-client/generated/status_pb.js'
import streams from '@eventstore/db-client/generated/streams_pb.js'
import protobuf from 'google-protobuf'
import any from 'google-protobuf/google/protobuf/any_pb.js'
import {
  type FakeAnswer,
  type FakeEvent,
  type FakeExpectation,
  type StoredEvent,
  tombstoneRevision,
} from './fakeLog.ts'

type Streams = typeof streams
type BatchAppendReq = InstanceType<Streams['BatchAppendReq']>
type Proposed = InstanceType<Streams['BatchAppendReq']['ProposedMessage']>

export function streamName(
  identifier: InstanceType<(typeof shared)['StreamIdentifier']> | undefined,
): string {
  return Buffer.from(identifier?.getStreamName_asU8() ?? new Uint8Array()).toString('utf8')
}

export function eventOf(message: Proposed): FakeEvent {
  const map = message.getMetadataMap()
  return {
    id: message.getId()?.getString() ?? '',
    type: map.get('type') ?? '',
    contentType: map.get('content-type') ?? 'application/octet-stream',
    data: message.getData_asU8(),
    metadata: message.getCustomMetadata_asU8(),
  }
}

export function expectationOf(
  options: InstanceType<Streams['BatchAppendReq']['Options']> | undefined,
): FakeExpectation {
  if (options?.hasNoStream()) return 'no_stream'
  if (!options || options.hasAny()) return 'any'
  return Number(options.getStreamPosition())
}

/** What the server says to an append that it could not take. */
export interface FakeProblem {
  readonly code: number
  readonly message: string
  /** Name and bytes of the detail; the name is one of the package `event_store.client` unless it names another. */
  readonly type: string
  readonly value: Uint8Array
}

export function timeoutProblem(): FakeProblem {
  return { code: 4, message: 'Timeout', type: 'Timeout', value: new Uint8Array() }
}

/** What a server says that starts or stops, is busy, or knows of no leader: the code is none. */
export function notHandledProblem(message: string): FakeProblem {
  return { code: 0, message, type: 'google.protobuf.Empty', value: new Uint8Array() }
}

export function appendSizeProblem(max: number): FakeProblem {
  const detail = new shared.MaximumAppendSizeExceeded()
  detail.setMaxappendsize(max)
  const name = 'MaximumAppendSizeExceeded'
  return { code: 3, message: name, type: name, value: detail.serializeBinary() }
}

/** The generated code of the client is older than this message. */
export function eventSizeProblem({ id }: FakeEvent, bytes: number, max: number): FakeProblem {
  const detail = new protobuf.BinaryWriter()
  detail.writeString(1, id)
  detail.writeUint32(2, bytes)
  detail.writeUint32(3, max)
  const name = 'MaximumAppendEventSizeExceeded'
  return { code: 3, message: name, type: name, value: detail.getResultBuffer() }
}

export function batchError(request: BatchAppendReq, problem: FakeProblem) {
  const response = answerTo(request)
  const detail = new any.Any()
  const type = problem.type.includes('.') ? problem.type : `event_store.client.${problem.type}`
  detail.setTypeUrl(`type.googleapis.com/${type}`)
  detail.setValue(problem.value)
  const error = new status.Status()
  error.setCode(problem.code)
  error.setMessage(problem.message)
  error.setDetails(detail)
  response.setError(error)
  return response
}

export function batchAnswer(
  request: BatchAppendReq,
  expected: FakeExpectation,
  answer: FakeAnswer,
): InstanceType<Streams['BatchAppendResp']> {
  if (answer.kind === 'deleted') return batchError(request, deletedProblem(request))
  if (answer.kind === 'wrong revision') {
    return batchError(request, wrongRevisionProblem(expected, answer.current))
  }
  const response = answerTo(request)
  const success = new streams.BatchAppendResp.Success()
  if (answer.revision < 0) success.setNoStream(new shared.Empty())
  else success.setCurrentRevision(`${answer.revision}`)
  if (answer.position === undefined) success.setNoPosition(new shared.Empty())
  else success.setPosition(allStreamPosition(answer.position))
  response.setSuccess(success)
  return response
}

function allStreamPosition(position: number) {
  const message = new shared.AllStreamPosition()
  message.setCommitPosition(`${position}`)
  message.setPreparePosition(`${position}`)
  return message
}

function answerTo(request: BatchAppendReq) {
  const response = new streams.BatchAppendResp()
  response.setCorrelationId(request.getCorrelationId())
  response.setStreamIdentifier(request.getOptions()?.getStreamIdentifier())
  return response
}

function deletedProblem(request: BatchAppendReq): FakeProblem {
  const detail = new shared.StreamDeleted()
  detail.setStreamIdentifier(request.getOptions()?.getStreamIdentifier())
  const name = 'StreamDeleted'
  return { code: 5, message: name, type: name, value: detail.serializeBinary() }
}

function wrongRevisionProblem(expected: FakeExpectation, current: number): FakeProblem {
  const detail = new shared.WrongExpectedVersion()
  if (current < 0) detail.setCurrentNoStream(new shared.Empty())
  else detail.setCurrentStreamRevision(`${current}`)
  if (expected === 'no_stream') detail.setExpectedNoStream(new shared.Empty())
  else detail.setExpectedStreamPosition(`${expected}`)
  const name = 'WrongExpectedVersion'
  return { code: 6, message: name, type: name, value: detail.serializeBinary() }
}

export function readEvent(event: StoredEvent) {
  const recorded = new streams.ReadResp.ReadEvent.RecordedEvent()
  const id = new shared.UUID()
  id.setString(event.id)
  const name = new shared.StreamIdentifier()
  name.setStreamName(Buffer.from(event.stream))
  recorded.setId(id)
  recorded.setStreamIdentifier(name)
  recorded.setStreamRevision(
    event.revision === tombstoneRevision ? '9223372036854775807' : `${event.revision}`,
  )
  recorded.setPreparePosition(`${event.position}`)
  recorded.setCommitPosition(`${event.position}`)
  recorded.getMetadataMap().set('type', event.type)
  recorded.getMetadataMap().set('created', event.createdTicks)
  recorded.getMetadataMap().set('content-type', event.contentType)
  recorded.setCustomMetadata(event.metadata)
  recorded.setData(event.data)
  const read = new streams.ReadResp.ReadEvent()
  read.setEvent(recorded)
  read.setCommitPosition(`${event.position}`)
  const response = new streams.ReadResp()
  response.setEvent(read)
  return response
}

export function confirmation() {
  const confirmed = new streams.ReadResp.SubscriptionConfirmation()
  confirmed.setSubscriptionId(crypto.randomUUID())
  const response = new streams.ReadResp()
  response.setConfirmation(confirmed)
  return response
}

/** As a server tells it that has looked so far; one whose window ended on somebody else's event has no other half. */
export function checkpoint(commit: string) {
  const reached = new streams.ReadResp.Checkpoint()
  reached.setCommitPosition(commit)
  reached.setPreparePosition('0')
  const response = new streams.ReadResp()
  response.setCheckpoint(reached)
  return response
}

export function caughtUp() {
  const response = new streams.ReadResp()
  response.setCaughtUp(new streams.ReadResp.CaughtUp())
  return response
}

export function notFound(
  identifier: InstanceType<(typeof shared)['StreamIdentifier']> | undefined,
) {
  const missing = new streams.ReadResp.StreamNotFound()
  missing.setStreamIdentifier(identifier)
  const response = new streams.ReadResp()
  response.setStreamNotFound(missing)
  return response
}
