/** Builds the HTTP application: every middleware step of a request, in the order it runs. */

import Koa from 'koa'
import type { Service } from '../app/serviceContext.ts'
import type { Config } from '../config.ts'
import { defaultSessionDomain } from '../domain/sessions/appId.ts'
import type { Logger } from '../log.ts'
import { findServedApp, peekServedApp } from '../queries/sessions/servedApps.ts'
import { allowOrigins } from './middleware/allowOrigins.ts'
import { catchFailures } from './middleware/catchFailures.ts'
import { passConsoleRequests } from './middleware/consoleRequests.ts'
import { limitConcurrency } from './middleware/limitConcurrency.ts'
import { limitRates, limitWrongTokens, openTokenBuckets } from './middleware/limitRates.ts'
import { limitTime } from './middleware/limitTime.ts'
import {
  identifyRequest,
  openRefusalLogLimiter,
  recordRequests,
} from './middleware/recordRequests.ts'
import { rejectInvalidHeaders } from './middleware/rejectInvalidHeaders.ts'
import { requireApplication, resolveSessionHost } from './middleware/requestHost.ts'
import {
  authenticate,
  checkRequest,
  matchRoute,
  readBody,
  serveRoute,
} from './middleware/requestSteps.ts'
import { restrictToRole } from './middleware/restrictToRole.ts'
import { serveConsole } from './middleware/serveConsole.ts'
import { ResponseAborted } from './request/answer.ts'
import type { RequestState, WithService } from './request/requestContext.ts'
import { listRoutes } from './routes.ts'

/** What is left out of the configuration is as it is by default. */
export interface AppOptions
  extends Pick<Config, 'inFlightMax' | 'trustedProxies'>,
    Partial<Pick<Config, 'role' | 'metricsAccess' | 'rateLimit' | 'sessionDomain'>> {
  readonly service: Service
  readonly logger: Logger
  readonly frontEnds?: Partial<Config['frontEnds']>
  /** How many refusals of a code are logged in a second; see `openRefusalLogLimiter`. */
  readonly linesPerSecond?: number
  /** How long a request may take before it is answered 503; 15 seconds unless given. */
  readonly answerMs?: number
  /** How long its body may take to arrive before it is answered 408; 10 seconds unless given. */
  readonly bodyMs?: number
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
  app.use(resolveSessionHost(sessionDomain, trustedProxies))
  app.use(allowOrigins(main, (appId) => peekServedApp(context, appId)))
  app.use(recordRequests(logger, meter))
  app.use(catchFailures({ logger, isLogged, routes: main }))
  app.use(limitTime(answerMs, meter))
  app.use(rejectInvalidHeaders)
  app.use(restrictToRole(role))
  app.use(requireApplication((appId) => findServedApp(context, appId)))
  app.use(passConsoleRequests)
  app.use(serveConsole())
  app.use(matchRoute(routes))
  app.use(limitWrongTokens(rates, { trustedProxies }))
  app.use(authenticate(limitRates(rates, rateLimit, meter)))
  app.use(checkRequest)
  app.use(limitConcurrency(inFlightMax, meter))
  app.use(readBody(bodyMs))
  app.use(serveRoute)
  // what still arrives here happened to a connection after its answer was decided
  app.on('error', (err: unknown) => {
    if (err instanceof ResponseAborted) logger.error({ err: err.cause }, err.message)
    else logger.debug({ err }, 'connection failed')
  })
  return app
}
