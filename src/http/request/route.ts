/** Declares routes and the access rules that admit a caller by its token and scopes. */

import type { IncomingMessage } from 'node:http'
import type { ServiceContext } from '../../app/serviceContext.ts'
import { permitOperator, permitScope } from '../../auth/permit.ts'
import { Failure, type FailureCode } from '../../domain/failure.ts'
import type { IdPrefix } from '../../domain/ids.ts'
import type {
  AccountPrincipal,
  OperatorPrincipal,
  Principal,
  Scope,
} from '../../domain/principal.ts'
import type { Authenticate } from '../../queries/accounts/authenticate.ts'
import type { Answer } from './answer.ts'
import type { AskedByHeaders, Context } from './context.ts'
import { countHeader } from './countHeader.ts'
import type { ErrorBodiesName } from './errorBodies.ts'
import type { Schema } from './schema/schema.ts'

/** Longer texts are no token of ours, and are not worth hashing. */
const tokenMax = 512

/** The hosts of the service: the main one, and those of applications, which serve their users. */
export type Host = 'main' | 'session'

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/**
 * Who may come through: anyone, front ends with an SDK key, the holders of a refresh token of a session, users of an application whose
 * session has the scope if one is needed, or the holders of an account's token with one of the scopes, or with every one, or of the
 * operator token.
 */
export type Admission =
  | 'anyone'
  | 'front_end'
  | 'refresh_token'
  | { readonly user: { readonly scope?: string | undefined } }
  | { readonly scopes: readonly Scope[]; readonly every?: true; readonly operator: boolean }

/**
 * What a parameter of the path is: an id of this prefix, that of an application or of a signing key, the name of a part of the service, of lower-case letters
 * and `_`, or one of a few words.
 */
export type PathParameter = IdPrefix | 'app' | 'kid' | 'name' | readonly string[]

/** A parameter of the query, or a header. */
export interface QueryParameter {
  readonly name: string
  readonly description: string
  readonly schema: Schema
  /** Without it the request is refused. */
  readonly required?: true
}

/** An answer that is not a failure; without a schema it has no body. */
export interface AnswerFacts {
  readonly description: string
  readonly schema?: Schema
  /** Of the body, when it is not JSON. */
  readonly contentType?: string
  /** The other types in which the same can be asked for, each with an example. */
  readonly otherTypes?: Readonly<Record<string, string>>
  /** Headers that only this answer has, and what each says. */
  readonly headers?: Readonly<Record<string, string>>
}

export interface RouteFacts {
  readonly method: Method
  /** With its parameters in braces: `/v2/watch/evaluations/{evaluation_id}`. */
  readonly path: string
  readonly operationId: string
  /** On which host it stands; the main one unless given. */
  readonly host?: Host
  /** Which family its errors are of; that of its host unless given (spec 7.1, 7.2). */
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
  readonly answers: Readonly<Record<number, AnswerFacts>>
  /** Headers that only this route reads. */
  readonly headers?: readonly QueryParameter[]
  /** Of a route that pages of every site may ask: the headers that they may send beside the usual ones. */
  readonly crossOrigin?: readonly string[]
  /** The failures only this route has; those that every route of its kind has are added (`openapiDocument.ts`). */
  readonly failures: readonly FailureCode[]
}

export interface Route extends RouteFacts {
  readonly host: Host
  readonly errors: ErrorBodiesName
  readonly admits: Admission
  /** The parameters of the path and what each is. */
  readonly ids: Readonly<Record<string, PathParameter>>
  readonly query: readonly QueryParameter[]
  /** The schema of the body, where the route reads one. */
  readonly bodySchema: Schema | undefined
  /** Whether the body may be left out. */
  readonly mayLackBody: boolean
  /** The types of its body beside JSON, each with an example; undefined for one that is not text. */
  readonly bodyTypes: Readonly<Record<string, string | undefined>>
  /** How many places of its account a request takes. */
  readonly places: number
  /** The caller as the route needs it, or a failure: 401 for the token, 403 for what it lacks. */
  readonly admit: (ctx: Context) => Promise<unknown>
  /** What the path, the query and the headers ask; throws for what is not acceptable. */
  readonly check: (ctx: Context) => AskedByHeaders
  /** What the body says; throws for what is not acceptable. */
  readonly readBody: (ctx: Context) => unknown
  /** Carries out what the steps before have left in the state. */
  readonly serve: (ctx: Context) => Promise<Answer>
  /** Told of what its requests are refused for. */
  readonly onFailure?: (error: unknown) => void
}

/** How a route lets callers in, by its method. */
export type Access<Caller> = (method: Method) => Gate<Caller>

interface Gate<Caller> {
  readonly admits: Admission
  /** The caller as the route needs it, or a failure: 401 for the token, 403 for what it lacks. */
  readonly admit: (ctx: Context) => Promise<Caller>
}

/** What routes are built over: what commands and queries are given, and who calls. */
export interface Served {
  readonly context: ServiceContext
  readonly authenticate: Authenticate
}

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

/** The holder of an account's token that carries every one of the scopes. */
export function everyScopeAccess(
  authenticate: Authenticate,
  scopes: readonly Scope[],
): Access<AccountPrincipal> {
  return () => ({
    admits: { scopes, every: true, operator: false },
    admit: async (ctx) => {
      const principal = await identify(ctx, authenticate)
      return scopes.reduce<AccountPrincipal>(
        (_, scope) => permitScope(principal, [scope]),
        principal as AccountPrincipal,
      )
    },
  })
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
