/** The way of a request, from top to bottom in the order it happens; the answer comes back up the same way. */

import { randomUUID } from 'node:crypto'
import type { Next } from 'koa'
import Koa from 'koa'
import { Failure } from '../domain/failure.ts'
import type { LoopTurns } from '../domain/loopTurns.ts'
import type { Role } from '../domain/role.ts'
import { usualSessionDomain } from '../domain/sessionHost.ts'
import { isUuid } from '../domain/uuid.ts'
import type { Logger } from '../log.ts'
import type { Service } from '../service.ts'
import { isMonitoring } from './connections/isMonitoring.ts'
import { openArrivals } from './connections/knownSenders.ts'
import { admitRequests } from './middleware/admitRequests.ts'
import { allowAppOrigins } from './middleware/allowAppOrigins.ts'
import { allowOrigins } from './middleware/allowOrigins.ts'
import { catchFailures, chooseErrors } from './middleware/catchFailures.ts'
import { logRequests, measureRequests } from './middleware/logRequests.ts'
import { nameHost, refuseTwoHosts } from './middleware/nameHost.ts'
import { openRefusalLines } from './middleware/openRefusalLines.ts'
import { limitRates, openRates, type RateLimit } from './middleware/rates.ts'
import { refuseUnserved } from './middleware/refuseUnserved.ts'
import { routeRequests, serveHost } from './middleware/routeRequests.ts'
import { serveApplication } from './middleware/serveApplication.ts'
import type { MetricsAccess } from './operations/metricsRoute.ts'
import type { Context, RequestState } from './request/context.ts'
import { BrokenAnswer } from './request/streamBody.ts'
import { listRoutes } from './routes.ts'
import type { CountrySight } from './sessions/seenCountry.ts'
import type { FrontEndOptions } from './signals/frontEndRoutes.ts'

export interface AppOptions {
  readonly service: Service
  readonly logger: Logger
  /** Requests in progress at once, of which an account has a share; health, metrics and the operator's not counted. */
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
  readonly frontEnds?: Omit<FrontEndOptions & CountrySight, 'trustedProxies' | 'rates'>
  /** How many refusals of a code are logged in a second; see `openRefusalLines`. */
  readonly linesPerSecond?: number
  /** How long a request may take before it is answered 503; 15 seconds unless given. */
  readonly answerMs?: number
  /** Hosts of applications are those right below it; `session.localhost` unless given. */
  readonly sessionDomain?: string
  /** The clock of the rates, which never goes back; the time since the process started unless given. */
  readonly nowMs?: () => number
  /** The turns of the event loop; those of this thread unless given. */
  readonly turns?: LoopTurns
}

/** Below the time a stopping process waits for its last answers. */
const answerMsDefault = 15_000

/** The application, and what it knows of whoever arrives; `server.ts` listens for it. */
export function buildApp(options: AppOptions) {
  const { service, logger, inFlightMax, trustedProxies, metricsAccess, rateLimit } = options
  const {
    role,
    linesPerSecond,
    answerMs = answerMsDefault,
    nowMs = () => performance.now(),
    sessionDomain = usualSessionDomain,
  } = options
  const rates = openRates(nowMs)
  const meter = service.metrics.requests
  const routes = listRoutes(service, {
    metricsAccess,
    frontEnds: { ja4Header: undefined, ...options.frontEnds, trustedProxies, rates },
  })
  const main = routes.filter(({ host }) => host === 'main')
  const session = routes.filter(({ host }) => host === 'session')
  const arrivals = openArrivals(options.turns)
  const app = new Koa<RequestState>({ proxy: trustedProxies > 0, maxIpsCount: trustedProxies })
  app.use(
    takeSteps(
      identifyRequest,
      nameHost({ sessionDomain, trustedProxies }),
      allowOrigins(main),
      allowAppOrigins(service.peekServedApp),
    ),
  )
  app.use(measureRequests(meter))
  app.use(logRequests(logger))
  const isLogged = openRefusalLines({ logger, meter, linesPerSecond })
  app.use(catchFailures({ logger, isLogged, errorsOf: chooseErrors(main) }))
  app.use(admitRequests({ inFlightMax, answerMs, meter, arrivals, reach: service.reach }))
  app.use(
    takeSteps(
      refuseUnserved,
      ...(trustedProxies > 0 ? [refuseTwoHosts({ sessionDomain, trustedProxies })] : []),
      ...(role === 'projector' ? [refuseMisdirected] : []),
      ...(rateLimit ? [limitRates({ rateLimit, rates, meter })] : []),
    ),
  )
  app.use(
    serveHost({
      main: routeRequests(main),
      session: serveApplication(service.findServedApp, routeRequests(session)),
    }),
  )
  // what still arrives here happened to a connection after its answer was decided
  app.on('error', (err: unknown) => {
    if (err instanceof BrokenAnswer) logger.error({ err: err.cause }, err.message)
    else logger.debug({ err }, 'connection failed')
  })
  return Object.assign(app, { arrivals })
}

/** Takes the caller's `X-Request-Id` when it is a UUID, else a new one; nothing else of the caller's gets into the log by it. */
function identifyRequest(ctx: Context): void {
  const given = ctx.req.headers['x-request-id']
  const requestId = typeof given === 'string' && isUuid(given) ? given : randomUUID()
  ctx.state.requestId = requestId
  ctx.res.setHeader('X-Request-Id', requestId)
  ctx.res.setHeader('Cache-Control', 'no-store')
  ctx.res.setHeader('X-Content-Type-Options', 'nosniff')
}

/** What is done for a request before it goes on; what it throws is what the request is refused for. */
type Step = (ctx: Context) => void

/** Takes the steps in their order. */
export function takeSteps(...steps: readonly Step[]) {
  return function takeSteps(ctx: Context, next: Next): Promise<void> {
    for (const step of steps) step(ctx)
    return next()
  }
}

/**
 * Lets requests for health and metrics pass. Throws `misdirected_request` for all others (RFC 9110, 15.5.20), never `not_found`, which
 * could be read as an answer about what was asked for.
 */
function refuseMisdirected(ctx: Context): void {
  if (ctx.state.sessionHost !== undefined || !isMonitoring(ctx.path))
    throw new Failure('misdirected_request', misdirected)
}

const misdirected =
  'This instance only runs the projections (VIGIL_ROLE=projector): send requests to one with the role api or all.'
