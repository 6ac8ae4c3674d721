/** Counts HTTP requests and their duration by route pattern (`vigil_http_…`), never by path. */

import { Counter, Gauge, Histogram, type Registry } from 'prom-client'

export interface RequestMeter {
  readonly begun: () => void
  readonly answered: (request: AnsweredRequest) => void
  /** A request that was sent away before its work began. */
  readonly refused: (reason: RefusalReason) => void
  /** A refusal of this code that has no line in the log, because too many like it had. */
  readonly unlogged: (code: string) => void
  /** Says how it is asked how many requests wait for a place. */
  readonly watchQueue: (waiting: () => number) => void
}

interface AnsweredRequest {
  readonly method: string
  /** The route's path as a pattern; undefined when no route took the request. */
  readonly route: string | undefined
  readonly status: number
  readonly seconds: number
}

const refusalReasons = ['busy', 'account_busy', 'heavy_reads', 'rate_limited', 'too_slow'] as const

type RefusalReason = (typeof refusalReasons)[number]

/** What stands for the route and the method of a request that no route took: both are the caller's invention. */
const unrouted = { route: 'none', method: 'any' }

const secondsBuckets = [
  0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
] as const

/** The requests of one route and method. */
interface Series {
  readonly method: string
  readonly route: string
  readonly observe: (seconds: number) => void
  /** Requests by status. */
  readonly statuses: Map<number, number>
}

/** Opens the meter in the registry. A request costs two map lookups; texts are made when the metrics are read. */
export function openRequestMeter(registry: Registry): RequestMeter {
  const known = new Map<string, Map<string, Series>>()
  const inFlight = openInFlight(registry)
  const refusals = openRefusals(registry)
  const durations = new Histogram({
    name: 'vigil_http_request_duration_seconds',
    help: 'From the arrival of the headers of a request to its answer.',
    labelNames: ['method', 'route'],
    buckets: [...secondsBuckets],
    registers: [registry],
  })
  countRequests(registry, known)

  const newSeries = (method: string, route: string): Series => {
    const { observe } = durations.labels({ method, route })
    return { method, route, observe, statuses: new Map() }
  }

  return {
    begun: () => {
      inFlight.count += 1
    },
    answered: ({ method, route, status, seconds }) => {
      inFlight.count -= 1
      const series =
        route === undefined
          ? seriesOf(known, unrouted, newSeries)
          : seriesOf(known, { method, route }, newSeries)
      series.observe(seconds)
      series.statuses.set(status, (series.statuses.get(status) ?? 0) + 1)
    },
    refused: (reason) => {
      refusals[reason] += 1
    },
    unlogged: openUnlogged(registry),
    watchQueue: queueWatch(registry),
  }
}

function seriesOf(
  known: Map<string, Map<string, Series>>,
  { method, route }: { readonly method: string; readonly route: string },
  make: (method: string, route: string) => Series,
): Series {
  let methods = known.get(route)
  if (!methods) {
    methods = new Map()
    known.set(route, methods)
  }
  let series = methods.get(method)
  if (!series) {
    series = make(method, route)
    methods.set(method, series)
  }
  return series
}

function countRequests(
  registry: Registry,
  known: ReadonlyMap<string, ReadonlyMap<string, Series>>,
): void {
  const requests = new Counter({
    name: 'vigil_http_requests_total',
    help: 'Requests answered, and those whose client left before their turn came (status 499).',
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

function openInFlight(registry: Registry): { count: number } {
  const inFlight = { count: 0 }
  const gauge = new Gauge({
    name: 'vigil_http_requests_in_flight',
    help: 'Requests that have arrived and are not answered.',
    registers: [registry],
    collect: (): void => gauge.set(inFlight.count),
  })
  return inFlight
}

function queueWatch(registry: Registry): RequestMeter['watchQueue'] {
  let ask = (): number => 0
  const gauge = new Gauge({
    name: 'vigil_http_requests_waiting',
    help: 'Requests that have arrived and wait for a place.',
    registers: [registry],
    collect: (): void => gauge.set(ask()),
  })
  return (waiting) => {
    ask = waiting
  }
}

function openUnlogged(registry: Registry): RequestMeter['unlogged'] {
  const unlogged = new Counter({
    name: 'vigil_http_requests_unlogged_total',
    help: 'Refused requests without a line in the log, because too many like them had one.',
    labelNames: ['code'],
    registers: [registry],
  })
  return (code) => unlogged.inc({ code })
}

function openRefusals(registry: Registry): Record<RefusalReason, number> {
  const counts = Object.fromEntries(refusalReasons.map((reason) => [reason, 0])) as Record<
    RefusalReason,
    number
  >
  const refused = new Counter({
    name: 'vigil_http_requests_refused_total',
    help: 'Requests sent away: no room for them, over the share of their account or the rate of their token, or not done in time.',
    labelNames: ['reason'],
    registers: [registry],
    collect: (): void => {
      refused.reset()
      for (const [reason, count] of Object.entries(counts)) refused.inc({ reason }, count)
    },
  })
  return counts
}
