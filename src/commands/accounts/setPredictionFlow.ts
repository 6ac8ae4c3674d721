/** Says which flow answers the predictions of an account. */

import { notFound } from '../../domain/failure.ts'
import type { AccountEvent, AccountState } from '../../events/accounts/account.ts'

/** The decision: nothing when it is so already; undefined says that none does. Throws `not_found`. */
export function setPredictionFlow(flowId: string | undefined) {
  return (state: AccountState): readonly AccountEvent[] => {
    if (!state.opened) throw notFound()
    if (state.predictionFlow === flowId) return []
    if (flowId === undefined) return [{ type: 'PredictionFlowCleared', data: {} }]
    return [{ type: 'PredictionFlowSet', data: { flow_id: flowId } }]
  }
}
