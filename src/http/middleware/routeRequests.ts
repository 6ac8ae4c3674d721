/** Finds the route of a request. */

import { Router } from '@koa/router'
import { Failure } from '../../domain/failure.ts'
import type { Context, RequestState } from '../request/context.ts'
import type { Host, Route } from '../request/route.ts'

type Handles = Map<string, Route['handle']>

/**
 * Hands a request to its route. A path without parameters is looked up, and what has it is all there is: `…/rules/test` is never
 * taken for the id of a rule. The others are left to the router, which tries one pattern after another. `HEAD` is answered as
 * `GET`, without the body. Throws `not_found` for a path that nothing has, and `method_not_allowed` for one that has other methods,
 * with their list in `Allow`; `OPTIONS` is answered with that list alone.
 */
export function routeRequests(routes: readonly Route[]) {
  const fixed = new Map<string, Handles>()
  const router = new Router<RequestState>({ strict: true, sensitive: true })
  for (const { method, path, handle } of routes) {
    if (path.includes('{')) router.register(patternOf(path), [method], handle)
    else addTo(fixed, { method, path, handle })
  }
  const routed = router.routes()
  const all = new Set(routes.flatMap(({ method }) => namesOf(method)))

  return async function routeRequests(ctx: Parameters<typeof routed>[0]): Promise<void> {
    // of the request itself: on the context the same is asked for by name, which takes longer
    const { path, method } = ctx.request
    const handles = fixed.get(path)
    const handle = handles?.get(method)
    if (handle) await handle(ctx)
    else if (handles) refuseMethod(ctx, handles.keys())
    else if (path === '*' && method === 'OPTIONS') refuseMethod(ctx, all)
    else await routed(ctx, async () => refuseUnmatched(ctx))
  }
}

function patternOf(path: string): string {
  return path.replaceAll('{', ':').replaceAll('}', '')
}

function addTo(
  fixed: Map<string, Handles>,
  { method, path, handle }: Pick<Route, 'method' | 'path' | 'handle'>,
): void {
  const handles = fixed.get(path) ?? new Map()
  for (const name of namesOf(method)) handles.set(name, handle)
  fixed.set(path, handles)
}

function namesOf(method: string): readonly string[] {
  return method === 'GET' ? ['HEAD', 'GET'] : [method]
}

function refuseUnmatched(ctx: Context): void {
  const { matched = [] } = ctx
  if (matched.length === 0) throw new Failure('not_found', 'There is nothing at this path.')
  refuseMethod(ctx, new Set(matched.flatMap((layer) => layer.methods)))
}

function refuseMethod(ctx: Context, methods: Iterable<string>): void {
  ctx.res.setHeader('Allow', [...methods, 'OPTIONS'].join(', '))
  if (ctx.method !== 'OPTIONS') {
    throw new Failure('method_not_allowed', 'The path does not have this method; see Allow.')
  }
  ctx.status = 204
}

/** Serves a request, or throws what it is refused for. */
export type Serve = ReturnType<typeof routeRequests>

/** The main host, and those of applications: neither serves anything of the other. */
export function serveHost({ main, session }: Readonly<Record<Host, Serve>>): Serve {
  return (ctx) => (ctx.state.sessionHost === undefined ? main(ctx) : session(ctx))
}
