/** Requires the scope or kind of a principal, or throws `insufficient_scope` (spec 5). */

import { Failure } from '../domain/failure.ts'
import type {
  AccountPrincipal,
  OperatorPrincipal,
  Principal,
  Scope,
  UserPrincipal,
} from '../domain/principal.ts'

/** The account behind the principal. Throws `insufficient_scope` when its token has none of the scopes (spec 5). */
export function requireScope(principal: Principal, scopes: readonly Scope[]): AccountPrincipal {
  const permitted =
    principal.kind === 'account' && scopes.some((scope) => principal.scopes.includes(scope))
  if (permitted) return principal
  const needed = scopes.map((scope) => `'${scope}'`).join(' or ')
  throw new Failure('insufficient_scope', `The token does not carry the scope ${needed}.`)
}

/** The operator. Throws `insufficient_scope` for the token of an account. */
export function requireOperator(principal: Principal): OperatorPrincipal {
  if (principal.kind === 'operator') return principal
  throw new Failure('insufficient_scope', 'Only the operator token may do this.')
}

/** The user. Throws `insufficient_scope` when the access token lacks the needed scope, if any (spec 5). */
export function requireUserScope(user: UserPrincipal, scope: string | undefined): UserPrincipal {
  if (scope === undefined || user.scopes.includes(scope)) return user
  throw new Failure('insufficient_scope', `The token does not carry the scope '${scope}'.`)
}
