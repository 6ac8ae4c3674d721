/** Finds the flow that answers the predictions of an account. */

import type { Call } from '../../domain/call.ts'
import { notFound } from '../../domain/failure.ts'
import { accountStream } from '../../events/accounts/account.ts'
import { type AccountStreams, requireAuthoring } from '../../state/accounts/requireAccess.ts'

/** Throws `access_not_enabled`, `not_found` when none is set. */
export async function findPredictionFlow(
  context: AccountStreams,
  call: Call,
): Promise<{ readonly flow_id: string }> {
  await requireAuthoring(context, call)
  const { state } = await context.accounts.catchUp(accountStream(call.principal.accountId))
  if (state.predictionFlow === undefined) throw notFound()
  return { flow_id: state.predictionFlow }
}
