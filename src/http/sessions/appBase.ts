/** Declares base paths and access of application routes, for accounts and for the operator. */

import type { AppRef } from '../../commands/sessions/sessionsContext.ts'
import { idPrefixes } from '../../domain/ids.ts'
import type {
  AccountPrincipal,
  OperatorPrincipal,
  Principal,
  UserPrincipal,
} from '../../domain/principal.ts'
import { authenticateUser } from '../../queries/sessions/appHost.ts'
import {
  type Access,
  accountAccess,
  operatorAccess,
  type PathParameter,
  type Served,
} from '../request/route.ts'
import { userAccess } from '../request/userAccess.ts'

interface Asked<Caller> {
  readonly call: { readonly principal: Caller }
  readonly ids: Readonly<Record<string, string>>
}

export interface AppBase<Caller extends Principal> {
  /** The path of the list of applications. */
  readonly path: string
  readonly tag: string
  readonly access: Access<Caller>
  /** The parameters of its path. */
  readonly ids: Readonly<Record<string, PathParameter>>
  /** Whose applications are asked for. */
  readonly account: (asked: Asked<Caller>) => string
  /** The id of the operation as it is asked for here. */
  readonly operation: (name: string) => string
}

/** `/v2/session/apps`, for tokens with the scope `manage`. */
export function accountBase({ authenticate }: Served): AppBase<AccountPrincipal> {
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
export function operatorBase({ authenticate }: Served): AppBase<OperatorPrincipal> {
  return {
    path: '/v2/operator/accounts/{account_id}/apps',
    tag: 'Operator',
    access: operatorAccess(authenticate),
    ids: { account_id: idPrefixes.account },
    account: ({ ids }) => ids['account_id'] ?? '',
    operation: (name) => `${name}OfAccount`,
  }
}

/** The application named by the path. */
export function appRef<Caller extends Principal>(
  { account }: Pick<AppBase<Caller>, 'account'>,
  asked: Asked<Caller>,
): AppRef {
  return { account: account(asked), appId: asked.ids['appID'] ?? '' }
}

/** Admits users by their session, with the scope if given. */
export function sessionUserAccess(
  context: Served['context'],
  scope?: string,
): Access<UserPrincipal> {
  return userAccess((app, token) => authenticateUser(context, app, token), scope)
}
