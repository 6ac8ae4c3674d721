import type { Next } from 'koa'
import type { Metrics } from '../../metrics/openMetrics.ts'
import type { Context } from '../request/context.ts'

/** Measures under the pattern of the route, see `requestMeter`. */
export function measureRequests({ begun, answered }: Metrics['requests']) {
  return async function measureRequests(ctx: Context, next: Next): Promise<void> {
    const startMs = performance.now()
    begun()
    try {
      await next()
    } finally {
      answered({
        method: ctx.request.method,
        route: ctx.state.route?.path,
        status: ctx.response.status,
        seconds: (performance.now() - startMs) / 1_000,
      })
    }
  }
}
