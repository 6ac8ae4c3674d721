/** The signals' part of the service: what front ends observe of devices. */

import type { Call, Written } from '../../domain/call.ts'
import type { Principal } from '../../domain/principal.ts'
import type { Signals } from '../../domain/signals.ts'

/** What a front end has observed, under the id it gave it. */
export interface DispatchInput {
  readonly dispatch_id: string
  readonly signals: Signals
}

export interface SignalsPart {
  /** Throws `not_found` when there is no such account, `conflict` when the dispatch is on record with other signals. */
  readonly recordDispatch: (
    call: Call<Principal>,
    accountId: string,
    input: DispatchInput,
  ) => Promise<Written<Pick<DispatchInput, 'dispatch_id'>>>
}
