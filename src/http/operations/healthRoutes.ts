/** Declares the routes for the liveness and readiness checks (`/health/live`, `/health/ready`). */

import { livenessSchema, readinessOf, readinessSchema } from '../../queries/operations/readiness.ts'
import { defineRoute } from '../request/defineRoute.ts'
import { publicAccess, type Route } from '../request/route.ts'

const common = {
  method: 'GET',
  tag: 'Health',
  kind: 'plain',
  access: publicAccess,
  failures: [],
} as const

/** `/health/live` and `/health/ready`. */
export const healthRoutes: readonly Route[] = [
  defineRoute({
    ...common,
    path: '/health/live',
    operationId: 'live',
    summary: 'Whether the process is alive',
    answers: { 200: { description: 'The process is alive.', schema: livenessSchema } },
    serve: async () => ({ status: 200, body: { status: 'ok' } }),
  }),
  defineRoute({
    ...common,
    path: '/health/ready',
    operationId: 'ready',
    summary: 'Whether stores are reachable and projections caught up',
    answers: {
      200: { description: 'Ready.', schema: readinessSchema },
      503: { description: 'Not ready.', schema: readinessSchema },
    },
    serve: async ({ context }) => {
      const health = await readinessOf(context)
      return { status: health.ready ? 200 : 503, body: health }
    },
  }),
]
