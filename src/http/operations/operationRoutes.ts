/** Declares the routes for health, metrics and projections (operator). */

import { retryProjection } from '../../commands/operations/retryProjection.ts'
import {
  listProjections,
  projectionListSchema,
  projectionRetrySchema,
} from '../../queries/operations/projections.ts'
import {
  checkReadiness,
  livenessSchema,
  readinessSchema,
} from '../../queries/operations/readiness.ts'
import { monitorAccess, operatorAccess, publicAccess } from '../request/access.ts'
import { defineRoute, type Route } from '../request/route.ts'

const monitoring = {
  method: 'GET',
  tag: 'Health',
  kind: 'plain',
  access: publicAccess,
} as const

/** `/health/live` and `/health/ready`. */
export const healthRoutes: readonly Route[] = [
  defineRoute({
    ...monitoring,
    path: '/health/live',
    operationId: 'live',
    summary: 'Whether the process is alive',
    answers: { 200: { description: 'The process is alive.', schema: livenessSchema } },
    serve: async () => ({ value: { status: 'ok' } }),
  }),
  defineRoute({
    ...monitoring,
    path: '/health/ready',
    operationId: 'ready',
    summary: 'Whether stores are reachable and projections caught up',
    answers: {
      200: { description: 'Ready.', schema: readinessSchema },
      503: { description: 'Not ready.', schema: readinessSchema },
    },
    serve: async ({ context }) => {
      const health = await checkReadiness(context)
      return { status: health.ready ? 200 : 503, value: health }
    },
  }),
]

/** `open` admits anyone; `operator` admits the operator and tokens with the scope `operate`. */
export type MetricsAccess = 'open' | 'operator'

const contentType = 'text/plain; version=0.0.4; charset=utf-8'

/** `GET /metrics`, in the text format of Prometheus. */
export function metricsRoute(access: MetricsAccess): Route {
  return defineRoute<unknown, undefined, undefined, never>({
    method: 'GET',
    path: '/metrics',
    operationId: 'getMetrics',
    summary: 'Metrics for Prometheus',
    tag: 'Health',
    kind: 'plain',
    access: access === 'open' ? publicAccess : monitorAccess,
    answers: {
      200: {
        description: 'The text format 0.0.4 of Prometheus.',
        schema: { type: 'string' },
        contentType,
      },
    },
    serve: async ({ context }) => ({
      value: await context.metrics.text(),
      contentType,
    }),
  })
}

const path = '/v2/operator/projections'

const operators = { tag: 'Operator', access: operatorAccess } as const

/** `GET /v2/operator/projections` and the retry of one of them. */
export const projectionRoutes: readonly Route[] = [
  defineRoute({
    ...operators,
    method: 'GET',
    path,
    operationId: 'listProjections',
    summary: 'List the projections with progress and parked events',
    answers: { 200: { description: 'Every projection.', schema: projectionListSchema } },
    serve: async ({ context }) => {
      const { value, position } = await listProjections(context)
      return { value: { projections: value }, position }
    },
  }),
  defineRoute({
    ...operators,
    method: 'POST',
    path: `${path}/{name}/retry`,
    kind: 'plain',
    operationId: 'retryProjection',
    summary: 'Apply the parked events of a projection again; doing so twice is no error',
    ids: { name: 'name' },
    answers: { 200: { description: 'The results.', schema: projectionRetrySchema } },
    serve: async ({ context, ids }) => ({ value: await retryProjection(context, ids.name) }),
  }),
]
