/** Whether an account may manage its verification settings (spec 4.3, rule 3). */

import type { Call } from '../../domain/call.ts'
import { Failure } from '../../domain/failure.ts'
import type { AccountState } from '../../events/accounts/account.ts'
import { accountStream, type ServiceContext } from '../opening/serviceContext.ts'

/** The account. Throws `access_not_enabled` on an account for which the operator has not enabled it. */
export async function assertManagement(
  { accounts }: Pick<ServiceContext, 'accounts'>,
  { principal }: Pick<Call, 'principal'>,
): Promise<AccountState> {
  const stream = accountStream(principal.accountId)
  const { state } = await accounts.folded(stream)
  if (state.management) return state
  // another instance may have enabled it a moment ago
  const { state: now } = await accounts.catchUp(stream)
  if (now.management) return now
  const message = 'Verification management is not enabled on this account.'
  throw new Failure('access_not_enabled', message)
}
