import type { Next } from 'koa'
import { reach } from '../../queries/reading/reached.ts'
import { sendAnswer, unchanged } from '../request/answer.ts'
import type { Context } from '../request/context.ts'
import { isKnown } from '../request/defineRoute.ts'
import { routeOf } from './findRoute.ts'

/** Carries the request out and answers it, once the read models have passed the position that it asks for. */
export function serveRoute(context: Parameters<typeof reach>[0]) {
  return async function serveRoute(ctx: Context, _next: Next): Promise<void> {
    const route = routeOf(ctx)
    const minPosition = minPositionOf(ctx.state.asked?.query)
    if (minPosition !== undefined) await reach(context, minPosition)
    const answer = await route.serve(ctx)
    const isOld = route.kind === 'read' && isKnown(ctx, answer.etag)
    sendAnswer(ctx, isOld ? unchanged(answer) : answer)
  }
}

/** See `Asking`. */
function minPositionOf(query: unknown): number | undefined {
  if (typeof query !== 'object' || query === null || !('minPosition' in query)) return undefined
  return typeof query.minPosition === 'number' ? query.minPosition : undefined
}
