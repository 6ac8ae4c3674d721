/** Declares a route: its path, callers, parameters and answers; fills in the defaults. */

import type { Service } from '../../app/serviceContext.ts'
import type { FailureCode } from '../../domain/failure.ts'
import type { Schema } from '../../domain/jsonSchema.ts'
import type { Access } from './access.ts'
import type { Answer } from './answer.ts'
import { type BodyReader, noBody } from './body/bodyReader.ts'
import type { ErrorBodiesName } from './errorBodies.ts'
import type { PathParameter } from './pathParameters.ts'
import { noQuery, type QueryReader } from './queryReader.ts'
import type { Context } from './requestContext.ts'
import type { RequestConditions } from './requestHeaders.ts'

/** The hosts of the service: the main one, and those of applications, which serve their users. */
export type Host = 'main' | 'session'

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
  /** The other types in which the same can be asked for, each with an example unless it is no text. */
  readonly otherTypes?: Readonly<Record<string, string | undefined>>
  /** Headers that only this answer has, and what each says. */
  readonly headers?: Readonly<Record<string, string>>
}

/** A request whose every part was checked. */
interface CheckedCall<Caller, Body, Query, Id extends string> {
  readonly context: Service['context']
  readonly call: RequestConditions & { readonly principal: Caller; readonly requestId: string }
  readonly ids: Readonly<Record<Id, string>>
  readonly query: Query
  readonly body: Body
}

/** What a route declares. */
interface RouteDefinition<Caller, Body, Query, Id extends string> {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** With its parameters in braces: `/v2/watch/evaluations/{evaluation_id}`. */
  readonly path: string
  readonly operationId: string
  readonly summary: string
  readonly tag: string
  /** The host that serves it; the main one unless given. */
  readonly host?: Host
  /** The form of its error bodies; that of its host unless given (spec 7.1, 7.2). */
  readonly errors?: ErrorBodiesName
  /**
   * What the answer says about the position of the log (`X-Vigil-Position`), and whether the request may carry an
   * `Idempotency-Key`. A `GET` is a read and everything else a write unless given.
   */
  readonly kind?: 'write' | 'read' | 'plain'
  /**
   * `tagged`: answers carry an `ETag`, and a read may be asked with `If-None-Match`. `guarded`: the command may be
   * given with `If-Match`. `both`: a guarded command whose answer is tagged.
   */
  readonly entity?: 'tagged' | 'guarded' | 'both'
  readonly access: Access<Caller>
  /** The parameters of the path; none unless given. */
  readonly ids?: Readonly<Record<Id, PathParameter>>
  /** Reads the query; every parameter is refused unless given. */
  readonly query?: QueryReader<Query>
  /** Reads the body; it stays unread unless given. */
  readonly body?: BodyReader<Body>
  /** Headers that only this route reads. */
  readonly headers?: readonly RequestParameter[]
  /** Of a route that pages of every site may ask: the headers that they may send beside the usual ones. */
  readonly crossOrigin?: readonly string[]
  /** By status, that of the success first. */
  readonly answers: Readonly<Record<number, AnswerDescription>>
  /** The failures that not every route of its kind has (`describeResponses.ts`); of a write `conflict` unless given. */
  readonly failures?: readonly FailureCode[]
  readonly serve: (request: CheckedCall<Caller, Body, Query, Id>) => Promise<Answer>
  /** Told of what its requests are refused for. */
  readonly onFailure?: (ctx: Context, error: unknown) => void
}

type AnyDefinition = RouteDefinition<unknown, unknown, unknown, string>

type Defaulted = 'host' | 'errors' | 'kind' | 'ids' | 'query' | 'body' | 'failures'

/** A route as it is routed, carried out and described: what it declares, the defaults, and who is admitted. */
export type Route = Omit<AnyDefinition, Defaulted | 'access'> &
  Required<Pick<AnyDefinition, Defaulted>> &
  ReturnType<Access<unknown>> & {
    /** Of an answer that gives no other. */
    readonly status: number
  }

/** Builds a route: fills in what its definition leaves out. */
export function defineRoute<Caller, Body, Query, Id extends string>({
  access,
  serve,
  ...given
}: RouteDefinition<Caller, Body, Query, Id>): Route {
  const { method, host = 'main' } = given
  const kind = given.kind ?? (method === 'GET' ? 'read' : 'write')
  return {
    errors: host,
    ids: {},
    query: noQuery,
    body: noBody,
    failures: kind === 'write' ? ['conflict'] : [],
    ...given,
    ...access(method),
    host,
    kind,
    status: Number(Object.keys(given.answers)[0]),
    // its own access, query and body have read what it is given
    serve: serve as Route['serve'],
  }
}
