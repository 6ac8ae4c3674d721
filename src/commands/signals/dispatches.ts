/** Records dispatches (device signals of front ends), and finds those that evaluations name. */

import type { Call, WriteResult } from '../../domain/call.ts'
import { Failure, notFound } from '../../domain/failure.ts'
import type { FrontEndPrincipal, Principal } from '../../domain/principal.ts'
import type { DeviceSignal, FrontEndSignal, Signals } from '../../domain/signals/signals.ts'
import { accountStream } from '../../events/accounts/account.ts'
import { decode } from '../../events/catalogue.ts'
import { signalDigests } from '../../events/recording/lookupDigest.ts'
import { type DispatchEvent, dispatchStream } from '../../events/signals/dispatch.ts'
import type { AccountStreams } from '../../state/accounts/requireAccess.ts'
import { listTallies } from '../../state/evaluation/listTallies.ts'
import { findSeriesOf, readReportedValues } from '../../state/evaluation/tallyReports.ts'
import type { FoldedStreamCache } from '../../state/folding/foldedStreamCache.ts'
import type { RulebookStreams } from '../../state/rulebook/rulebookStreams.ts'
import type { WriteContext } from '../handling/commandContext.ts'
import { buildEventContext, executeCommand, waitUntilVisible } from '../handling/executeCommand.ts'
import { waitForSpareKeys } from '../handling/waitForSealingKeys.ts'

/** The signals of a device, under the id that its front end gave them. */
export interface DispatchInput {
  readonly dispatch_id: string
  readonly signals: Signals
}

export interface FrontEndDispatch {
  readonly dispatch_id: string
  /** What it says of itself. */
  readonly sentSignals: Pick<Signals, FrontEndSignal>
  /** What was seen of its request; what it says wins. */
  readonly observedSignals: Pick<Signals, Exclude<DeviceSignal, FrontEndSignal> | 'user_agent'>
}

type Context = WriteContext &
  Pick<RulebookStreams, 'rulebooks'> & {
    readonly dispatches: FoldedStreamCache<null, DispatchEvent>
  }

/**
 * Records a dispatch that the operator brings. Throws `not_found` when there is no such account, `conflict` when the
 * dispatch is on record with other signals.
 */
export async function recordDispatch(
  context: Context & AccountStreams,
  call: Call<Principal>,
  { account, dispatch_id, signals }: DispatchInput & { readonly account: string },
): Promise<WriteResult<Pick<DispatchInput, 'dispatch_id'>>> {
  const { state } = await context.accounts.getFolded(accountStream(account))
  if (!state.opened) throw notFound()
  const dispatch = { account, dispatch_id, said: signals, signals }
  const { position } = await recordDispatchOnce(context, call, dispatch)
  const written = await waitUntilVisible(context, { position })
  return { ...written, value: { dispatch_id } }
}

/**
 * Records a dispatch of a front end; `repeated` says that it was on record with the same content. The read models are
 * not waited for: an evaluation reads the log. Throws `conflict` when the account has one of this id with other
 * content, `unavailable`.
 */
export async function recordFrontEndDispatch(
  context: Context,
  call: Call<FrontEndPrincipal>,
  { dispatch_id, sentSignals: said, observedSignals: seen }: FrontEndDispatch,
): Promise<Pick<DispatchInput, 'dispatch_id'> & { readonly repeated: boolean }> {
  const { accountId: account } = call.principal
  const dispatch = { account, dispatch_id, said, signals: { ...seen, ...said } }
  const { repeated } = await recordDispatchOnce(context, call, dispatch)
  return { dispatch_id, repeated }
}

interface Dispatch extends DispatchInput {
  readonly account: string
  /** What two sendings of one dispatch must have in common: what was seen of the requests may differ. */
  readonly said: Signals
}

/**
 * The dispatch's own id is its idempotency key: front ends send a dispatch again when an answer is lost. Throws
 * `conflict` when another content has its id, `unavailable` when sealing keys are short: those there are belong to
 * evaluations.
 */
async function recordDispatchOnce(
  context: Context,
  call: Call<Principal>,
  { account, dispatch_id, said, signals }: Dispatch,
): Promise<{ readonly position: number; readonly repeated: boolean }> {
  const digest = context.keyring.subject(account, 'dispatch', dispatch_id)
  const stream = dispatchStream(digest)
  const digests = signalDigests(context.keyring, account, signals)
  const tallies = listTallies(context.keyring, {
    account,
    series: await findSeriesOf(context, account, (source) => source === 'dispatches'),
    findText: readReportedValues({ dispatch: signals }),
  })
  const data = {
    dispatch: digest,
    ...(digests && { digests }),
    ...(tallies.length > 0 && { tallies }),
    signals,
  }
  const eventContext = buildEventContext(
    context,
    { ...call, idempotencyKey: dispatch_id },
    { account, operation: 'dispatches.record', input: said, ownStream: true },
  )
  const { position, repeated } = await executeCommand(context, context.dispatches, {
    stream,
    context: eventContext,
    // one that is on record is known by its id, and not decided again
    gather: () => waitForSpareKeys(context.keyring),
    decide: (): readonly DispatchEvent[] => [{ type: 'SignalsDispatched', data }],
  }).catch((error: unknown) => {
    throw error instanceof Failure && error.code === 'idempotency_key_reused'
      ? otherContentFailure()
      : error
  })
  if (repeated) return { position, repeated }
  // a store takes an append whose ids it knows without comparing: what another instance recorded at the same moment may
  // be there
  const [first] = await context.events.readStream(stream, { from: 0, limit: 1 })
  if (!first) throw new Error(`stream ${stream} was written and cannot be read`)
  if (decode(first).metadata.digest !== eventContext.digest) throw otherContentFailure()
  return { position, repeated }
}

function otherContentFailure(): Failure {
  return new Failure('conflict', 'The dispatch is on record with other signals.')
}
