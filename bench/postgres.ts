/** A whole evaluation over HTTP against what a team would build in place of the service: every person new, on both. */

import type { Benchmark } from './benchmark.ts'
import { startHelper, startVigil, temporaryFolder } from './childProcess.ts'
import { connections, type Loaded } from './evalFigures.ts'
import { type Asked, bodyOf, loadEvals, openNewPeople, type Server } from './evalLoad.ts'
import { type Figure, figureOf } from './figure.ts'
import type { PostgresOrder } from './postgresServer.ts'
import { aboutServer, makeTable } from './postgresTable.ts'
import { settled } from './readiness.ts'
import { openShop } from './shop.ts'
import { sixtyRules } from './sixtyRules.ts'
import { median, ratios } from './statistics.ts'

type Round = Pick<Loaded, 'requestsPerSecond' | 'p99Ms'>

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
    return figuresOf(
      await rounds(asked, { ours: vigil, theirs }, { full: 9, quick: 3, smallest: 1 }[size]),
      about,
    )
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

/** Both in turn, so many times; what comes before the first time only warms them up. */
async function rounds(
  asked: Asked,
  { ours, theirs }: Both<Server>,
  count: number,
): Promise<Both<readonly Round[]>> {
  const newPeople = openNewPeople(asked.durationMs)
  const measured = { ours: [] as Round[], theirs: [] as Round[] }
  for (let round = -1; round < count; round += 1) {
    await settled(ours.port)
    const people = newPeople.next()
    const ofTheirs = await loadEvals(asked, theirs, people)
    const ofOurs = await loadEvals(asked, ours, people)
    newPeople.taken(Math.max(ofTheirs.requests, ofOurs.requests))
    if (round < 0) assertAlike(ofOurs.sample, ofTheirs.sample)
    else {
      measured.ours.push(ofOurs)
      measured.theirs.push(ofTheirs)
    }
  }
  return measured
}

/** Answers of which one is much shorter would be no comparison. */
function assertAlike(ours: Uint8Array, theirs: Uint8Array): void {
  const ratio = bodyOf(theirs).length / bodyOf(ours).length
  if (ratio < 0.9 || ratio > 1.1) throw new Error(`the answers differ in length: ${ratio}`)
}

function figuresOf({ ours, theirs }: Both<readonly Round[]>, about: string): readonly Figure[] {
  const of = (rounds: readonly Round[], name: keyof Round) => rounds.map((round) => round[name])
  const middle = (rounds: readonly Round[], name: keyof Round, digits: number) =>
    median(of(rounds, name)).toFixed(digits)
  const against = `Koa with router, body parser, ajv and a token check, the rules as hand-written JavaScript, a committed row for each answer: ${about}, ${pool} connections`
  const name = `POST /v2/watch/eval, ${connections} connections, durable, 60 rules, sealing on, embedded store, every person new`
  return [
    figureOf(
      { name, against, unit: 'of its requests/s', target: { bound: 'at least', value: 1.5 } },
      ratios(of(ours, 'requestsPerSecond'), of(theirs, 'requestsPerSecond')),
      [
        `Vigil ${middle(ours, 'requestsPerSecond', 0)}/s, PostgreSQL ${middle(theirs, 'requestsPerSecond', 0)}/s`,
      ],
    ),
    figureOf(
      {
        name: `${name}, p99`,
        against,
        unit: 'times its p99',
        target: { bound: 'at most', value: 0.8 },
      },
      ratios(of(ours, 'p99Ms'), of(theirs, 'p99Ms')),
      [`Vigil ${middle(ours, 'p99Ms', 1)} ms, PostgreSQL ${middle(theirs, 'p99Ms', 1)} ms`],
    ),
  ]
}
