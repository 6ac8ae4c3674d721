/** Keeps what a front end has observed, for evaluations that name its dispatch. */

import { dispatchStream, recordDispatch } from '../../commands/signals/recordDispatch.ts'
import { Failure, notFound } from '../../domain/failure.ts'
import {
  accountStream,
  eventContextOf,
  type ServiceContext,
  write,
} from '../opening/serviceContext.ts'
import type { SignalsPart } from './signalsPart.ts'

/** The dispatch's own id is its idempotency key: front ends send a dispatch again when an answer is lost. */
export function openRecordDispatch(context: ServiceContext): SignalsPart['recordDispatch'] {
  return async (call, accountId, { dispatch_id, signals }) => {
    const account = await context.accounts.folded(accountStream(accountId))
    if (!account.state.opened) throw notFound()
    const digest = context.keyring.subject(accountId, 'dispatch', dispatch_id)
    const eventContext = eventContextOf(
      context,
      { ...call, idempotencyKey: dispatch_id },
      { account: accountId, operation: 'dispatches.record', input: signals, ownStream: true },
    )
    const written = await write(
      context,
      { call, streams: context.dispatches },
      {
        stream: dispatchStream(digest),
        context: eventContext,
        decide: recordDispatch(digest, signals),
      },
    ).catch(asConflict)
    return { ...written, value: { dispatch_id } }
  }
}

function asConflict(error: unknown): never {
  if (error instanceof Failure && error.code === 'idempotency_key_reused') {
    throw new Failure('conflict', 'The dispatch is on record with other signals.')
  }
  throw error
}
