/** Defines the request steps: match route, authenticate, check parameters, read body, serve. */

import { Router } from '@koa/router'
import type { Next } from 'koa'
import { recordOpened } from '../../commands/audit/recordOpened.ts'
import type { PageRequest } from '../../domain/call.ts'
import { Failure } from '../../domain/failure.ts'
import { runInSlices } from '../../domain/load/scheduler.ts'
import type { Principal } from '../../domain/principal.ts'
import { opensPersons, sealPersons, stringifySteps } from '../../domain/shownPersons.ts'
import { entityTag } from '../../domain/text/entityTag.ts'
import { requireLogPositions, waitForReadModels } from '../../queries/reading/waitForReadModels.ts'
import { type Answer, sendAnswer } from '../request/answer.ts'
import { hasBody } from '../request/body/bodyReader.ts'
import { assertValidPath } from '../request/pathParameters.ts'
import { readQuery } from '../request/queryReader.ts'
import type { Context, RequestState, WithService } from '../request/requestContext.ts'
import { matchesIfNoneMatch, readConditions } from '../request/requestHeaders.ts'
import type { Route } from '../request/route.ts'
import { clientLeftError, runWhenClosed } from '../request/runWhenClosed.ts'
import { readSignedCursor, signNextCursor } from '../request/signedCursor.ts'

/**
 * Finds the route among those of the host. Fixed paths win over patterns: `…/rules/test` is never read as a rule id.
 * Other paths go to the router, which tries its patterns in order. `HEAD` is answered as `GET`, without the body.
 * Throws `not_found` for an unknown path, and `method_not_allowed` for a known one with other methods, listed in
 * `Allow`; `OPTIONS` is answered with that list alone.
 */
export function matchRoute(routes: readonly Route[]) {
  const main = buildRouteFinder(routes.filter(({ host }) => host === 'main'))
  const session = buildRouteFinder(routes.filter(({ host }) => host === 'session'))
  return function findRoute(ctx: Context, next: Next): Promise<void> {
    return ctx.state.sessionHost === undefined ? main(ctx, next) : session(ctx, next)
  }
}

/** The matched route; later steps never run without one. */
export function requireRoute({ state: { route } }: Context): Route {
  if (!route) throw new Error('no route was found')
  return route
}

function buildRouteFinder(routes: readonly Route[]) {
  /** The routes of each path without parameters, by their methods. */
  const fixed = new Map<string, Map<string, Route>>()
  const router = new Router<RequestState, WithService>({ strict: true, sensitive: true })
  for (const route of routes) {
    const { method, path } = route
    if (path.includes('{')) {
      router.register(path.replaceAll('{', ':').replaceAll('}', ''), [method], (ctx, next) => {
        ctx.state.route = route
        return next()
      })
    } else {
      const methods = fixed.get(path) ?? new Map<string, Route>()
      for (const name of listMethodNames(method)) methods.set(name, route)
      fixed.set(path, methods)
    }
  }
  const routed = router.routes()
  const all = new Set(routes.flatMap(({ method }) => listMethodNames(method)))

  return async (ctx: Context, next: Next): Promise<void> => {
    // of the request itself: on the context the same is asked for by name, which takes longer
    const { path, method } = ctx.request
    const methods = fixed.get(path)
    const route = methods?.get(method)
    if (route) {
      ctx.state.route = route
      await next()
    } else if (methods) refuseMethod(ctx, methods.keys())
    else if (path === '*' && method === 'OPTIONS') refuseMethod(ctx, all)
    else {
      await routed(ctx as Parameters<typeof routed>[0], async () => {
        const { state, matched = [] } = ctx
        if (state.route) await next()
        else if (matched.length > 0)
          refuseMethod(ctx, new Set(matched.flatMap((one) => one.methods)))
        else throw new Failure('not_found', 'There is nothing at this path.')
      })
    }
  }
}

function listMethodNames(method: string): readonly string[] {
  return method === 'GET' ? ['HEAD', 'GET'] : [method]
}

function refuseMethod(ctx: Context, methods: Iterable<string>): void {
  ctx.res.setHeader('Allow', [...methods, 'OPTIONS'].join(', '))
  if (ctx.method !== 'OPTIONS') {
    throw new Failure('method_not_allowed', 'The path does not have this method; see Allow.')
  }
  ctx.status = 204
}

/**
 * Authenticates the caller by the headers, and counts the request, also of a token that lacks the scope. Unauthorized
 * requests are rejected before anything else is read.
 */
export function authenticate(countRequest: (ctx: Context) => void) {
  return async function authenticate(ctx: Context, next: Next): Promise<void> {
    try {
      ctx.state.caller = await requireRoute(ctx).admit(ctx)
    } finally {
      countRequest(ctx)
    }
    await next()
  }
}

/** Checks the path ids, and reads the query and the conditional headers of the route. */
export function checkRequest(ctx: Context, next: Next): Promise<void> {
  const { params: ids = {} } = ctx
  const route = requireRoute(ctx)
  assertValidPath(ids, route.ids)
  const query = readQuery(ctx, route.query)
  ctx.state.checked = { ids, query, conditions: readConditions(ctx, route) }
  return next()
}

/** Reads the body within its time limit. Throws `request_timeout`, and whatever its reader throws. */
export function readBody(bodyMs: number) {
  return async function readBody(ctx: Context, next: Next): Promise<void> {
    const reading = requireRoute(ctx).body.read(ctx)
    const isWaitedFor = reading instanceof Promise && hasBody(ctx.req)
    ctx.state.body = await (isWaitedFor ? awaitWithinLimit(ctx, reading, bodyMs) : reading)
    await next()
  }
}

function awaitWithinLimit(
  ctx: Context,
  reading: Promise<unknown>,
  bodyMs: number,
): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      if (!ctx.res.headersSent) ctx.res.setHeader('Connection', 'close')
      reject(new Failure('request_timeout', 'The request took too long to arrive.'))
    }, bodyMs)
    // of a packed body only the request is told that no more of it comes
    runWhenClosed(ctx.res, () => {
      clearTimeout(timer)
      reject(clientLeftError)
    })
    reading.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}

export async function serveRoute(ctx: Context): Promise<void> {
  const { context } = ctx.service
  const { requestId, caller: principal, checked, body } = ctx.state
  const route = requireRoute(ctx)
  if (!checked) throw new Error('a request is served that was not checked')
  const { ids, conditions } = checked
  const call = { principal, requestId, ...conditions }
  const asked = { context, call, ids, query: checked.query, body }
  const served = await (checked.query === undefined ? route.serve(asked) : serveQuery(route, asked))
  if (served.persons && !isSealedFor(principal, route)) await recordShown(ctx, served)
  const answer = addEntityTag(await sealAnswer(ctx, served, route), route)
  const isOld = route.kind === 'read' && matchesIfNoneMatch(ctx, answer.etag)
  sendAnswer(ctx, answer, isOld ? 304 : (answer.status ?? route.status))
}

/** How long a page may wait for what another instance has shown. */
const shownMs = 1_000

type ListedQuery = Partial<Record<'minPosition' | 'after' | 'before', number>> &
  Pick<Partial<PageRequest>, 'cursor'>

/**
 * Refuses positions behind the end of the log and cursors that are not the service's, waits for the read models to
 * reach `min_position`, then runs the route. A read answers where they stood before it.
 */
async function serveQuery(route: Route, asked: Parameters<Route['serve']>[0]): Promise<Answer> {
  const { context, call, query } = asked
  const { minPosition, ...listed } = query as ListedQuery
  const { after, before, cursor } = listed
  await requireLogPositions(context, { min_position: minPosition, after, before })
  if (minPosition !== undefined) await waitForReadModels(context, minPosition)
  // another instance has shown what is before it, and may be ahead of this one
  if (before !== undefined) await context.projections.waitFor(before - 1, shownMs)
  const { principal } = call as { readonly principal: Principal | undefined }
  const signing = { keyring: context.keyring, principal }
  const own = cursor !== undefined && { cursor: readSignedCursor(signing, cursor) }
  const position = route.kind === 'read' && { position: context.projections.position() }
  const answer = await route.serve({ ...asked, query: { ...listed, ...own } })
  return signNextCursor(signing, { ...position, ...answer })
}

/** Throws `unavailable` where it cannot be recorded: nothing is shown then. */
async function recordShown(ctx: Context, { persons = [], chunks }: Answer): Promise<void> {
  const { caller, requestId, consoleToken, checked } = ctx.state
  const principal = caller as Principal
  const { account_id = '' } = checked?.ids ?? {}
  const account = 'accountId' in principal ? principal.accountId : account_id
  const named = /^[a-z]{1,32}$/.exec(ctx.get('X-Vigil-Screen'))?.[0] ?? 'console'
  const screen = consoleToken === undefined ? undefined : named
  const opened = { account, operation: requireRoute(ctx).operationId, screen, persons }
  try {
    await recordOpened(ctx.service.context, { principal, requestId }, opened)
  } catch (error) {
    chunks?.onClosed()
    throw error
  }
}

/** Whether the caller reads what the route shows by the scope `audit` alone, which opens no persons. */
function isSealedFor(caller: unknown, { admits }: Route): boolean {
  const scopes = typeof admits === 'object' && 'scopes' in admits ? admits.scopes : []
  return scopes.includes('audit') && !opensPersons(caller as Principal, scopes[0])
}

/** The answer as an auditor may read it, its text made in slices if it is long. */
async function sealAnswer(
  { service: { context }, state: { caller } }: Context,
  answer: Answer,
  route: Route,
): Promise<Answer> {
  const { answers, status } = route
  const schema = isSealedFor(caller, route) ? answers[answer.status ?? status]?.schema : undefined
  if (answer.isLong) {
    return { ...answer, value: await runInSlices(context, stringifySteps(answer.value, schema)) }
  }
  return schema ? { ...answer, value: sealPersons(answer.value, schema) } : answer
}

function addEntityTag(answer: Answer, { entity }: Route): Answer {
  const { value } = answer
  const isTagged = entity === 'tagged' || entity === 'both'
  if (!isTagged || typeof value !== 'object' || value === null) return answer
  return { etag: entityTag(value), ...answer }
}
