/** Admits callers to routes by bearer token and scope (401, 403); reads `Authorization`. */

import type { IncomingMessage } from 'node:http'
import { requireOperator, requireScope } from '../../auth/requireScope.ts'
import { Failure } from '../../domain/failure.ts'
import type {
  AccountPrincipal,
  OperatorPrincipal,
  Principal,
  Scope,
} from '../../domain/principal.ts'
import type { Context } from './requestContext.ts'
import { countHeaderLines } from './requestHeaders.ts'

/** Longer texts cannot be tokens of this service and are not hashed. */
const tokenMax = 512

/**
 * The callers a route admits: anyone, front ends with an SDK key, holders of a session's refresh token, users of an
 * application (with the scope, if given), holders of any API token or the operator token, holders of an account token
 * with one (or `every` one) of the scopes, or the operator token.
 */
export type Admission =
  | 'anyone'
  | 'front_end'
  | 'refresh_token'
  | 'any_token'
  | { readonly user: { readonly scope?: string | undefined } }
  | { readonly scopes: readonly Scope[]; readonly every?: true; readonly operator: boolean }

export type Access<Caller> = (method: string) => {
  readonly admits: Admission
  /** The caller as the route needs it, or a failure: 401 for the token, 403 for what it lacks. */
  readonly admit: (ctx: Context) => Promise<Caller>
}

/** Admits anyone, with or without a token. */
export const publicAccess: Access<undefined> = () => ({
  admits: 'anyone',
  admit: async () => undefined,
})

/** Admits account tokens, whatever their scopes, and the operator token. */
export const anyTokenAccess: Access<Principal> = () => ({ admits: 'any_token', admit: identify })

/** Admits account tokens with the scope; `GET` also with `audit`, which reads everything but persons. */
export function accountAccess(scope: Scope): Access<AccountPrincipal> {
  return (method) => admitOneOf(method === 'GET' && scope !== 'audit' ? [scope, 'audit'] : [scope])
}

/** Admits account tokens with the scope, and `GET` with no other: for what is of persons and of no use sealed. */
export function ownScopeAccess(scope: Scope): Access<AccountPrincipal> {
  return () => admitOneOf([scope])
}

function admitOneOf(scopes: readonly Scope[]): ReturnType<Access<AccountPrincipal>> {
  return {
    admits: { scopes, operator: false },
    admit: async (ctx) => requireScope(await identify(ctx), scopes),
  }
}

export function bothScopesAccess(scopes: readonly [Scope, Scope]): Access<AccountPrincipal> {
  return () => ({
    admits: { scopes, every: true, operator: false },
    admit: async (ctx) => {
      const [one, other] = scopes
      return requireScope(requireScope(await identify(ctx), [one]), [other])
    },
  })
}

export const operatorAccess: Access<OperatorPrincipal> = () => ({
  admits: { scopes: [], operator: true },
  admit: async (ctx) => requireOperator(await identify(ctx)),
})

/** Admits the operator token, or the scope `operate`, so that monitoring needs no operator rights. */
export const monitorAccess: Access<Principal> = () => ({
  admits: { scopes: ['operate'], operator: true },
  admit: async (ctx) => {
    const principal = await identify(ctx)
    return principal.kind === 'operator' ? principal : requireScope(principal, ['operate'])
  },
})

/**
 * The principal of the console's session, else of the bearer token. Throws `missing_api_token` without one,
 * `invalid_api_token` for all else.
 */
async function identify(ctx: Context): Promise<Principal> {
  const principal = await ctx.service.authenticate(
    ctx.state.consoleToken ?? readBearerToken(ctx.req),
  )
  ctx.state.principal = principal
  return principal
}

/**
 * Reads the bearer token of the `Authorization` header. Throws `missing_api_token`, and `invalid_api_token` for one
 * that is too long and for several headers, since another server might use a different one.
 */
export function readBearerToken(
  { headers: { authorization = '' }, rawHeaders }: Pick<IncomingMessage, 'headers' | 'rawHeaders'>,
  charsMax = tokenMax,
): string {
  const isSentOnce = countHeaderLines(rawHeaders, 'authorization') <= 1
  if (isSentOnce && authorization === '') {
    throw new Failure('missing_api_token', "The header 'Authorization: Bearer <token>' is missing.")
  }
  const token = authorization.slice(7).trim()
  const isBearer = authorization.slice(0, 7).toLowerCase() === 'bearer '
  if (isSentOnce && isBearer && token !== '' && token.length <= charsMax) return token
  throw new Failure('invalid_api_token', 'The API token is not valid.', { isWrongToken: true })
}
