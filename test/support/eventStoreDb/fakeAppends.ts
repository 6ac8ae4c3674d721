/** How the fake EventStoreDB takes appends: many over one call, or each over its own. */

import shared from '@eventstore/db-client/generated/shared_pb.js'
import type { AppendReq, AppendResp } from '@eventstore/db-client/generated/streams_pb.js'
import streams from '@eventstore/db-client/generated/streams_pb.js'
import type {
  handleBidiStreamingCall,
  handleClientStreamingCall,
  ServerDuplexStream,
} from '@grpc/grpc-js'
import { isUuid } from '../../../src/domain/uuid.ts'
import {
  type AppendFault,
  deletedStream,
  type FakeFaults,
  notLeader,
  tooLarge,
  unavailable,
} from './fakeFaults.ts'
import type { FakeEvent, FakeLog } from './fakeLog.ts'
import {
  badRequest,
  batchAnswer,
  batchError,
  eventOf,
  expectationOf,
  type FakeProblem,
  streamName,
  timeoutProblem,
  tooLargeProblem,
  unaryAnswer,
} from './fakeMessages.ts'

type BatchAppendReq = InstanceType<(typeof streams)['BatchAppendReq']>
type BatchAppendResp = InstanceType<(typeof streams)['BatchAppendResp']>
type BatchCall = ServerDuplexStream<BatchAppendReq, BatchAppendResp>

/** `MaxAppendSize` of a server that nobody has configured. */
const appendBytesMax = 1024 * 1024
/** What is slow for a test. */
const slowMs = 300
/** `WriteTimeoutMs`. */
const writeTimeoutMs = 2_000

export interface FakeAppends {
  readonly batch: handleBidiStreamingCall<BatchAppendReq, BatchAppendResp>
  readonly unary: handleClientStreamingCall<AppendReq, AppendResp>
  /** Appends that have come so far. */
  readonly count: () => number
}

interface Arrived {
  readonly call: BatchCall
  /** The first message of the append, which has its options. */
  readonly request: BatchAppendReq
  readonly events: readonly FakeEvent[]
}

export function fakeAppends(log: FakeLog, faults: FakeFaults): FakeAppends {
  let count = 0
  const take = (arrived: Arrived): void => {
    count += 1
    const fault = faults.append(count)
    const problem = problemOf(arrived, faults)
    if (problem) {
      answer(arrived.call, batchError(arrived.request, problem))
      if (problem.message === 'BadRequest') answerAgain(arrived)
    } else if (fault !== undefined) fail(log, faults, { ...arrived, fault })
    else answer(arrived.call, write(log, arrived))
  }
  return {
    batch: (call) => {
      const parts = new Map<string, Arrived>()
      call.on('data', (request: BatchAppendReq) => {
        const id = request.getCorrelationId()?.getString() ?? ''
        const known = parts.get(id)
        const events = [...(known?.events ?? []), ...request.getProposedMessagesList().map(eventOf)]
        const arrived = { call, request: known?.request ?? request, events }
        parts.set(id, arrived)
        if (!request.getIsFinal()) return
        parts.delete(id)
        take(arrived)
      })
      call.on('end', () => call.end())
    },
    unary: unaryAppend(log),
    count: () => count,
  }
}

function answer(call: BatchCall, response: BatchAppendResp): void {
  if (!call.cancelled) call.write(response)
}

/** Ids of first events whose appends are written and not answered yet. */
const underWay = new WeakMap<FakeLog, Set<string>>()

function write(log: FakeLog, { request, events }: Arrived): BatchAppendResp {
  const options = request.getOptions()
  const expected = expectationOf(options)
  const stream = streamName(options?.getStreamIdentifier())
  if (underWay.get(log)?.has(events[0]?.id ?? '')) {
    // a real server does not know the ids of what it is still writing
    const current = log.stream(stream)?.at(-1)?.revision ?? -1
    return batchAnswer(request, expected, { kind: 'wrong revision', current })
  }
  return batchAnswer(request, expected, log.append(stream, expected, events))
}

function problemOf({ request, events }: Arrived, faults: FakeFaults): FakeProblem | undefined {
  const options = request.getOptions()
  if (streamName(options?.getStreamIdentifier()) === '') {
    return badRequest("Value cannot be null. (Parameter 'value')")
  }
  if (events.some(({ id }) => !isUuid(id))) return badRequest('Unrecognized Guid format.')
  if (events.some(({ type }) => type === '')) {
    return badRequest("Empty eventType provided. (Parameter 'eventType')")
  }
  if (bytesOf(events) > appendBytesMax) return tooLargeProblem(appendBytesMax)
  const deadline = options?.getDeadline()?.toDate().getTime() ?? Number.POSITIVE_INFINITY
  return deadline < Date.now() + faults.clockAheadMs ? timeoutProblem() : undefined
}

function bytesOf(events: readonly FakeEvent[]): number {
  return events.reduce((sum, { data }) => sum + data.length, 0)
}

/** A server that was sent nonsense answers once more when the time of the append is over, under the id in its other form. */
function answerAgain({ call, request }: Arrived): void {
  if (streamName(request.getOptions()?.getStreamIdentifier()) === '') return
  setTimeout(() => {
    const again = batchError(request, timeoutProblem())
    const bytes = Buffer.from(
      (request.getCorrelationId()?.getString() ?? '').replaceAll('-', ''),
      'hex',
    )
    const id = new shared.UUID.Structured()
    id.setMostSignificantBits(`${bytes.readBigInt64BE(0)}`)
    id.setLeastSignificantBits(`${bytes.readBigInt64BE(8)}`)
    const correlation = new shared.UUID()
    correlation.setStructured(id)
    again.setCorrelationId(correlation)
    answer(call, again)
  }, writeTimeoutMs).unref()
}

function fail(
  log: FakeLog,
  faults: FakeFaults,
  { fault, ...arrived }: Arrived & { readonly fault: AppendFault },
): void {
  const { call, request } = arrived
  const problem = (code: number, message: string, type: string) =>
    answer(call, batchError(request, { code, message, type, value: new Uint8Array() }))
  if (fault === 'answer dropped' || fault === 'late' || fault === 'cut after the write') {
    write(log, arrived)
  }
  if (fault === 'slow') {
    const late = write(log, arrived)
    const ids = underWay.get(log) ?? new Set<string>()
    underWay.set(log, ids.add(arrived.events[0]?.id ?? ''))
    setTimeout(() => {
      ids.delete(arrived.events[0]?.id ?? '')
      answer(call, late)
    }, slowMs).unref()
  }
  if (fault === 'late') answer(call, batchError(request, timeoutProblem()))
  if (fault === 'cut after the write' || fault === 'cut before the write') {
    call.emit('error', unavailable())
  }
  if (fault === 'not leader') call.emit('error', notLeader(faults))
  if (fault === 'not ready') problem(14, 'Server Is Not Ready', 'NotHandled')
  if (fault === 'denied') problem(7, 'AccessDenied', 'AccessDenied')
}

function unaryAppend(log: FakeLog): FakeAppends['unary'] {
  return (call, callback) => {
    const requests: AppendReq[] = []
    call.on('data', (request: AppendReq) => requests.push(request))
    call.on('end', () => {
      const options = requests[0]?.getOptions()
      const expected = expectationOf(options)
      const stream = streamName(options?.getStreamIdentifier())
      const events = requests.slice(1).map((request) => {
        const message = request.getProposedMessage() ?? new streams.AppendReq.ProposedMessage()
        return eventOf(message)
      })
      if (log.isTombstoned(stream)) return callback(deletedStream(stream))
      if (bytesOf(events) > appendBytesMax) return callback(tooLarge(appendBytesMax))
      callback(null, unaryAnswer(expected, log.append(stream, expected, events)))
    })
  }
}
