/** Who may come through a route: the check of the bearer token and of what it permits (spec 5). */

import type { IncomingMessage } from 'node:http'
import { permitOperator, permitScope } from '../../auth/permit.ts'
import { Failure } from '../../domain/failure.ts'
import type {
  AccountPrincipal,
  OperatorPrincipal,
  Principal,
  Scope,
} from '../../domain/principal.ts'
import type { Context } from './context.ts'
import { countHeader } from './countHeader.ts'
import type { Admission, Method } from './route.ts'

/** How a route lets callers in, by its method. */
export type Access<Caller> = (method: Method) => Gate<Caller>

interface Gate<Caller> {
  readonly admits: Admission
  /** The caller as the route needs it, or a failure: 401 for the token, 403 for what it lacks. */
  readonly admit: (ctx: Context) => Promise<Caller>
}

/** The principal behind a bearer token; throws `invalid_api_token`. */
type Authenticate = (token: string) => Promise<Principal>

/** Longer texts are no token of ours, and are not worth hashing. */
const tokenMax = 512

/** Anyone, with or without a token. */
export const publicAccess: Access<undefined> = () => ({
  admits: 'anyone',
  admit: async () => undefined,
})

/** The holder of an account's token that carries the scope, or, to read, the scope `audit`: it reads everything and writes nothing. */
export function accountAccess(authenticate: Authenticate, scope: Scope): Access<AccountPrincipal> {
  return (method) => {
    const scopes = method === 'GET' && scope !== 'audit' ? [scope, 'audit' as const] : [scope]
    return {
      admits: { scopes, operator: false },
      admit: async (ctx) => permitScope(await identify(ctx, authenticate), scopes),
    }
  }
}

/** The holder of the operator token. */
export function operatorAccess(authenticate: Authenticate): Access<OperatorPrincipal> {
  return () => ({
    admits: { scopes: [], operator: true },
    admit: async (ctx) => permitOperator(await identify(ctx, authenticate)),
  })
}

/** The operator, or the holder of an account's token with the scope `operate`: who watches need not be able to change anything. */
export function monitorAccess(authenticate: Authenticate): Access<Principal> {
  const scopes = ['operate'] as const
  return () => ({
    admits: { scopes, operator: true },
    admit: async (ctx) => {
      const principal = await identify(ctx, authenticate)
      return principal.kind === 'operator' ? principal : permitScope(principal, scopes)
    },
  })
}

async function identify(ctx: Context, authenticate: Authenticate): Promise<Principal> {
  const principal = await authenticate(bearerToken(ctx.req))
  ctx.state.principal = principal
  if (ctx.state.countRequest) await ctx.state.countRequest(ctx, principal)
  return principal
}

/**
 * The token of the header `Authorization`. Throws `missing_api_token`, and `invalid_api_token` for one that is longer than it may be, and
 * for several headers: another server might believe another of them.
 */
export function bearerToken(
  { headers: { authorization: header }, rawHeaders }: Sent,
  charsMax = tokenMax,
): string {
  if (countHeader(rawHeaders, 'authorization') > 1) throw invalidToken()
  if (header === undefined || header === '') {
    throw new Failure('missing_api_token', "The header 'Authorization: Bearer <token>' is missing.")
  }
  const token = header.slice(7).trim()
  const bearer = header.slice(0, 7).toLowerCase() === 'bearer '
  if (!bearer || token === '' || token.length > charsMax) {
    throw invalidToken()
  }
  return token
}

type Sent = Pick<IncomingMessage, 'headers' | 'rawHeaders'>

function invalidToken(): Failure {
  return new Failure('invalid_api_token', 'The API token is not valid.')
}
