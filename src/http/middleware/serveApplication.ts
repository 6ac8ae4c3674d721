/** Serves what is asked of the host of an application. */

import { Failure } from '../../domain/failure.ts'
import type { FindServedApp } from '../../domain/servedApp.ts'
import { allowOrigin, allowPreflight, isPreflight } from './allowAppOrigins.ts'
import type { Serve } from './routeRequests.ts'

/**
 * Finds the application and hands the request to its route. A host of no application has nothing: every path is `not_found`. Pages of the
 * origins that the application allows may ask with credentials, and those of no other.
 */
export function serveApplication(find: FindServedApp, serve: Serve): Serve {
  return async function serveApplication(ctx) {
    const app = await find(ctx.state.sessionHost ?? '')
    // what was held before may have been of a moment ago
    const isAllowed = allowOrigin(ctx, app)
    if (!app) throw new Failure('not_found', 'There is nothing at this address.')
    ctx.state.app = app
    if (isAllowed && isPreflight(ctx)) allowPreflight(ctx)
    else await serve(ctx)
  }
}
