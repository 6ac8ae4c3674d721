/** Sends appends over one gRPC call, each with a timeout, and matches answers by id. */

import { randomUUID } from 'node:crypto'
import { BinaryReader, WireType } from '@bufbuild/protobuf/wire'
import shared from '@eventstore/db-client/generated/shared_pb.js'
import type { Failure } from '../../domain/failure.ts'
import { tooLargeFailure } from '../checkAppend.ts'
import {
  type Appended,
  appendBytesMax,
  type ExpectedRevision,
  eventBytes,
  type WrongRevision,
} from '../eventStore.ts'
import { grpcCodes, isAccessDenied, logDamagedFailure } from './eventStoreDbErrors.ts'
import type { BatchAppendResp, GrpcCalls } from './grpcCalls.ts'
import { type AppendMessage, buildAppendRequest, parseSafeInteger } from './protocolMessages.ts'

export type AppendOutcome =
  | { readonly kind: 'answered'; readonly answer: Appended | WrongRevision }
  /** It was not written, and sending it again changes nothing; others may be written. */
  | { readonly kind: 'refused'; readonly reason: unknown }
  /** Nothing is written for this user. */
  | { readonly kind: 'denied'; readonly reason: unknown }
  /** It may have been written: the very same append may be sent again, and must be before anything else is decided. */
  | { readonly kind: 'unknown'; readonly reason: unknown }

/** Settles with the outcome, at the latest after this time; never rejects. */
export type SendAppend = (
  append: AppendMessage['append'],
  timeoutMs: number,
) => Promise<AppendOutcome>

interface PendingAppend {
  readonly append: AppendMessage['append']
  readonly settle: (outcome: AppendOutcome) => void
}

/** An open call and the appends in flight. */
interface OpenCall {
  readonly stream: Awaited<ReturnType<GrpcCalls['openAppends']>>
  readonly waiting: Map<string, PendingAppend>
  /** Answers received. */
  answers: number
}

/**
 * Sends the appends of a client. `onSilence` is called when an append timed out and no other was answered meanwhile:
 * the connection or the server is dead.
 */
export function createAppendSender(
  calls: Pick<GrpcCalls, 'openAppends'>,
  onSilence: () => void,
): SendAppend {
  let opening: Promise<OpenCall> | undefined
  const openOnce = (): Promise<OpenCall> => {
    if (opening) return opening
    const opened = openCall(calls, () => forget(opened))
    opened.catch(() => forget(opened))
    opening = opened
    return opened
  }
  const forget = (opened: Promise<OpenCall>): void => {
    if (opening === opened) opening = undefined
  }

  return (append, timeoutMs) =>
    new Promise((resolve) => {
      let call: OpenCall | undefined
      let answersBefore = 0
      let isSettled = false
      const id = randomUUID()
      const settle = (outcome: AppendOutcome): void => {
        isSettled = true
        clearTimeout(timer)
        call?.waiting.delete(id)
        resolve(outcome)
      }
      const timer = setTimeout(() => {
        settle(unknownOutcome(`EventStoreDB has not answered an append in ${timeoutMs} ms`))
        if (call === undefined || call.answers === answersBefore) onSilence()
      }, timeoutMs)
      const write = (opened: OpenCall): void => {
        // the server was found too late: an append that timed out must not be written
        if (isSettled) return
        call = opened
        answersBefore = opened.answers
        opened.waiting.set(id, { append, settle })
        opened.stream.write(buildAppendRequest({ append, id }))
      }
      void openOnce()
        .then(write)
        .catch((error: unknown) => settle(outcomeOfError(error)))
    })
}

async function openCall(
  calls: Pick<GrpcCalls, 'openAppends'>,
  onEnd: () => void,
): Promise<OpenCall> {
  const stream = await calls.openAppends()
  const call: OpenCall = { stream, waiting: new Map(), answers: 0 }
  const end = (error: unknown): void => {
    onEnd()
    for (const { settle } of [...call.waiting.values()]) settle(outcomeOfError(error))
  }
  stream.on('data', (response: BatchAppendResp) => {
    call.answers += 1
    const id = response.getCorrelationId()?.getString() ?? ''
    const waiting = call.waiting.get(id)
    try {
      waiting?.settle(outcomeOf(response, waiting.append))
    } catch (error) {
      waiting?.settle(refused(error))
    }
  })
  stream.on('error', end)
  stream.on('end', () => {
    stream.end()
    end(new Error('EventStoreDB has ended the call'))
  })
  return call
}

/** The outcome of an append from the server's answer, whose numbers mean nothing when there are no events. */
function outcomeOf(
  response: BatchAppendResp,
  { events }: Pick<AppendMessage['append'], 'events'>,
): AppendOutcome {
  const success = response.getSuccess()
  if (!success) return outcomeOfProblem(response, events)
  if (events.length === 0)
    return { kind: 'answered', answer: { ok: true, revision: 0, position: 0 } }
  const digits = success.getPosition()?.getCommitPosition()
  if (digits === undefined)
    return refused(logDamagedFailure('the stream of an append has been deleted'))
  const revision = parseSafeInteger(success.getCurrentRevision())
  return { kind: 'answered', answer: { ok: true, revision, position: parseSafeInteger(digits) } }
}

/** The outcome of the appends in flight when the call ends with an error. */
function outcomeOfError(error: unknown): AppendOutcome {
  return { kind: isAccessDenied(error) ? 'denied' : 'unknown', reason: error }
}

/** An unknown outcome for this reason. */
export function unknownOutcome(reason: string): AppendOutcome {
  return { kind: 'unknown', reason: new Error(reason) }
}

function refused(reason: unknown): AppendOutcome {
  return { kind: 'refused', reason }
}

const prefix = 'event_store.client.'

function outcomeOfProblem(
  response: BatchAppendResp,
  events: AppendMessage['append']['events'],
): AppendOutcome {
  const error = response.getError()
  const details = error?.getDetails()
  const type = details?.getTypeName() ?? ''
  const bytes = details?.getValue_asU8() ?? new Uint8Array()
  switch (type.startsWith(prefix) ? type.slice(prefix.length) : '') {
    case 'WrongExpectedVersion':
      return { kind: 'answered', answer: { ok: false, actual: actualIn(bytes) } }
    case 'StreamDeleted':
      return refused(logDamagedFailure('the stream of an append has been deleted for good'))
    case 'MaximumAppendSizeExceeded':
      return refused(appendTooLarge(events, bytes))
    case 'MaximumAppendEventSizeExceeded':
      return refused(eventTooLarge(bytes))
    case 'AccessDenied':
      return { kind: 'denied', reason: new Error('EventStoreDB denies access to the stream') }
    case 'BadRequest': {
      const message = shared.BadRequest.deserializeBinary(bytes).getMessage()
      return refused(new Error(`EventStoreDB refuses an append: ${message}`))
    }
    default: {
      const text = `EventStoreDB answers an append with ${type.replace(prefix, '')} ${error?.getMessage() ?? ''}`
      if (error?.getCode() === grpcCodes.invalidArgument) return refused(new Error(text))
      // a timeout, a server that starts or stops, one that is no longer the leader: all may have written it
      return unknownOutcome(text.trim())
    }
  }
}

function actualIn(bytes: Uint8Array): ExpectedRevision {
  const wrong = shared.WrongExpectedVersion.deserializeBinary(bytes)
  return wrong.hasCurrentStreamRevision()
    ? parseSafeInteger(wrong.getCurrentStreamRevision())
    : 'no_stream'
}

/** For a server configured to accept less than usual. */
function appendTooLarge(events: AppendMessage['append']['events'], detail: Uint8Array): Failure {
  const max = shared.MaximumAppendSizeExceeded.deserializeBinary(detail).getMaxappendsize()
  const bytes = events.reduce((sum, event) => sum + eventBytes(event), 0)
  return tooLargeFailure(`${bytes} bytes of events`, max, limitTooLow('MaxAppendSize', max))
}

/** The generated client is older than this message: an id, the bytes of the event, and the most there may be. */
function eventTooLarge(detail: Uint8Array): Failure {
  const reader = new BinaryReader(detail)
  const numbers = new Map<number, number>()
  while (reader.pos < reader.len) {
    const [field, type] = reader.tag()
    if (type === WireType.Varint) numbers.set(field, reader.uint32())
    else reader.skip(type)
  }
  const [bytes, max] = [numbers.get(2) ?? 0, numbers.get(3) ?? 0]
  return tooLargeFailure(`one event of ${bytes} bytes`, max, limitTooLow('MaxAppendEventSize', max))
}

function limitTooLow(setting: string, max: number): Error {
  return new Error(`${setting} of EventStoreDB is ${max}: Vigil needs ${appendBytesMax}`)
}
