/** Maps the answer to an append to its outcome: answered, refused or unknown. */

import shared from '@eventstore/db-client/generated/shared_pb.js'
import { Failure } from '../../../domain/failure.ts'
import type { Appended, ExpectedRevision, WrongRevision } from '../../eventStore.ts'
import { safeNumber } from '../messages.ts'
import { damagedLog, isDenied, unreachable } from '../protocolErrors.ts'
import type { BatchAppendResp } from '../wire.ts'

export type AppendOutcome =
  | { readonly kind: 'answered'; readonly answer: Appended | WrongRevision }
  /** The server has taken one that has no events; its numbers mean nothing. */
  | { readonly kind: 'empty' }
  /** It was not written, and sending it again changes nothing. */
  | { readonly kind: 'refused'; readonly failure: Error }
  /** It may have been written: the very same append may be sent again, and must be before anything else is decided. */
  | { readonly kind: 'unknown'; readonly reason: Error }

/** The outcome of an append of so many events, from the server's answer. */
export function outcomeOf(response: BatchAppendResp, events: number): AppendOutcome {
  const success = response.getSuccess()
  if (!success) return problemOf(response)
  if (events === 0) return { kind: 'empty' }
  const position = success.getPosition()
  if (!position) return refused(damagedLog('the stream of an append has been deleted'))
  const answer = {
    ok: true as const,
    revision: safeNumber(success.getCurrentRevision()),
    position: safeNumber(position.getCommitPosition()),
  }
  return { kind: 'answered', answer }
}

/** The outcome of the appends in flight when the call ends with an error. */
export function outcomeOfError(error: Error): AppendOutcome {
  return isDenied(error) ? refused(unreachable(error)) : unknown(error)
}

export function unknown(reason: Error): AppendOutcome {
  return { kind: 'unknown', reason }
}

function refused(failure: Error): AppendOutcome {
  return { kind: 'refused', failure }
}

const prefix = 'event_store.client.'

function problemOf(response: BatchAppendResp): AppendOutcome {
  const error = response.getError()
  const details = error?.getDetails()
  const type = details?.getTypeName() ?? ''
  const text = `${type.replace(prefix, '')} ${error?.getMessage() ?? ''}`.trim()
  switch (type.startsWith(prefix) ? type.slice(prefix.length) : '') {
    case 'WrongExpectedVersion':
      return { kind: 'answered', answer: { ok: false, actual: actualOf(details) } }
    case 'StreamDeleted':
      return refused(damagedLog('the stream of an append has been deleted for good'))
    case 'MaximumAppendSizeExceeded':
      return refused(tooLarge(details))
    case 'AccessDenied':
      return refused(unreachable(new Error('EventStoreDB denies access to the stream')))
    case 'BadRequest':
      return refused(new Error(`EventStoreDB refuses an append: ${badRequestText(details)}`))
    default:
      // a time that ran out, a server that starts or stops, one that leads no more: all may have written it
      return unknown(new Error(`EventStoreDB answers an append with ${text}`))
  }
}

type Details = ReturnType<NonNullable<ReturnType<BatchAppendResp['getError']>>['getDetails']>

function actualOf(details: Details): ExpectedRevision {
  const wrong = shared.WrongExpectedVersion.deserializeBinary(details?.getValue_asU8() ?? nothing)
  return wrong.hasCurrentStreamRevision()
    ? safeNumber(wrong.getCurrentStreamRevision())
    : 'no_stream'
}

const nothing = new Uint8Array()

/** A server that was told to take less than all others. */
function tooLarge(details: Details): Failure {
  const { deserializeBinary } = shared.MaximumAppendSizeExceeded
  const max = deserializeBinary(details?.getValue_asU8() ?? nothing).getMaxappendsize()
  return new Failure('payload_too_large', 'The request has more data than can be kept at once.', {
    cause: new Error(`EventStoreDB takes ${max} bytes at once: raise its MaxAppendSize to 1048576`),
  })
}

function badRequestText(details: Details): string {
  return shared.BadRequest.deserializeBinary(details?.getValue_asU8() ?? nothing).getMessage()
}
