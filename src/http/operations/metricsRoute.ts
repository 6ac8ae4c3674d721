/** Declares the routes for the Prometheus metrics (`GET /metrics`) and restricts access to them. */

import { defineRoute } from '../request/defineRoute.ts'
import { monitorAccess, publicAccess, type Route } from '../request/route.ts'

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
    failures: [],
    serve: async ({ context }) => ({
      status: 200,
      body: await context.metrics.text(),
      contentType,
    }),
  })
}
