/** Declares the stream type of dispatches, and finds the dispatch that an evaluation names. */

import type { Signals } from '../../domain/signals/signals.ts'
import { decode, openEvent } from '../../events/catalogue.ts'
import { type DispatchEvent, dispatchStream } from '../../events/signals/dispatch.ts'
import type { StateContext } from '../folding/stateContext.ts'
import type { StreamType } from '../folding/streamType.ts'

export const dispatchStreamType: StreamType<null, DispatchEvent> = {
  initial: () => null,
  evolve: () => null,
  estimateBytes: () => 0,
}

/** How long a dispatch counts unless the configuration says otherwise. */
const lifetimeMsDefault = 24 * 60 * 60 * 1_000

/** A dispatch that was named. */
export interface FoundDispatch {
  /** Keyed digest of its id. */
  readonly subject: string
  readonly state: 'found' | 'expired' | 'unknown'
  /** None unless it was found. */
  readonly signals: Signals
}

export interface DispatchContext extends Pick<StateContext, 'events' | 'keyring'> {
  /** How long a dispatch counts; a day unless given. */
  readonly dispatchLifetimeMs?: number | undefined
}

/**
 * The account's dispatch: unknown where it is another account's or forgotten, too; expired when it was recorded longer
 * ago than dispatches live, by the time of its event and of the asking.
 */
export async function findDispatch(
  { events, keyring, dispatchLifetimeMs = lifetimeMsDefault }: DispatchContext,
  { account, dispatchId, timeMs }: { account: string; dispatchId: string; timeMs: number },
): Promise<FoundDispatch> {
  const subject = keyring.subject(account, 'dispatch', dispatchId)
  const [recorded] = await events.readStream(dispatchStream(subject), { from: 0, limit: 1 })
  if (!recorded) return { state: 'unknown', subject, signals: {} }
  const decoded = decode(recorded)
  if (timeMs - decoded.metadata.time >= dispatchLifetimeMs) {
    return { state: 'expired', subject, signals: {} }
  }
  const opened = (await openEvent(decoded, keyring)).event as DispatchEvent
  const { signals } = opened.data
  if ('sealed' in signals) throw new Error('a dispatch was opened and is still sealed')
  return 'forgotten' in signals
    ? { state: 'unknown', subject, signals: {} }
    : { state: 'found', subject, signals }
}
