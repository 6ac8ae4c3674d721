/** Lets pages of every site ask the routes that are for them (Fetch standard, CORS protocol). */

import type { Next } from 'koa'
import type { Context } from '../request/context.ts'
import type { Route } from '../request/route.ts'

/** How long a browser may remember what it was allowed, in seconds. */
const rememberedSeconds = 7_200

/** What the script of a page may read of an answer beside its body. */
const exposed = 'Retry-After, X-Request-Id'

interface Allowed {
  readonly methods: string
  readonly headers: string
}

/**
 * Says so with every answer of these paths, the refusals of the door included, and answers the question a browser asks ahead (`OPTIONS`)
 * with what may be sent. No cookie and no `Authorization` is ever asked for, so every origin may be told the same.
 */
export function allowOrigins(routes: readonly Route[]) {
  const allowedAt = new Map<string, Allowed>()
  for (const { path, method, crossOrigin } of routes) {
    if (crossOrigin) allowedAt.set(path, { methods: method, headers: crossOrigin.join(', ') })
  }

  return function allowOrigins(ctx: Context, next: Next): Promise<void> {
    const allowed =
      ctx.state.sessionHost === undefined ? allowedAt.get(ctx.request.path) : undefined
    if (!allowed) return next()
    ctx.res.setHeader('Access-Control-Allow-Origin', '*')
    ctx.res.setHeader('Access-Control-Expose-Headers', exposed)
    if (ctx.method === 'OPTIONS') {
      ctx.res.setHeader('Access-Control-Allow-Methods', allowed.methods)
      ctx.res.setHeader('Access-Control-Allow-Headers', allowed.headers)
      ctx.res.setHeader('Access-Control-Max-Age', String(rememberedSeconds))
    }
    return next()
  }
}
