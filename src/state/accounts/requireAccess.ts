/** Requires an account's authoring or management (`access_not_enabled`, spec 4.3). */

import type { Call } from '../../domain/call.ts'
import { Failure } from '../../domain/failure.ts'
import {
  type AccountEvent,
  type AccountState,
  accountStream,
} from '../../events/accounts/account.ts'
import type { FoldedStreamCache } from '../folding/foldedStreamCache.ts'

export interface AccountStreams {
  readonly accounts: FoldedStreamCache<AccountState, AccountEvent>
}

type WithPrincipal = Pick<Call, 'principal'>

/** The account. Throws `access_not_enabled` without access to verification management (spec 4.3, rule 3). */
export function requireManagement(
  context: AccountStreams,
  call: WithPrincipal,
): Promise<AccountState> {
  return requireAccess(context, call, ['management', 'Verification management'])
}

/** The account. Throws `access_not_enabled` where the operator has not enabled authoring. */
export function requireAuthoring(
  context: AccountStreams,
  call: WithPrincipal,
): Promise<AccountState> {
  return requireAccess(context, call, ['authoring', 'Authoring'])
}

async function requireAccess(
  { accounts }: AccountStreams,
  { principal }: WithPrincipal,
  [access, name]: readonly ['management' | 'authoring', string],
): Promise<AccountState> {
  const stream = accountStream(principal.accountId)
  const { state } = await accounts.getFolded(stream)
  if (state[access]) return state
  // another instance may have enabled it a moment ago
  const { state: now } = await accounts.catchUp(stream)
  if (now[access]) return now
  throw new Failure('access_not_enabled', `${name} is not enabled on this account.`)
}
