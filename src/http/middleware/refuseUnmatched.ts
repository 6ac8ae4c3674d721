/** Answers what no route took. */

import { Failure } from '../../domain/failure.ts'
import type { Context } from '../request/context.ts'

/** 404 for a path that nothing has; for one that other methods have 405, or their list to `OPTIONS`. */
export function refuseUnmatched(ctx: Context): void {
  const { matched = [] } = ctx
  if (matched.length === 0) throw new Failure('not_found', 'There is nothing at this path.')
  const methods = new Set(matched.flatMap((layer) => layer.methods))
  ctx.res.setHeader('Allow', [...methods, 'OPTIONS'].join(', '))
  if (ctx.method !== 'OPTIONS') {
    throw new Failure('method_not_allowed', 'The path does not have this method; see Allow.')
  }
  ctx.status = 204
}
