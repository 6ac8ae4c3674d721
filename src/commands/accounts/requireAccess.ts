/** Requires an account's authoring or management (`access_not_enabled`, spec 4.3). */

import type { Call } from '../../domain/call.ts'
import { Failure } from '../../domain/failure.ts'
import {
  type AccountEvent,
  type AccountState,
  accountStream,
} from '../../events/accounts/account.ts'
import type { FoldedStreamCache } from '../handling/foldedStreamCache.ts'

export interface AccountStreams {
  readonly accounts: FoldedStreamCache<AccountState, AccountEvent>
}

type WithPrincipal = Pick<Call, 'principal'>

/** The account. Throws `access_not_enabled` where the operator has not enabled verification management (spec 4.3, rule 3). */
export function requireManagement(
  context: AccountStreams,
  call: WithPrincipal,
): Promise<AccountState> {
  return assertAccess(context, call, {
    isEnabled: ({ management }) => management,
    message: 'Verification management is not enabled on this account.',
  })
}

/** The account. Throws `access_not_enabled` where the operator has not enabled authoring. */
export function requireAuthoring(
  context: AccountStreams,
  call: WithPrincipal,
): Promise<AccountState> {
  return assertAccess(context, call, {
    isEnabled: ({ authoring }) => authoring,
    message: 'Authoring is not enabled on this account.',
  })
}

interface Access {
  readonly isEnabled: (state: AccountState) => boolean
  readonly message: string
}

async function assertAccess(
  { accounts }: AccountStreams,
  { principal }: WithPrincipal,
  { isEnabled, message }: Access,
): Promise<AccountState> {
  const stream = accountStream(principal.accountId)
  const { state } = await accounts.getFolded(stream)
  if (isEnabled(state)) return state
  // another instance may have enabled it a moment ago
  const { state: now } = await accounts.catchUp(stream)
  if (isEnabled(now)) return now
  throw new Failure('access_not_enabled', message)
}
