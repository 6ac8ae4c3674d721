/** How the fake EventStoreDB takes appends, of one message each, over one call. */

import type { BatchAppendReq, BatchAppendResp } from '@eventstore/db-client/generated/streams_pb.js'
import type { handleBidiStreamingCall, ServerDuplexStream } from '@grpc/grpc-js'
import { type AppendFault, type FakeFaults, notLeader, unavailable } from './fakeFaults.ts'
import type { FakeEvent, FakeLog } from './fakeLog.ts'
import {
  batchAnswer,
  batchError,
  eventOf,
  expectationOf,
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
    if (isLate(arrived, faults)) {
      answer(arrived.call, batchError(arrived.request, timeoutProblem()))
    } else if (fault !== undefined) fail(log, faults, { ...arrived, fault })
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
