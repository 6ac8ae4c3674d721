/**
 * The figures of evaluations over HTTP, from what was measured of them and of the server that they are compared with.
 */

import { type Figure, figureOf, type Target } from './figure.ts'
import type { LoadReport } from './loadGenerator.ts'
import { median, ratios } from './statistics.ts'

export const connections = 64
export const peopleCount = 5_000

/** One round of a server. */
export interface Loaded extends LoadReport {
  /**
   * Processor time for each request, in microseconds: of the thread that answers, then of the others; empty where it is
   * not known.
   */
  readonly processorUs: readonly number[]
}

/** One of the service. */
export interface LoadedService extends Loaded {
  /** Seconds that the projections were behind when the last answer had come. */
  readonly lagSeconds: number
  /** That one of a hundred delays of the event loop was longer than, in milliseconds. */
  readonly delayMs: number
}

/**
 * The rounds of the reference, of the service with people that it has seen before, and with people that are all new.
 */
export interface Measured {
  readonly reference: readonly Loaded[]
  readonly known: readonly LoadedService[]
  readonly fresh: readonly LoadedService[]
}

const against =
  'Koa with router, body parser, ajv and a token check, answering the same bytes, stringified for each request'

type Of = (loaded: Loaded) => number
const rate: Of = ({ requestsPerSecond }) => requestsPerSecond
const p99: Of = ({ p99Ms }) => p99Ms
const processor: Of = ({ processorUs }) => processorUs.reduce((sum, us) => sum + us, 0)

/** The figures, those of requests first. */
export function evalFigures(measured: Measured): readonly Figure[] {
  const { reference, fresh } = measured
  const name = `POST /v2/watch/eval, ${connections} connections, durable, 60 rules, sealing on, embedded store`
  const people = `${peopleCount.toLocaleString('en')} people`
  const isTold = [...reference, ...fresh].every(({ processorUs }) => processorUs.length > 0)
  return [
    rateFigure(`${name}, every person new`, measured, { ours: 'fresh', least: 0.5 }),
    rateFigure(`same, ${people}`, measured, { ours: 'known', least: 0.52 }),
    slowFigure('same, every person new', measured, { ours: 'fresh', most: 2.2 }),
    slowFigure(`same, ${people}`, measured, { ours: 'known', most: 2 }),
    ...(isTold ? [processorFigure(measured)] : []),
    delayFigure(measured),
    lagFigure(measured),
  ]
}

type Ours = 'known' | 'fresh'

function rateFigure(
  name: string,
  measured: Measured,
  { ours, least }: { readonly ours: Ours; readonly least: number },
): Figure {
  return figureOf(
    { name, against, unit: 'of its requests/s', target: { bound: 'at least', value: least } },
    ratiosOf(measured, ours, rate),
    [`Vigil ${middle(measured[ours], rate)}/s, Koa ${middle(measured.reference, rate)}/s`],
  )
}

function slowFigure(
  name: string,
  measured: Measured,
  { ours, most }: { readonly ours: Ours; readonly most: number },
): Figure {
  return figureOf(
    { name: `${name}, p99`, against, unit: 'times its p99', target: atMost(most) },
    ratiosOf(measured, ours, p99),
    [`Vigil ${middle(measured[ours], p99, 1)} ms, Koa ${middle(measured.reference, p99, 1)} ms`],
  )
}

function processorFigure(measured: Measured): Figure {
  const { reference, known, fresh } = measured
  return figureOf(
    {
      name: 'same, every person new, processor time of all threads for each request',
      against,
      unit: 'times its processor time',
      target: atMost(2.4),
    },
    ratiosOf(measured, 'fresh', processor),
    [
      `Vigil ${threadsOf(fresh)}, of people seen before ${threadsOf(known)}; Koa ${threadsOf(reference)}`,
    ],
  )
}

/** What threads have had less of than that is not named. */
const namedUs = 1

function threadsOf(rounds: readonly Loaded[]): string {
  const most = Math.max(...rounds.map(({ processorUs }) => processorUs.length))
  const threads = Array.from({ length: most }, (_, at) =>
    median(rounds.map(({ processorUs }) => processorUs[at] ?? 0)),
  )
  const named = threads.filter((us) => us >= namedUs).map((us) => us.toFixed(0))
  return `${middle(rounds, processor)} µs (${named.join(' + ')})`
}

function delayFigure({ known, fresh }: Measured): Figure {
  return figureOf(
    {
      name: 'same, delay of the event loop, p99',
      against: 'nothing, in absolute terms',
      unit: 'ms',
      target: atMost(25),
    },
    [...known, ...fresh].map(({ delayMs }) => delayMs),
  )
}

function lagFigure({ known, fresh }: Measured): Figure {
  return figureOf(
    {
      name: 'same, projections behind at the end of a round',
      against: 'the head of the log',
      unit: 's',
      target: atMost(1),
    },
    [...known, ...fresh].map(({ lagSeconds }) => lagSeconds),
  )
}

function atMost(value: number): Target {
  return { bound: 'at most', value }
}

function ratiosOf(measured: Measured, ours: Ours, of: Of): readonly number[] {
  return ratios(measured[ours].map(of), measured.reference.map(of))
}

function middle(rounds: readonly Loaded[], of: Of, digits = 0): string {
  return median(rounds.map(of)).toFixed(digits)
}
