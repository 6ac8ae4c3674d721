/** Builds the HTTP application: every middleware step of a request, in the order it runs. */

import Koa from 'koa'
import type { Service } from '../app/serviceContext.ts'
import type { Role } from '../domain/role.ts'
import { defaultSessionDomain } from '../domain/sessions/appId.ts'
import type { Logger } from '../log.ts'
import { findServedApp, peekServedApp } from '../queries/sessions/servedApps.ts'
import { allowAppOrigins, allowOrigins } from './middleware/allowOrigins.ts'
import { catchFailures, chooseErrors } from './middleware/catchFailures.ts'
import { limitConcurrency } from './middleware/limitConcurrency.ts'
import { limitRates, openTokenBuckets, type RateLimit } from './middleware/limitRates.ts'
import { limitTime } from './middleware/limitTime.ts'
import { identifyRequest, logRequests, measureRequests } from './middleware/recordRequests.ts'
import { openRefusalLogLimiter } from './middleware/refusalLogLimiter.ts'
import { rejectInvalidHeaders } from './middleware/rejectInvalidHeaders.ts'
import {
  rejectHostMismatch,
  requireApplication,
  resolveSessionHost,
} from './middleware/requestHost.ts'
import {
  authenticate,
  checkRequest,
  matchRoute,
  readBody,
  serveRoute,
} from './middleware/requestSteps.ts'
import { restrictToRole } from './middleware/restrictToRole.ts'
import type { MetricsAccess } from './operations/operationRoutes.ts'
import { ResponseAborted } from './request/body/streamBody.ts'
import type { RequestState, WithService } from './request/requestContext.ts'
import { listRoutes } from './routes.ts'
import type { FrontEndOptions } from './signals/frontEndRoutes.ts'

export interface AppOptions {
  readonly service: Service
  readonly logger: Logger
  /** Requests in progress at once, a quarter of them of one account; health, metrics and the operator's not counted. */
  readonly inFlightMax: number
  /** Proxies in front of the service whose `X-Forwarded-*` headers are believed. */
  readonly trustedProxies: number
  /** What this instance does: one that only runs projections answers for its own health only. Everything unless given. */
  readonly role?: Role
  /** Who may read `/metrics`; the operator unless given. */
  readonly metricsAccess?: MetricsAccess
  /** For each API token; none unless given. */
  readonly rateLimit?: RateLimit | undefined
  /** What front ends may send, and what of their connections is believed; as usual unless given. */
  readonly frontEnds?: Omit<FrontEndOptions, 'trustedProxies' | 'rates'>
  /** How many refusals of a code are logged in a second; see `openRefusalLogLimiter`. */
  readonly linesPerSecond?: number
  /** How long a request may take before it is answered 503; 15 seconds unless given. */
  readonly answerMs?: number
  /** How long its body may take to arrive before it is answered 408; 10 seconds unless given. */
  readonly bodyMs?: number
  /** Hosts of applications are those right below it; `session.localhost` unless given. */
  readonly sessionDomain?: string
  /** The clock of the rates, which never goes back; the time since the process started unless given. */
  readonly nowMs?: () => number
}

/** Builds the Koa application; `server.ts` serves it. */
export function buildApp(options: AppOptions): Koa<RequestState, WithService> {
  const { service, logger, inFlightMax, trustedProxies, metricsAccess, rateLimit, role } = options
  const {
    linesPerSecond,
    // shorter than the time a stopping process waits for its last answers
    answerMs = 15_000,
    bodyMs = 10_000,
    nowMs = () => performance.now(),
    sessionDomain = defaultSessionDomain,
  } = options
  const { context } = service
  const meter = context.metrics.requests
  const rates = openTokenBuckets(nowMs)
  const routes = listRoutes({
    metricsAccess,
    frontEnds: { ...options.frontEnds, trustedProxies, rates },
  })
  const main = routes.filter(({ host }) => host === 'main')
  const isLogged = openRefusalLogLimiter({ logger, meter, linesPerSecond })

  const app = new Koa<RequestState, WithService>({
    proxy: trustedProxies > 0,
    maxIpsCount: trustedProxies,
  })
  Object.assign(app.context, { service } satisfies WithService)
  app.use(identifyRequest)
  app.use(resolveSessionHost({ sessionDomain, trustedProxies }))
  app.use(allowOrigins(main))
  app.use(allowAppOrigins((appId) => peekServedApp(context, appId)))
  app.use(measureRequests(meter))
  app.use(logRequests(logger))
  app.use(catchFailures({ logger, isLogged, errorsOf: chooseErrors(main) }))
  app.use(limitTime({ answerMs, meter }))
  app.use(rejectInvalidHeaders)
  app.use(rejectHostMismatch({ sessionDomain, trustedProxies }))
  app.use(restrictToRole(role))
  app.use(requireApplication((appId) => findServedApp(context, appId)))
  app.use(matchRoute(routes))
  app.use(authenticate)
  app.use(limitRates({ rateLimit, rates, meter }))
  app.use(checkRequest)
  app.use(limitConcurrency({ inFlightMax, meter }))
  app.use(readBody(bodyMs))
  app.use(serveRoute)
  // what still arrives here happened to a connection after its answer was decided
  app.on('error', (err: unknown) => {
    if (err instanceof ResponseAborted) logger.error({ err: err.cause }, err.message)
    else logger.debug({ err }, 'connection failed')
  })
  return app
}
