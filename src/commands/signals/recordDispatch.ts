/** Records what a front end has observed of a device, for evaluations that name its dispatch. */

import type { Signals } from '../../domain/signals.ts'
import type { DispatchEvent } from '../../events/signals/dispatch.ts'
import type { Family } from '../handling/family.ts'

export interface DispatchState {
  readonly recorded: boolean
}

export const dispatchFamily: Family<DispatchState, DispatchEvent> = {
  initial: () => ({ recorded: false }),
  evolve: () => ({ recorded: true }),
  weigh: () => 0,
}

/** The stream of a dispatch; `digest` is the keyed digest of the account and the dispatch's id. */
export function dispatchStream(digest: string): string {
  return `dispatch-${digest}`
}

/** The decision: a dispatch is recorded once. */
export function recordDispatch(dispatch: string, signals: Signals) {
  return (state: DispatchState): readonly DispatchEvent[] =>
    state.recorded ? [] : [{ type: 'SignalsDispatched', data: { dispatch, signals } }]
}
