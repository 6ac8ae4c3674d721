/** The way of a request through its route, step by step, the same for every route. */

import { isAppId } from '../../domain/appId.ts'
import type { EntityCondition } from '../../domain/entityTag.ts'
import { appNotFound, Failure } from '../../domain/failure.ts'
import { isId } from '../../domain/ids.ts'
import { missing } from '../../domain/missing.ts'
import type { Mutable } from '../../domain/mutable.ts'
import type { Access } from './access.ts'
import type { Answer } from './answer.ts'
import { sendAnswer, unchanged } from './answer.ts'
import type { BodyReader } from './bodyReader.ts'
import type { Context } from './context.ts'
import { isKnown, readIfMatch, refuseIfMatch } from './entityConditions.ts'
import { readIdempotencyKey } from './idempotencyKey.ts'
import { jsonInPieces, type WrittenJson } from './jsonWriting.ts'
import { type QueryReader, readQuery } from './queryReader.ts'
import type { PathParameter, Route, RouteFacts } from './route.ts'

/** A request whose every part was checked. */
interface Asked<Caller, Body, Query, Id extends string> {
  readonly call: {
    readonly principal: Caller
    readonly requestId: string
    readonly idempotencyKey?: string
    readonly ifMatch?: EntityCondition
    readonly letGo?: () => void
  }
  readonly ids: Readonly<Record<Id, string>>
  readonly query: Query
  readonly body: Body
}

export interface RouteDefinition<Caller, Body, Query, Id extends string> extends RouteFacts {
  readonly access: Access<Caller>
  readonly ids: Readonly<Record<Id, PathParameter>>
  readonly query: QueryReader<Query>
  readonly body: BodyReader<Body>
  readonly serve: (asked: Asked<Caller, Body, Query, Id>) => Promise<Answer>
}

/**
 * A route from its definition. Whoever may not come in learns nothing more: the token is checked before anything else of the
 * request is read. A place is taken when all of the request is there, and what it waits for has come. An id or a name in the path that has not the form of one is answered like one that nothing has; this is the one
 * place that looks, and the service relies on it.
 */
export function defineRoute<Caller, Body, Query, Id extends string>(
  definition: RouteDefinition<Caller, Body, Query, Id>,
): Route {
  const { access, ids, query, body, serve, ...facts } = definition
  const { host = 'main', errors = host } = facts
  const { admits, admit } = access(facts.method)

  async function handle(ctx: Context): Promise<void> {
    ctx.state.route = facts.path
    const principal = await admit(ctx)
    const idsGiven = readIds(ctx, ids)
    const queryGiven = readQuery(ctx, query)
    const call = callOf(principal, ctx, facts)
    const { admission } = ctx.state
    const received = await body.receive(ctx)
    const minPosition = minPositionOf(queryGiven)
    if (minPosition !== undefined) await admission.reach(ctx, minPosition)
    await admission.serve(ctx, async (letGo) => {
      received.done()
      call.letGo = letGo
      const bodyGiven = await body.read(received.bytes, ctx)
      const made = await serve({ call, ids: idsGiven, query: queryGiven, body: bodyGiven })
      const isOld = facts.kind === 'read' && isKnown(ctx, made.etag)
      const answer = isOld ? unchanged(made) : made
      const text = await textOf(answer, (pieces) => admission.write(ctx, pieces))
      sendAnswer(ctx, { answer, text })
    })
  }

  return {
    ...facts,
    host,
    errors,
    admits,
    ids,
    query: query.parameters,
    bodySchema: body.schema,
    mayLackBody: body.mayBeAbsent ?? false,
    bodyTypes: body.contentTypes ?? {},
    handle,
  }
}

/** The body of the answer, written unless it is text already; undefined where it has none. */
function textOf(
  { body }: Answer,
  write: (pieces: Generator<undefined, WrittenJson>) => Promise<WrittenJson>,
): string | undefined | Promise<WrittenJson> {
  return typeof body === 'object' ? write(jsonInPieces(body)) : body
}

/** The position that a question asks for; see `Asking`. */
function minPositionOf(query: unknown): number | undefined {
  if (typeof query !== 'object' || query === null || !('minPosition' in query)) return undefined
  return typeof query.minPosition === 'number' ? query.minPosition : undefined
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
  return parameter === 'name' ? nothing('There is nothing of this name.') : missing(parameter)
}

function nothing(message: string): Failure {
  return new Failure('not_found', message)
}

function callOf<Caller>(principal: Caller, ctx: Context, { kind, entity }: RouteFacts) {
  const { requestId } = ctx.state
  const call: Mutable<Asked<Caller, never, never, never>['call']> = { principal, requestId }
  const idempotencyKey = kind === 'write' ? readIdempotencyKey(ctx) : undefined
  const isGuarded = entity === 'guarded' || entity === 'both'
  const ifMatch = isGuarded ? readIfMatch(ctx) : undefined
  if (kind === 'write' && !isGuarded) refuseIfMatch(ctx)
  if (idempotencyKey !== undefined) call.idempotencyKey = idempotencyKey
  if (ifMatch !== undefined) call.ifMatch = ifMatch
  return call
}
