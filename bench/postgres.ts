/** A whole evaluation over HTTP against what a team would build in place of the service: every person new, on both. */

import type { Benchmark } from './benchmark.ts'
import { startHelper, startVigil, temporaryFolder } from './childProcess.ts'
import { connections, type Loaded } from './evalFigures.ts'
import {
  type Asked,
  bodyOf,
  loadEvals,
  openNewPeople,
  type People,
  type Server,
} from './evalLoad.ts'
import { type Figure, figureOf, type Question, type Target } from './figure.ts'
import type { PostgresOrder } from './postgresServer.ts'
import { aboutServer, makeTable } from './postgresTable.ts'
import { settled } from './readiness.ts'
import { openShop } from './shop.ts'
import { sixtyRules } from './sixtyRules.ts'
import { median, ratios } from './statistics.ts'

/** How requests come: as fast as they are answered, or so many a second, timed from when they are due. */
type Pace = Pick<People, 'perSecond' | 'connections'>

const paces = {
  closed: {},
  at200: { perSecond: 200, connections: 128 },
  at500: { perSecond: 500, connections: 128 },
} satisfies Record<string, Pace>
type PaceName = keyof typeof paces
const paceNames = Object.keys(paces) as readonly PaceName[]

/** Runs when the environment names a database to work in, in which it makes a table of its own and removes it. */
export const postgres: Benchmark = async ({ size }) => {
  const url = process.env['BENCH_POSTGRES_URL']
  if (!url) return { notRun: 'BENCH_POSTGRES_URL=postgres://… names no PostgreSQL to compare with' }
  const about = await aboutServer(url)
  const removeTable = await makeTable(url)
  const folder = temporaryFolder()
  const vigil = await startVigil(folder.path)
  const other = startHelper('./postgresServer.ts')
  const load = startHelper('./loadGenerator.ts')
  try {
    const shop = await openShop(vigil.port, sixtyRules)
    const order: PostgresOrder = { token: shop.token, url, pool }
    const theirs = { port: await other.ask<number>(order), pid: other.pid }
    const asked: Asked = {
      load,
      shop,
      durationMs: { full: 10_000, quick: 2_500, smallest: 100 }[size],
    }
    const servers = { ours: vigil, theirs }
    return figuresOf(await rounds(asked, servers, { full: 7, quick: 5, smallest: 1 }[size]), about)
  } finally {
    for (const helper of [load, other]) await helper.stop()
    await vigil.stop()
    folder.remove()
    await removeTable()
  }
}

/** Of the numbers of connections to the database that were tried the one with which the reference answers most. */
const pool = 16

interface Both<One> {
  readonly ours: One
  readonly theirs: One
}

type Measured = Readonly<Record<PaceName, Both<Loaded[]>>>

/** Both in turn at each pace, so many times; what comes before the first time only warms them up. */
async function rounds(
  asked: Asked,
  { ours, theirs }: Both<Server>,
  count: number,
): Promise<Measured> {
  const newPeople = openNewPeople(asked.durationMs)
  const none = (): Both<Loaded[]> => ({ ours: [], theirs: [] })
  const measured: Measured = { closed: none(), at200: none(), at500: none() }
  for (let round = -1; round < count; round += 1) {
    for (const pace of paceNames) {
      await settled(ours.port)
      const people = { ...newPeople.next(), ...paces[pace] }
      const ofTheirs = await loadEvals(asked, theirs, people)
      const ofOurs = await loadEvals(asked, ours, people)
      newPeople.taken(Math.max(ofTheirs.requests, ofOurs.requests))
      assertAlike(ofOurs.sample, ofTheirs.sample)
      if (round < 0) continue
      measured[pace].ours.push(ofOurs)
      measured[pace].theirs.push(ofTheirs)
    }
  }
  return measured
}

/** Answers of which one is much shorter would be no comparison. */
function assertAlike(ours: Uint8Array, theirs: Uint8Array): void {
  const ratio = bodyOf(theirs).length / bodyOf(ours).length
  if (ratio < 0.9 || ratio > 1.1) throw new Error(`the answers differ in length: ${ratio}`)
}

interface Measure {
  readonly of: (loaded: Loaded) => number
  readonly text: (value: number) => string
}
const rate: Measure = {
  of: ({ requestsPerSecond }) => requestsPerSecond,
  text: (value) => `${value.toFixed(0)}/s`,
}
const p99: Measure = { of: ({ p99Ms }) => p99Ms, text: (value) => `${value.toFixed(1)} ms` }
/** Without what the database and its disk take. */
const processor = ({ processorUs }: Loaded): number => processorUs.reduce((sum, us) => sum + us, 0)

function figuresOf(measured: Measured, about: string): readonly Figure[] {
  const against = `Koa with router, body parser, ajv and a token check, the rules as hand-written JavaScript, a committed row for each answer: ${about}, ${pool} connections`
  const name = `POST /v2/watch/eval, ${connections} connections, durable, 60 rules, sealing on, embedded store, every person new`
  const compare = (
    pace: PaceName,
    { of, text }: Measure,
    question: Omit<Question, 'against'>,
  ): Figure => {
    const ours = measured[pace].ours.map(of)
    const theirs = measured[pace].theirs.map(of)
    const notes = [`Vigil ${text(median(ours))}, PostgreSQL ${text(median(theirs))}`]
    return figureOf({ ...question, against }, ratios(ours, theirs), notes)
  }
  const openLoop = (perSecond: number) =>
    `same, ${perSecond} requests a second whatever is answered, 128 connections`
  const unit = 'times its p99'
  return [
    compare('closed', rate, {
      name,
      unit: 'of its requests/s',
      target: { bound: 'at least', value: 1.5 },
    }),
    compare('closed', p99, { name: 'same, p99', unit, target: atMost(0.8) }),
    compare('at200', p99, { name: `${openLoop(200)}, p99`, unit, target: atMost(1.2) }),
    compare('at500', p99, { name: `${openLoop(500)}, p99`, unit, target: atMost(2) }),
    processorFigure('same, processor time of all threads for each request', measured.closed, 280),
    processorFigure(`${openLoop(200)}, processor time of all threads`, measured.at200, 1_100),
  ]
}

/** In absolute terms: the reference leaves its work to the database. */
function processorFigure(name: string, { ours, theirs }: Both<readonly Loaded[]>, most: number) {
  return figureOf(
    { name, against: 'nothing, in absolute terms', unit: 'µs', target: atMost(most) },
    ours.map(processor),
    [`Koa without the database ${median(theirs.map(processor)).toFixed(0)} µs`],
  )
}

function atMost(value: number): Target {
  return { bound: 'at most', value }
}
