/** Counts HTTP requests and measures their durations (`vigil_http_…`) by route pattern. */

import { Counter, Histogram, type Registry } from 'prom-client'
import { openGauge, openLabeledCounter } from './instruments.ts'

interface AnsweredRequest {
  readonly method: string
  /** The route's path as a pattern; undefined when no route took the request. */
  readonly route: string | undefined
  readonly status: number
  readonly seconds: number
}

/** The labels of a request without a route: its own path and method are chosen by the caller. */
const unrouted = { route: 'none', method: 'any' }

/** The requests of one route and method. */
interface Series {
  readonly method: string
  readonly route: string
  readonly observe: (seconds: number) => void
  /** Requests by status. */
  readonly statuses: Map<number, number>
}

/** Opens the meter in the registry. A request costs two map lookups; texts are made when the metrics are read. */
export function openRequestMeter(registry: Registry) {
  const registers = [registry]
  const known = new Map<string, Map<string, Series>>()
  let inFlight = 0
  const durations = new Histogram({
    name: 'vigil_http_request_duration_seconds',
    help: 'From the arrival of the headers of a request to its answer.',
    labelNames: ['method', 'route'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers,
  })
  openGauge(registry, {
    name: 'vigil_http_requests_in_flight',
    help: 'Requests that have arrived and are not answered.',
  })(() => inFlight)
  registerRequestCounter(registry, known)

  const seriesOf = (method: string, route: string): Series => {
    const methods = known.get(route) ?? new Map<string, Series>()
    const series = methods.get(method) ?? {
      method,
      route,
      observe: durations.labels({ method, route }).observe,
      statuses: new Map(),
    }
    known.set(route, methods.set(method, series))
    return series
  }

  return {
    countStart: (): void => {
      inFlight += 1
    },
    countAnswer: ({ method, route, status, seconds }: AnsweredRequest): void => {
      inFlight -= 1
      const { observe, statuses } =
        route === undefined ? seriesOf(unrouted.method, unrouted.route) : seriesOf(method, route)
      observe(seconds)
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
    },
    /** Counts a request that was refused before its work began. */
    countRefusal: openLabeledCounter(registry, {
      name: 'vigil_http_requests_refused_total',
      help: 'Requests refused: the queue is full, their account over its share, their token over its rate, or not done in time.',
      label: 'reason',
      values: ['busy', 'account_busy', 'heavy_reads', 'rate_limited', 'too_slow'],
    }),
    /** Counts a refusal of this code that was not logged, because too many like it were. */
    countUnlogged: openLabeledCounter<string>(registry, {
      name: 'vigil_http_requests_unlogged_total',
      help: 'Refused requests without a line in the log, because too many like them had one.',
      label: 'code',
    }),
    /** Sets the function that tells how many requests wait for a slot. */
    watchQueue: openGauge(registry, {
      name: 'vigil_http_requests_waiting',
      help: 'Requests that have arrived and are queued.',
    }),
  }
}

function registerRequestCounter(
  registry: Registry,
  known: ReadonlyMap<string, ReadonlyMap<string, Series>>,
): void {
  const requests = new Counter({
    name: 'vigil_http_requests_total',
    help: 'Requests answered, and those whose client disconnected while they were queued (status 499).',
    labelNames: ['method', 'route', 'status'],
    registers: [registry],
    collect: (): void => {
      requests.reset()
      for (const methods of known.values()) {
        for (const { method, route, statuses } of methods.values()) {
          for (const [status, count] of statuses) requests.inc({ method, route, status }, count)
        }
      }
    },
  })
}
