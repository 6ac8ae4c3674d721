/** The figures of evaluations over HTTP, from what was measured of them and of the servers that they are compared with. */

import { type Figure, figureOf, type Target } from './figure.ts'
import type { LoadReport } from './loadGenerator.ts'
import { median, ratios } from './statistics.ts'

export const connections = 64
/** Of those who ask one after the other rather than all at once. */
export const fewConnections = 4
export const peopleCount = 5_000

/** One round of a server. */
export interface Loaded extends LoadReport {
  /** Seconds that the projections were behind when the last answer had come. */
  readonly lagSeconds: number
  /** Processor time for each request, in microseconds: of the thread that answers, then of the others; empty where it is not known. */
  readonly processorUs: readonly number[]
}

/**
 * The rounds of both references, of the service with people that it has seen before, and with people that are all new; over few connections
 * of one reference and of people seen before.
 */
export type Measured = Readonly<
  Record<Reference | Ours | 'memoryOfFew' | 'knownOfFew', readonly Loaded[]>
>

type Reference = 'memory' | 'stringified'
type Ours = 'known' | 'fresh'

const server = 'Koa with router, body parser, ajv and a token check, answering the same bytes'
const againstMemory = `${server} from memory`
const againstStringified = `${server}, stringified for each request`

type Of = (loaded: Loaded) => number
const rate: Of = ({ requestsPerSecond }) => requestsPerSecond
const p99: Of = ({ p99Ms }) => p99Ms
const processor: Of = ({ processorUs }) => processorUs.reduce((sum, us) => sum + us, 0)

/** The figures, those of requests first. */
export function evalFigures(measured: Measured): readonly Figure[] {
  const { memory, known } = measured
  const name = `POST /v2/watch/eval, ${connections} connections, durable, 60 rules, sealing on, embedded store`
  const isTold = [...memory, ...known].every(({ processorUs }) => processorUs.length > 0)
  return [
    ...rateFigures(`${name}, ${peopleCount.toLocaleString('en')} people`, measured, 'known'),
    ...rateFigures('same, every person new', measured, 'fresh'),
    ...slowFigures('same', measured, 'known'),
    ...slowFigures('same, every person new', measured, 'fresh'),
    slowOfFewFigure(measured),
    ...(isTold ? [processorFigure(measured)] : []),
    leastFigure(measured),
    lagFigure(measured),
  ]
}

function rateFigures(name: string, measured: Measured, ours: Ours): readonly Figure[] {
  const targets = { known: [0.45, 0.75], fresh: [0.35, 0.6] } as const
  const [ofMemory, ofStringified] = targets[ours]
  const figure = (reference: Reference, value: number): Figure =>
    figureOf(
      {
        name,
        against: reference === 'memory' ? againstMemory : againstStringified,
        unit: 'of its requests/s',
        target: { bound: 'at least', value },
      },
      ratiosOf(measured, [ours, reference], rate),
      [`Vigil ${middle(measured[ours], rate)}/s, Koa ${middle(measured[reference], rate)}/s`],
    )
  return [figure('memory', ofMemory), figure('stringified', ofStringified)]
}

function slowFigures(name: string, measured: Measured, ours: Ours): readonly Figure[] {
  const figure = (reference: Reference, value: number): Figure =>
    figureOf(
      {
        name: `${name}, p99`,
        against: reference === 'memory' ? againstMemory : againstStringified,
        unit: 'times its p99',
        target: atMost(value),
      },
      ratiosOf(measured, [ours, reference], p99),
      [`Vigil ${middle(measured[ours], p99, 1)} ms, Koa ${middle(measured[reference], p99, 1)} ms`],
    )
  return [figure('memory', 2), figure('stringified', 1.5)]
}

function slowOfFewFigure(measured: Measured): Figure {
  const { memoryOfFew, knownOfFew } = measured
  return figureOf(
    {
      name: `same, ${fewConnections} connections, p99`,
      against: againstMemory,
      unit: 'times its p99',
      target: atMost(5),
    },
    ratiosOf(measured, ['knownOfFew', 'memoryOfFew'], p99),
    [
      `Vigil ${middle(knownOfFew, p99, 2)} ms and ${middle(knownOfFew, rate)}/s, Koa ${middle(memoryOfFew, p99, 2)} ms and ${middle(memoryOfFew, rate)}/s`,
    ],
  )
}

function processorFigure(measured: Measured): Figure {
  const { memory, known, fresh } = measured
  return figureOf(
    {
      name: 'same, processor time of all threads for each request',
      against: againstMemory,
      unit: 'times its processor time',
      target: atMost(4),
    },
    ratiosOf(measured, ['known', 'memory'], processor),
    [
      `Vigil ${threadsOf(known)}, with every person new ${threadsOf(fresh)}; Koa ${threadsOf(memory)}`,
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

function leastFigure({ memory, known }: Measured): Figure {
  const least = (rounds: readonly Loaded[]) => rounds.map(({ leastOfMost }) => leastOfMost)
  return figureOf(
    {
      name: `same, requests of the connection that is answered least of ${connections}`,
      against: 'those of the one that is answered most',
      unit: 'of them',
      target: { bound: 'at least', value: 0.8 },
    },
    least(known),
    [`Koa ${median(least(memory)).toFixed(2)}`],
  )
}

function lagFigure({ known, fresh, knownOfFew }: Measured): Figure {
  return figureOf(
    {
      name: 'same, projections behind at the end of a round',
      against: 'the head of the log',
      unit: 's',
      target: atMost(1),
    },
    [...known, ...fresh, ...knownOfFew].map(({ lagSeconds }) => lagSeconds),
  )
}

function atMost(value: number): Target {
  return { bound: 'at most', value }
}

function ratiosOf(
  measured: Measured,
  [ours, reference]: readonly [keyof Measured, keyof Measured],
  of: Of,
): readonly number[] {
  return ratios(measured[ours].map(of), measured[reference].map(of))
}

function middle(rounds: readonly Loaded[], of: Of, digits = 0): string {
  return median(rounds.map(of)).toFixed(digits)
}
