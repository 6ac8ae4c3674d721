/** Keeps what a front end has observed, for evaluations that name its dispatch. */

import { whenKeysAreSpare } from '../../commands/handling/whenKeysAreSpare.ts'
import { dispatchStream, recordDispatch } from '../../commands/signals/recordDispatch.ts'
import type { Call } from '../../domain/call.ts'
import { Failure, notFound } from '../../domain/failure.ts'
import type { Principal } from '../../domain/principal.ts'
import type { Signals } from '../../domain/signals.ts'
import { decode } from '../../events/catalogue.ts'
import type { EventContext } from '../../events/recording/event.ts'
import {
  accountStream,
  carryOut,
  eventContextOf,
  type ServiceContext,
  whenVisible,
} from '../opening/serviceContext.ts'
import type { DispatchInput, SignalsPart } from './signalsPart.ts'

/** The recording of dispatches that the operator brings. */
export function openRecordDispatch(context: ServiceContext): SignalsPart['recordDispatch'] {
  return async (call, accountId, { dispatch_id, signals }) => {
    const account = await context.accounts.folded(accountStream(accountId))
    if (!account.state.opened) throw notFound()
    const dispatch = { account: accountId, dispatch_id, said: signals, signals }
    const { position } = await recordOnce(context, call, dispatch)
    const written = await whenVisible(context, { position })
    return { ...written, value: { dispatch_id } }
  }
}

/** The recording of dispatches that front ends send. Nobody waits for the read models: an evaluation asks the log. */
export function openDispatchSignals(context: ServiceContext): SignalsPart['dispatchSignals'] {
  return async (call, { dispatch_id, said, seen }) => {
    const dispatch = {
      account: call.principal.accountId,
      dispatch_id,
      said,
      signals: { ...seen, ...said },
    }
    const { repeated } = await recordOnce(context, call, dispatch)
    return { dispatch_id, repeated }
  }
}

interface Dispatch extends DispatchInput {
  readonly account: string
  /** What two sendings of one dispatch must have in common: what was seen on the way may differ. */
  readonly said: Signals
}

interface Recorded {
  readonly position: number
  /** Whether it was on record before. */
  readonly repeated: boolean
}

/**
 * The dispatch's own id is its idempotency key: front ends send a dispatch again when an answer is lost. Throws `conflict` when another
 * content stands under it, `unavailable` when sealing keys are short: those there are belong to who evaluates.
 */
async function recordOnce(
  context: ServiceContext,
  call: Call<Principal>,
  { account, dispatch_id, said, signals }: Dispatch,
): Promise<Recorded> {
  const digest = context.keyring.subject(account, 'dispatch', dispatch_id)
  const stream = dispatchStream(digest)
  const eventContext = eventContextOf(
    context,
    { ...call, idempotencyKey: dispatch_id },
    { account, operation: 'dispatches.record', input: said, ownStream: true },
  )
  const { position, repeated } = await carryOut(context, context.dispatches, {
    stream,
    context: eventContext,
    // one that is on record needs no key
    decide: async (state) => {
      if (!state.recorded) await whenKeysAreSpare(context.keyring)
      return recordDispatch(digest, signals)(state)
    },
  }).catch(asConflict)
  if (!repeated) await assertOurs(context, stream, eventContext)
  return { position, repeated }
}

/** A store takes an append whose ids it knows without comparing: what another instance recorded at the same moment may stand there. */
async function assertOurs(
  { events }: ServiceContext,
  stream: string,
  { digest }: EventContext,
): Promise<void> {
  const [first] = await events.readStream(stream, { from: 0, limit: 1 })
  if (!first) throw new Error(`stream ${stream} was written and cannot be read`)
  if (decode(first).metadata.digest !== digest) throw otherContent()
}

function asConflict(error: unknown): never {
  if (error instanceof Failure && error.code === 'idempotency_key_reused') throw otherContent()
  throw error
}

function otherContent(): Failure {
  return new Failure('conflict', 'The dispatch is on record with other signals.')
}
