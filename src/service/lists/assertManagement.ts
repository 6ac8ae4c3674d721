/** Whether an account may manage its verification settings (spec 4.3, rule 3). */

import type { Call } from '../../domain/call.ts'
import { Failure } from '../../domain/failure.ts'
import { accountStream, type ServiceContext } from '../opening/serviceContext.ts'

/** Throws `access_not_enabled` on an account for which the operator has not enabled it. */
export async function assertManagement(
  { accounts }: Pick<ServiceContext, 'accounts'>,
  { principal }: Pick<Call, 'principal'>,
): Promise<void> {
  const stream = accountStream(principal.accountId)
  if ((await accounts.folded(stream)).state.management) return
  // another instance may have enabled it a moment ago
  if ((await accounts.catchUp(stream)).state.management) return
  const message = 'Verification management is not enabled on this account.'
  throw new Failure('access_not_enabled', message)
}
