import type { Next } from 'koa'
import type { Context } from '../request/context.ts'
import { routeOf } from './findRoute.ts'

/** Reads the parameters of the path and the query, and the headers that the route knows. */
export function checkRequest(ctx: Context, next: Next): Promise<void> {
  ctx.state.asked = routeOf(ctx).check(ctx)
  return next()
}
