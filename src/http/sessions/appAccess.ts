/** Declares path and access of application routes for accounts and operator; reads path ids. */

import { idPrefixes } from '../../domain/ids.ts'
import type { AccountPrincipal, OperatorPrincipal, Principal } from '../../domain/principal.ts'
import type { AppRef, UserRef } from '../../state/sessions/sessionStreamTypes.ts'
import { type Access, accountAccess, operatorAccess } from '../request/access.ts'
import type { PathParameter } from '../request/pathParameters.ts'
import type { Route } from '../request/route.ts'

interface AppCall {
  readonly call: { readonly principal: Principal }
  readonly ids: Readonly<Record<string, string>>
}

const parameters: Readonly<Record<string, PathParameter>> = {
  account_id: idPrefixes.account,
  appID: 'app',
  userID: idPrefixes.user,
  sessionID: idPrefixes.session,
  kid: 'kid',
}

interface Common {
  readonly list: string
  readonly tag: string
  readonly access: Access<AccountPrincipal | OperatorPrincipal>
  /** Stands behind the name of each operation. */
  readonly suffix: string
}

/** Gives the facts of the route of an operation, at a path below the list of applications. */
export type RouteAt = ReturnType<typeof routesBelow>

function routesBelow({ list, suffix, ...common }: Common) {
  return (operation: string, path = '') => {
    const whole = `${list}${path}`
    const ids = Object.entries(parameters).filter(([name]) => whole.includes(`{${name}}`))
    const operationId = `${operation}${suffix}`
    return { ...common, operationId, path: whole, ids: Object.fromEntries(ids) }
  }
}

/** `/v2/session/apps`, for tokens with the scope `manage`. */
export const accountRoutesAt: RouteAt = routesBelow({
  list: '/v2/session/apps',
  tag: 'Session management',
  access: accountAccess('manage'),
  suffix: '',
})

const operatorRoutesAt = routesBelow({
  list: '/v2/operator/accounts/{account_id}/apps',
  tag: 'Operator',
  access: operatorAccess,
  suffix: 'OfAccount',
})

/** The same routes for the account itself, and below `/v2/operator/accounts/{account_id}` for the operator. */
export function accountAndOperatorRoutes(
  routesOf: (at: RouteAt) => readonly Route[],
): readonly Route[] {
  return [...routesOf(accountRoutesAt), ...routesOf(operatorRoutesAt)]
}

/** The account whose applications are asked for. */
export function readAccountId({ call: { principal }, ids }: AppCall): string {
  return 'accountId' in principal ? principal.accountId : (ids['account_id'] ?? '')
}

/** The application named by the path. */
export function readAppRef(asked: AppCall): AppRef {
  return { account: readAccountId(asked), appId: asked.ids['appID'] ?? '' }
}

/** The user named by the path. */
export function readUserRef(asked: AppCall): UserRef {
  return { ...readAppRef(asked), userId: asked.ids['userID'] ?? '' }
}
