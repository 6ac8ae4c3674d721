/** The way of a request, from top to bottom in the order it happens; the answer comes back up the same way. */

import { Router } from '@koa/router'
import Koa from 'koa'
import type { Logger } from '../log.ts'
import type { Service } from '../service.ts'
import type { RequestState } from './context.ts'
import { admitRequests } from './middleware/admitRequests.ts'
import { catchFailures } from './middleware/catchFailures.ts'
import { identifyRequest } from './middleware/identifyRequest.ts'
import { logRequests } from './middleware/logRequests.ts'
import { measureRequests } from './middleware/measureRequests.ts'
import { refuseUnmatched } from './middleware/refuseUnmatched.ts'
import type { Route } from './route.ts'
import type { MetricsAccess } from './routes/metrics.ts'
import { listRoutes } from './routes.ts'

export interface AppOptions {
  readonly service: Service
  readonly logger: Logger
  /** Requests in progress at once, health not counted; more are answered 503. */
  readonly inFlightMax: number
  /** Proxies in front of the service whose `X-Forwarded-*` headers are believed. */
  readonly trustedProxies: number
  /** Who may read `/metrics`; the operator unless given. */
  readonly metricsAccess?: MetricsAccess
}

/** The application; `server.ts` listens for it. */
export function buildApp(options: AppOptions) {
  const { service, logger, inFlightMax, trustedProxies, metricsAccess } = options
  const app = new Koa<RequestState>({ proxy: trustedProxies > 0, maxIpsCount: trustedProxies })
  app.use(identifyRequest)
  app.use(measureRequests(service.metrics.requests))
  app.use(logRequests(logger))
  app.use(catchFailures(logger))
  app.use(admitRequests(inFlightMax, service.metrics.requests))
  app.use(routeRequests(listRoutes(service, metricsAccess)))
  app.use(refuseUnmatched)
  // what still arrives here happened to a connection after its answer was decided
  app.on('error', (err: unknown) => logger.debug({ err }, 'connection failed'))
  return app
}

function routeRequests(routes: readonly Route[]) {
  const router = new Router<RequestState>({ strict: true, sensitive: true })
  for (const { method, path, handle } of routes) {
    router.register(path.replaceAll('{', ':').replaceAll('}', ''), [method], handle)
  }
  return router.routes()
}
