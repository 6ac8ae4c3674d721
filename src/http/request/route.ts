/** Declares routes and the access rules that admit a caller by its token and scopes. */

import type { IncomingMessage } from 'node:http'
import { requireOperator, requireScope } from '../../auth/requireScope.ts'
import { Failure, type FailureCode } from '../../domain/failure.ts'
import type { IdPrefix } from '../../domain/ids.ts'
import type { Schema } from '../../domain/jsonSchema.ts'
import type {
  AccountPrincipal,
  OperatorPrincipal,
  Principal,
  Scope,
} from '../../domain/principal.ts'
import type { Answer } from './answer.ts'
import type { ErrorBodiesName } from './errorBodies.ts'
import type { CheckedRequest, Context } from './requestContext.ts'
import { countHeaderLines } from './singleHeader.ts'

/** Longer texts cannot be tokens of this service and are not hashed. */
const tokenMax = 512

/** The hosts of the service: the main one, and those of applications, which serve their users. */
export type Host = 'main' | 'session'

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/**
 * The callers a route admits: anyone, front ends with an SDK key, holders of a session's refresh token, users of an application
 * (with the scope, if given), holders of an account token with one (or `every` one) of the scopes, or the operator token.
 */
export type Admission =
  | 'anyone'
  | 'front_end'
  | 'refresh_token'
  | { readonly user: { readonly scope?: string | undefined } }
  | { readonly scopes: readonly Scope[]; readonly every?: true; readonly operator: boolean }

/**
 * The form of a path parameter: an id with this prefix, an application id, a signing key id, a name of lower-case letters and `_`
 * (such as a projection), or one of several words.
 */
export type PathParameter = IdPrefix | 'app' | 'kid' | 'name' | readonly string[]

/** A parameter of the query, or a header. */
export interface RequestParameter {
  readonly name: string
  readonly description: string
  readonly schema: Schema
  /** Without it the request is refused. */
  readonly required?: true
}

/** An answer that is not a failure; without a schema it has no body. */
export interface AnswerDescription {
  readonly description: string
  readonly schema?: Schema
  /** Of the body, when it is not JSON. */
  readonly contentType?: string
  /** The other types in which the same can be asked for, each with an example. */
  readonly otherTypes?: Readonly<Record<string, string>>
  /** Headers that only this answer has, and what each says. */
  readonly headers?: Readonly<Record<string, string>>
}

export interface RouteDescription {
  readonly method: Method
  /** With its parameters in braces: `/v2/watch/evaluations/{evaluation_id}`. */
  readonly path: string
  readonly operationId: string
  /** The host that serves it; the main one unless given. */
  readonly host?: Host
  /** The form of its error bodies; that of its host unless given (spec 7.1, 7.2). */
  readonly errors?: ErrorBodiesName
  readonly summary: string
  readonly tag: string
  /** What the answer says about the position of the log (`X-Vigil-Position`), and whether the request may carry an `Idempotency-Key`. */
  readonly kind: 'write' | 'read' | 'plain'
  /**
   * `tagged`: answers carry an `ETag`, and a read may be asked with `If-None-Match`. `guarded`: the command may be given with
   * `If-Match`. `both`: a guarded command whose answer is tagged.
   */
  readonly entity?: 'tagged' | 'guarded' | 'both'
  readonly answers: Readonly<Record<number, AnswerDescription>>
  /** Headers that only this route reads. */
  readonly headers?: readonly RequestParameter[]
  /** Of a route that pages of every site may ask: the headers that they may send beside the usual ones. */
  readonly crossOrigin?: readonly string[]
  /** The failures only this route has; those that every route of its kind has are added (`responses.ts`). */
  readonly failures: readonly FailureCode[]
}

export interface Route extends RouteDescription {
  readonly host: Host
  readonly errors: ErrorBodiesName
  readonly admits: Admission
  /** The parameters of the path and what each is. */
  readonly ids: Readonly<Record<string, PathParameter>>
  readonly query: readonly RequestParameter[]
  /** The schema of the body, where the route reads one. */
  readonly bodySchema: Schema | undefined
  /** Whether the body may be left out. */
  readonly mayLackBody: boolean
  /** The types of its body beside JSON, each with an example; undefined for one that is not text. */
  readonly bodyTypes: Readonly<Record<string, string | undefined>>
  /** How many concurrency slots of its account a request takes. */
  readonly slotCount: number
  /** The caller as the route needs it, or a failure: 401 for the token, 403 for what it lacks. */
  readonly admit: (ctx: Context) => Promise<unknown>
  /** What the path, the query and the headers ask; throws for what is not acceptable. */
  readonly check: (ctx: Context) => CheckedRequest
  /** What the body says; throws for what is not acceptable. */
  readonly readBody: (ctx: Context) => unknown
  /** Carries out what the steps before have left in the state. */
  readonly serve: (ctx: Context) => Promise<Answer>
  /** Told of what its requests are refused for. */
  readonly onFailure?: (ctx: Context, error: unknown) => void
}

/** The admission rule of a route, by its method. */
export type Access<Caller> = (method: Method) => Gate<Caller>

interface Gate<Caller> {
  readonly admits: Admission
  /** The caller as the route needs it, or a failure: 401 for the token, 403 for what it lacks. */
  readonly admit: (ctx: Context) => Promise<Caller>
}

/** Admits anyone, with or without a token. */
export const publicAccess: Access<undefined> = () => ({
  admits: 'anyone',
  admit: async () => undefined,
})

/** Admits account tokens with the scope; `GET` also with `audit`, which reads everything and writes nothing. */
export function accountAccess(scope: Scope): Access<AccountPrincipal> {
  return (method) => {
    const scopes = method === 'GET' && scope !== 'audit' ? [scope, 'audit' as const] : [scope]
    return {
      admits: { scopes, operator: false },
      admit: async (ctx) => requireScope(await identify(ctx), scopes),
    }
  }
}

/** Admits account tokens that carry every one of the scopes. */
export function everyScopeAccess(scopes: readonly Scope[]): Access<AccountPrincipal> {
  return () => ({
    admits: { scopes, every: true, operator: false },
    admit: async (ctx) => {
      const principal = await identify(ctx)
      return scopes.reduce<AccountPrincipal>(
        (_, scope) => requireScope(principal, [scope]),
        principal as AccountPrincipal,
      )
    },
  })
}

/** Admits the operator token. */
export const operatorAccess: Access<OperatorPrincipal> = () => ({
  admits: { scopes: [], operator: true },
  admit: async (ctx) => requireOperator(await identify(ctx)),
})

/** Admits the operator token, or account tokens with the scope `operate`, so that monitoring needs no operator rights. */
export const monitorAccess: Access<Principal> = () => {
  const scopes = ['operate'] as const
  return {
    admits: { scopes, operator: true },
    admit: async (ctx) => {
      const principal = await identify(ctx)
      return principal.kind === 'operator' ? principal : requireScope(principal, scopes)
    },
  }
}

/** The principal of the request's bearer token. Throws `missing_api_token` without one, else `invalid_api_token` for every reason. */
async function identify(ctx: Context): Promise<Principal> {
  const principal = await ctx.service.authenticate(readBearerToken(ctx.req))
  ctx.state.principal = principal
  return principal
}

/**
 * Reads the bearer token of the `Authorization` header. Throws `missing_api_token`, and `invalid_api_token` for one that is too long
 * and for several headers, since another server might use a different one.
 */
export function readBearerToken(
  { headers: { authorization: header }, rawHeaders }: Sent,
  charsMax = tokenMax,
): string {
  if (countHeaderLines(rawHeaders, 'authorization') > 1) throw invalidToken()
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
