/** Finds the signals of the dispatch that an evaluation names: found, unknown or expired. */

import type { Signals } from '../../domain/signals/signals.ts'
import { decode, openEvent } from '../../events/catalogue.ts'
import { type DispatchEvent, dispatchStream } from '../../events/signals/dispatch.ts'
import type { CommandContext } from '../handling/commandContext.ts'

/** How long a dispatch counts unless the configuration says otherwise. */
const lifetimeMsDefault = 24 * 60 * 60 * 1_000

/** The signals of a dispatch that was named, or why there are none. */
export type FoundDispatch = {
  /** Keyed digest of its id. */
  readonly subject: string
} & (
  | { readonly state: 'found'; readonly signals: Signals }
  | { readonly state: 'expired' | 'unknown' }
)

/** What finding a dispatch takes. */
export interface DispatchContext extends Pick<CommandContext, 'events' | 'keyring'> {
  /** How long a dispatch counts; a day unless given. */
  readonly dispatchLifetimeMs?: number | undefined
}

/** Which dispatch, of whom, and when it is asked for (milliseconds since the Unix epoch). */
interface DispatchQuery {
  readonly account: string
  readonly dispatchId: string
  readonly timeMs: number
}

/**
 * The account's dispatch: unknown where it is another account's or forgotten, too; expired when it was recorded longer ago than
 * dispatches live, by the time of its event and of the asking.
 */
export async function findDispatch(
  context: DispatchContext,
  { account, dispatchId, timeMs }: DispatchQuery,
): Promise<FoundDispatch> {
  const { events, keyring, dispatchLifetimeMs = lifetimeMsDefault } = context
  const subject = keyring.subject(account, 'dispatch', dispatchId)
  const [recorded] = await events.readStream(dispatchStream(subject), { from: 0, limit: 1 })
  if (!recorded) return { state: 'unknown', subject }
  const decoded = decode(recorded)
  if (timeMs - decoded.metadata.time >= dispatchLifetimeMs) return { state: 'expired', subject }
  const opened = (await openEvent(decoded, keyring)).event as DispatchEvent
  const { signals } = opened.data
  if ('sealed' in signals) throw new Error('a dispatch was opened and is still sealed')
  return 'forgotten' in signals
    ? { state: 'unknown', subject }
    : { state: 'found', subject, signals }
}
