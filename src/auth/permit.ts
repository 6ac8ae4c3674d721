/** Whether a principal may do what the door is about to do for it. */

import { Failure } from '../domain/failure.ts'
import type { AccountPrincipal, OperatorPrincipal, Principal, Scope } from '../domain/principal.ts'

/** The account behind the principal. Throws `insufficient_scope` when its token lacks the scope (spec 5). */
export function permitScope(principal: Principal, scope: Scope): AccountPrincipal {
  if (principal.kind === 'account' && principal.scopes.includes(scope)) return principal
  throw new Failure('insufficient_scope', `The token does not carry the scope '${scope}'.`)
}

/** The operator. Throws `insufficient_scope` for the token of an account. */
export function permitOperator(principal: Principal): OperatorPrincipal {
  if (principal.kind === 'operator') return principal
  throw new Failure('insufficient_scope', 'Only the operator token may do this.')
}
