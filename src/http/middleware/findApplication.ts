import type { Next } from 'koa'
import { Failure } from '../../domain/failure.ts'
import type { FindServedApp } from '../../domain/servedApp.ts'
import type { Context } from '../request/context.ts'
import { allowOrigin, allowPreflight, isPreflight } from './allowAppOrigins.ts'

/**
 * Finds the application of a host that is not the main one. Such a host of no application has nothing: every path is `not_found`. Pages of the
 * origins that the application allows may ask with credentials, and those of no other.
 */
export function findApplication(find: FindServedApp) {
  return async function findApplication(ctx: Context, next: Next): Promise<void> {
    const { sessionHost } = ctx.state
    if (sessionHost === undefined) return next()
    const app = await find(sessionHost)
    // what was held before may have been of a moment ago
    const isAllowed = allowOrigin(ctx, app)
    if (!app) throw new Failure('not_found', 'There is nothing at this address.')
    ctx.state.app = app
    if (isAllowed && isPreflight(ctx)) allowPreflight(ctx)
    else await next()
  }
}
