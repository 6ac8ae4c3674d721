/** How the fake EventStoreDB takes appends, of one message each, over one call. */

import type { BatchAppendReq, BatchAppendResp } from '@eventstore/db-client/generated/streams_pb.js'
import type { handleBidiStreamingCall, ServerDuplexStream } from '@grpc/grpc-js'
import { type AppendFault, type FakeFaults, notLeader, unavailable } from './fakeFaults.ts'
import type { FakeEvent, FakeLog } from './fakeLog.ts'
import {
  appendSizeProblem,
  batchAnswer,
  batchError,
  eventOf,
  eventSizeProblem,
  expectationOf,
  type FakeProblem,
  notHandledProblem,
  streamName,
  timeoutProblem,
} from './fakeMessages.ts'

type BatchCall = ServerDuplexStream<BatchAppendReq, BatchAppendResp>

/** What is slow for a test. */
const slowMs = 300

export interface FakeAppends {
  readonly batch: handleBidiStreamingCall<BatchAppendReq, BatchAppendResp>
  /** Appends that have come so far. */
  readonly count: () => number
}

interface Arrived {
  readonly call: BatchCall
  readonly request: BatchAppendReq
  readonly events: readonly FakeEvent[]
}

export function fakeAppends(log: FakeLog, faults: FakeFaults): FakeAppends {
  let count = 0
  const take = (arrived: Arrived): void => {
    count += 1
    const fault = faults.append(count)
    const tooLarge = sizeProblem(arrived.events, faults)
    if (isLate(arrived, faults)) refuse(arrived, timeoutProblem())
    else if (tooLarge) refuse(arrived, tooLarge)
    else if (isUnderWay(log, arrived)) answerDuplicate(log, faults, arrived)
    else if (fault !== undefined) fail(log, faults, { ...arrived, fault })
    else answer(arrived.call, write(log, arrived))
  }
  return {
    batch: (call) => {
      call.on('data', (request: BatchAppendReq) =>
        take({ call, request, events: request.getProposedMessagesList().map(eventOf) }),
      )
      call.on('end', () => call.end())
    },
    count: () => count,
  }
}

function answer(call: BatchCall, response: BatchAppendResp): void {
  if (!call.cancelled) call.write(response)
}

function refuse({ call, request }: Arrived, problem: FakeProblem): void {
  answer(call, batchError(request, problem))
}

/** As the server has counted since 24.10.4. */
function sizeProblem(
  events: readonly FakeEvent[],
  { appendBytesMax, eventBytesMax }: FakeFaults,
): FakeProblem | undefined {
  let sum = 0
  for (const event of events) {
    const bytes = event.data.length + event.metadata.length + 2 * event.type.length
    if (bytes > eventBytesMax) return eventSizeProblem(event, bytes, eventBytesMax)
    sum += bytes
  }
  return sum > appendBytesMax ? appendSizeProblem(appendBytesMax) : undefined
}

/** Ids of first events whose appends are written and not answered yet. */
const underWay = new WeakMap<FakeLog, Set<string>>()

function isUnderWay(log: FakeLog, { events }: Arrived): boolean {
  return underWay.get(log)?.has(events[0]?.id ?? '') ?? false
}

/** A real server does not know the ids of what it is still writing. */
function answerDuplicate(log: FakeLog, faults: FakeFaults, arrived: Arrived): void {
  if (faults.duplicates === 'dropped') {
    setTimeout(() => refuse(arrived, timeoutProblem()), faults.writeTimeoutMs).unref()
    return
  }
  const { expected, stream } = targetOf(arrived)
  const current = log.stream(stream)?.at(-1)?.revision ?? -1
  const wrong = batchAnswer(arrived.request, expected, { kind: 'wrong revision', current })
  answer(arrived.call, wrong)
}

function targetOf({ request }: Arrived) {
  const options = request.getOptions()
  return {
    expected: expectationOf(options),
    stream: streamName(options?.getStreamIdentifier()),
  }
}

function write(log: FakeLog, arrived: Arrived): BatchAppendResp {
  const { expected, stream } = targetOf(arrived)
  return batchAnswer(arrived.request, expected, log.append(stream, expected, arrived.events))
}

/** Whether its deadline has passed by the clock of the server. */
function isLate({ request }: Arrived, { clockAheadMs }: FakeFaults): boolean {
  const deadline = request.getOptions()?.getDeadline()?.toDate().getTime()
  return deadline !== undefined && deadline < Date.now() + clockAheadMs
}

function fail(
  log: FakeLog,
  faults: FakeFaults,
  { fault, ...arrived }: Arrived & { readonly fault: AppendFault },
): void {
  const { call } = arrived
  if (typeof fault === 'object') {
    if ('answer' in fault) refuse(arrived, fault.answer)
    else call.emit('error', fault.end)
    return
  }
  if (fault === 'answer dropped' || fault === 'late' || fault === 'cut after the write') {
    write(log, arrived)
  }
  if (fault === 'slow') answerLate(log, arrived)
  if (fault === 'cut after the write' || fault === 'cut before the write') {
    call.emit('error', unavailable())
  }
  if (fault === 'not leader') call.emit('error', notLeader(faults))
  const problem = problems[fault]
  if (problem) refuse(arrived, problem)
}

function answerLate(log: FakeLog, arrived: Arrived): void {
  const late = write(log, arrived)
  const ids = underWay.get(log) ?? new Set<string>()
  const first = arrived.events[0]?.id ?? ''
  underWay.set(log, ids.add(first))
  setTimeout(() => {
    ids.delete(first)
    answer(arrived.call, late)
  }, slowMs).unref()
}

const problems: Readonly<Record<string, FakeProblem>> = {
  late: timeoutProblem(),
  'not ready': notHandledProblem('Server Is Not Ready'),
  denied: { code: 7, message: 'AccessDenied', type: 'AccessDenied', value: new Uint8Array() },
}
