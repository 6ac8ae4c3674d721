import type { Next } from 'koa'
import type { Context } from '../request/context.ts'
import { routeOf } from './findRoute.ts'

/** Finds who calls by the headers. Unauthorized requests are refused before anything else of them is read. */
export async function authenticate(ctx: Context, next: Next): Promise<void> {
  ctx.state.caller = await routeOf(ctx).admit(ctx)
  await next()
}
