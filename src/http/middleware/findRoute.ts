/** Finds the route of a request. */

import { Router } from '@koa/router'
import type { Next } from 'koa'
import { Failure } from '../../domain/failure.ts'
import type { Context, RequestState } from '../request/context.ts'
import type { Route } from '../request/route.ts'

/** The routes of a path by their methods. */
type Methods = Map<string, Route>

/**
 * Finds the route among those of the host. A path without parameters is looked up, and what has it is all there is: `…/rules/test` is never
 * taken for the id of a rule. The others are left to the router, which tries one pattern after another. `HEAD` is answered as
 * `GET`, without the body. Throws `not_found` for a path that nothing has, and `method_not_allowed` for one that has other methods,
 * with their list in `Allow`; `OPTIONS` is answered with that list alone.
 */
export function findRoute(routes: readonly Route[]) {
  const main = findAmong(routes.filter(({ host }) => host === 'main'))
  const session = findAmong(routes.filter(({ host }) => host === 'session'))
  return function findRoute(ctx: Context, next: Next): Promise<void> {
    return ctx.state.sessionHost === undefined ? main(ctx, next) : session(ctx, next)
  }
}

/** The route that was found, without which no step behind is taken. */
export function routeOf({ state: { route } }: Context): Route {
  if (!route) throw new Error('no route was found')
  return route
}

function findAmong(routes: readonly Route[]) {
  const fixed = new Map<string, Methods>()
  const router = new Router<RequestState>({ strict: true, sensitive: true })
  for (const route of routes) {
    const { method, path } = route
    if (!path.includes('{')) addTo(fixed, route)
    else {
      router.register(patternOf(path), [method], (ctx, next) => {
        ctx.state.route = route
        return next()
      })
    }
  }
  const routed = router.routes()
  const all = new Set(routes.flatMap(({ method }) => namesOf(method)))

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
        if (ctx.state.route) await next()
        else refuseUnmatched(ctx)
      })
    }
  }
}

function patternOf(path: string): string {
  return path.replaceAll('{', ':').replaceAll('}', '')
}

function addTo(fixed: Map<string, Methods>, route: Route): void {
  const methods = fixed.get(route.path) ?? new Map()
  for (const name of namesOf(route.method)) methods.set(name, route)
  fixed.set(route.path, methods)
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
