/** Builds a route from its definition; reads path ids, ETag conditions and `Idempotency-Key`. */

import type { Service } from '../../app/serviceContext.ts'
import { appNotFound, Failure, invalidRequest } from '../../domain/failure.ts'
import { idNotFound, isId } from '../../domain/ids.ts'
import type { Mutable } from '../../domain/mutable.ts'
import { isAppId } from '../../domain/sessions/appId.ts'
import type { EntityCondition } from '../../domain/text/entityTag.ts'
import type { Answer } from './answer.ts'
import { bodyBytesMax } from './body/bodyBytes.ts'
import { type BodyReader, noBody } from './body/bodyReader.ts'
import { noQuery, type QueryReader, readQuery } from './queryReader.ts'
import type { CheckedRequest, Context } from './requestContext.ts'
import type { Access, PathParameter, Route, RouteDescription } from './route.ts'

const visibleAscii = /^[\x21-\x7e]{1,255}$/

/** Tags that one header may name. */
const tagsMax = 50
const lengthMax = 4_096

/** One list element up to its comma: a tag, which may contain commas, or nothing (RFC 9110, 5.6.1.2). */
const listPlace = /[ \t]*(?:((?:W\/)?"[\x21\x23-\x7e\x80-\xff]*")[ \t]*)?(?:,|$)/y

/** A request whose every part was checked. */
interface CheckedCall<Caller, Body, Query, Id extends string> {
  readonly context: Service['context']
  readonly call: {
    readonly principal: Caller
    readonly requestId: string
    readonly idempotencyKey?: string
    readonly ifMatch?: EntityCondition
  }
  readonly ids: Readonly<Record<Id, string>>
  readonly query: Query
  readonly body: Body
}

export interface RouteDefinition<Caller, Body, Query, Id extends string> extends RouteDescription {
  readonly access: Access<Caller>
  /** The parameters of the path; none unless given. */
  readonly ids?: Readonly<Record<Id, PathParameter>>
  /** Reads the query; every parameter is refused unless given. */
  readonly query?: QueryReader<Query>
  /** Reads the body; it stays unread unless given. */
  readonly body?: BodyReader<Body>
  readonly serve: (asked: CheckedCall<Caller, Body, Query, Id>) => Promise<Answer>
}

const noIds: Readonly<Record<string, PathParameter>> = {}

/** Body bytes that one concurrency slot covers. */
const bytesPerSlot = 64 * 1024

/**
 * Builds a route. A malformed id or name in the path is answered like an unknown one (404). Only this function checks the form of
 * ids, and the service relies on it.
 */
export function defineRoute<Caller, Body, Query, Id extends string>(
  definition: RouteDefinition<Caller, Body, Query, Id>,
): Route {
  const { access, ids = noIds, query = noQuery, body = noBody, serve, ...facts } = definition
  const { host = 'main', errors = host } = facts
  return {
    ...facts,
    ...access(facts.method),
    host,
    errors,
    ids,
    query: query.parameters,
    bodySchema: body.schema,
    mayLackBody: body.mayBeAbsent ?? false,
    bodyTypes: body.contentTypes ?? {},
    slotCount: body.size === undefined ? 1 : bodyBytesMax[body.size] / bytesPerSlot,
    check: (ctx) => ({
      ids: readIds(ctx, ids),
      query: readQuery(ctx, query),
      ...conditionsOf(ctx, facts),
    }),
    readBody: body.read,
    serve: (ctx) => serve(askedOf(ctx)),
  }
}

/** The results of the earlier steps, typed as the route declared them. */
function askedOf<Caller, Body, Query, Id extends string>({
  state: { requestId, caller, asked, body },
  service: { context },
}: Context): CheckedCall<Caller, Body, Query, Id> {
  if (!asked) throw new Error('a request is served that was not checked')
  const { ids, query, ...conditions } = asked
  const call = { principal: caller as Caller, requestId, ...conditions }
  return { context, call, ids, query: query as Query, body: body as Body }
}

function readIds<Id extends string>(
  { params = {} }: Context,
  expected: Readonly<Record<Id, PathParameter>>,
): Readonly<Record<Id, string>> {
  for (const name in expected) assertFits(expected[name], params[name] ?? '')
  // every name was just found in it
  return params as Readonly<Record<Id, string>>
}

const kidPattern = /^[0-7][0-9a-hjkmnp-tv-z]{25}$/
const namePattern = /^[a-z_]{1,64}$/

function assertFits(parameter: PathParameter, given: string): void {
  if (!fits(parameter, given)) throw refusalOf(parameter)
}

function fits(parameter: PathParameter, given: string): boolean {
  if (typeof parameter !== 'string') return parameter.includes(given)
  if (parameter === 'app') return isAppId(given)
  if (parameter === 'kid') return kidPattern.test(given)
  return parameter === 'name' ? namePattern.test(given) : isId(parameter, given)
}

function refusalOf(parameter: PathParameter): Failure {
  if (parameter === 'app') return appNotFound()
  if (typeof parameter !== 'string') return nothing('There is nothing at this path.')
  if (parameter === 'kid') return nothing('The application has no such signing key.')
  return parameter === 'name' ? nothing('There is nothing of this name.') : idNotFound(parameter)
}

function nothing(message: string): Failure {
  return new Failure('not_found', message)
}

function conditionsOf(ctx: Context, { kind, entity }: RouteDescription) {
  const conditions: Mutable<Pick<CheckedRequest, 'idempotencyKey' | 'ifMatch'>> = {}
  const idempotencyKey = kind === 'write' ? readIdempotencyKey(ctx) : undefined
  const isGuarded = entity === 'guarded' || entity === 'both'
  const ifMatch = isGuarded ? readIfMatch(ctx) : undefined
  if (kind === 'write' && !isGuarded) refuseIfMatch(ctx)
  if (idempotencyKey !== undefined) conditions.idempotencyKey = idempotencyKey
  if (ifMatch !== undefined) conditions.ifMatch = ifMatch
  return conditions
}

/** Reads `If-Match`; undefined without one. Throws `invalid_request` for anything but `*` or a list of entity tags. */
export function readIfMatch(ctx: Context): EntityCondition | undefined {
  const header = ctx.req.headers['if-match']
  if (header === undefined) return undefined
  const condition = conditionOf(header)
  if (condition) return condition
  throw invalidRequest([
    { path: 'If-Match', message: `Must be * or at most ${tagsMax} entity tags in quotes.` },
  ])
}

/** Throws `invalid_request` for `If-Match` on a command that ignores it: it would run even when the condition fails. */
function refuseIfMatch(ctx: Context): void {
  if (ctx.req.headers['if-match'] === undefined) return
  const message =
    'This request cannot be made on that condition; several changes at once take if_match in each of them.'
  throw invalidRequest([{ path: 'If-Match', message }])
}

/** Whether `If-None-Match` lists the tag (weak comparison); an invalid header matches nothing. */
export function matchesIfNoneMatch(ctx: Context, tag: string | undefined): boolean {
  if (tag === undefined) return false
  const condition = conditionOf(ctx.req.headers['if-none-match'] ?? '')
  if (!condition) return false
  return condition === '*' || condition.some((known) => known.replace(/^W\//, '') === tag)
}

function conditionOf(header: string): EntityCondition | undefined {
  if (header.trim() === '*') return '*'
  if (header.length > lengthMax) return undefined
  const tags = tagsOf(header)
  return tags && tags.length > 0 && tags.length <= tagsMax ? tags : undefined
}

function tagsOf(header: string): readonly string[] | undefined {
  const tags: string[] = []
  listPlace.lastIndex = 0
  for (let at = 0; at < header.length; at = listPlace.lastIndex) {
    const place = listPlace.exec(header)
    if (!place) return undefined
    if (place[1] !== undefined) tags.push(place[1])
  }
  return tags
}

/** The `Idempotency-Key` header, or undefined without one. Throws `invalid_request` unless it is 1 to 255 visible ASCII characters. */
export function readIdempotencyKey(ctx: Context): string | undefined {
  const key = ctx.req.headers['idempotency-key']
  if (key === undefined) return undefined
  if (typeof key === 'string' && visibleAscii.test(key)) return key
  throw invalidRequest([
    { path: 'Idempotency-Key', message: 'Must be 1 to 255 visible ASCII characters.' },
  ])
}
