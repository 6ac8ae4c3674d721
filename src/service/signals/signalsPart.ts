/** The signals' part of the service: what front ends observe of devices. */

import type { Call, Written } from '../../domain/call.ts'
import type { FrontEndPrincipal, Principal } from '../../domain/principal.ts'
import type { DeviceSignal, SaidSignal, Signals } from '../../domain/signals.ts'

/** What a front end has observed, under the id it gave it. */
export interface DispatchInput {
  readonly dispatch_id: string
  readonly signals: Signals
}

/** A dispatch as a front end sends it. */
export interface FrontEndDispatch {
  readonly dispatch_id: string
  /** What it says of itself. */
  readonly said: Pick<Signals, SaidSignal>
  /** What was seen on the way; what it says wins. */
  readonly seen: Pick<Signals, Exclude<DeviceSignal, SaidSignal> | 'user_agent'>
}

/** A dispatch that is on record. */
interface RecordedDispatch extends Pick<DispatchInput, 'dispatch_id'> {
  /** Whether it was before, with the same content. */
  readonly repeated: boolean
}

export interface SignalsPart {
  /** Throws `not_found` when there is no such account, `conflict` when the dispatch is on record with other signals. */
  readonly recordDispatch: (
    call: Call<Principal>,
    accountId: string,
    input: DispatchInput,
  ) => Promise<Written<Pick<DispatchInput, 'dispatch_id'>>>
  /**
   * Records a dispatch for the account of the front end; settles when it is durable. Throws `conflict` when the account has one of this id
   * that says something else, `unavailable` when it cannot be recorded.
   */
  readonly dispatchSignals: (
    call: Call<FrontEndPrincipal>,
    dispatch: FrontEndDispatch,
  ) => Promise<RecordedDispatch>
}
