/** Steps that wait for nothing, taken together: each as a middleware of its own would cost every request a promise and two functions. */

import type { Next } from 'koa'
import type { Context } from '../request/context.ts'

/** What is done for a request before it goes on; what it throws is what the request is refused for. */
export type Step = (ctx: Context) => void

/** Takes the steps in their order. */
export function takeSteps(...steps: readonly Step[]) {
  return function takeSteps(ctx: Context, next: Next): Promise<void> {
    for (const step of steps) step(ctx)
    return next()
  }
}
