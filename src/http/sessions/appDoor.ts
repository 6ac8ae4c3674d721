/** The two ways to the applications of an account: with its own token, and as the operator. */

import { idPrefixes } from '../../domain/ids.ts'
import type { AccountPrincipal, OperatorPrincipal, Principal } from '../../domain/principal.ts'
import type { AccountsPart } from '../../service/accounts/accountsPart.ts'
import type { AppPlace } from '../../service/sessions/sessionsPart.ts'
import { type Access, accountAccess, operatorAccess, type PathParameter } from '../request/route.ts'

interface Asked<Caller> {
  readonly call: { readonly principal: Caller }
  readonly ids: Readonly<Record<string, string>>
}

export interface AppDoor<Caller extends Principal> {
  /** The path of the list of applications. */
  readonly path: string
  readonly tag: string
  readonly access: Access<Caller>
  /** The parameters of its path. */
  readonly ids: Readonly<Record<string, PathParameter>>
  /** Whose applications are asked for. */
  readonly account: (asked: Asked<Caller>) => string
  /** The id of the operation through this door. */
  readonly operation: (name: string) => string
}

/** `/v2/session/apps`, for tokens with the scope `manage`. */
export function accountDoor({ authenticate }: AccountsPart): AppDoor<AccountPrincipal> {
  return {
    path: '/v2/session/apps',
    tag: 'Session management',
    access: accountAccess(authenticate, 'manage'),
    ids: {},
    account: ({ call }) => call.principal.accountId,
    operation: (name) => name,
  }
}

/** `/v2/operator/accounts/{account_id}/apps`, for the operator. */
export function operatorDoor({ authenticate }: AccountsPart): AppDoor<OperatorPrincipal> {
  return {
    path: '/v2/operator/accounts/{account_id}/apps',
    tag: 'Operator',
    access: operatorAccess(authenticate),
    ids: { account_id: idPrefixes.account },
    account: ({ ids }) => ids['account_id'] ?? '',
    operation: (name) => `${name}OfAccount`,
  }
}

/** The application that is asked for. */
export function appPlace<Caller extends Principal>(
  { account }: Pick<AppDoor<Caller>, 'account'>,
  asked: Asked<Caller>,
): AppPlace {
  return { account: account(asked), appId: asked.ids['appID'] ?? '' }
}
