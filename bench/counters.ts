/** What counters cost: evaluations that read ten, their projection, many keys, and backtests. */

import { cpSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { awaitBacktest } from './awaitBacktest.ts'
import type { Benchmark } from './benchmark.ts'
import { type Started, startHelper, startVigil, temporaryFolder } from './childProcess.ts'
import type { Loaded } from './evalFigures.ts'
import { type Asked, loadEvals, openNewPeople } from './evalLoad.ts'
import { type Figure, figureOf } from './figure.ts'
import type { KeysOrder } from './fillCounters.ts'
import { residentMebibytes } from './memory.ts'
import { settled } from './readiness.ts'
import { openShop, type Shop, send } from './shop.ts'
import { sixtyRules } from './sixtyRules.ts'
import { median, ratios } from './statistics.ts'

/** Ten counters of four shapes of keys, of which the third begins with so many characters of the number. */
const neverWith = (chars: number): readonly string[] => {
  const counts = (by: string, windows: readonly string[]) =>
    windows.map((window) => `count(evaluations, by(${by}), "${window}") < 0`)
  return [
    ...counts('target.phone_number', ['10m', '1h', '24h']),
    ...counts('target.email_address', ['10m', '1h', '24h']),
    ...counts(`prefix(target.phone_number, ${chars})`, ['10m', '24h']),
    ...counts('signal.ext.cart_total', ['10m', '1h']),
  ]
}
/** Of everybody another key; and one that a hundred people share who come at the same time. */
const never = neverWith(16)
const neverShared = neverWith(9)
/** Rules that read as much, and count nothing. */
const plain = [
  ...Array.from({ length: 3 }, (_, at) => `target.phone_number == "+${at}"`),
  ...Array.from({ length: 3 }, (_, at) => `target.email_address == "${at}@example.com"`),
  ...Array.from({ length: 2 }, (_, at) => `target.phone_number.startsWith("+${at}")`),
  ...Array.from({ length: 2 }, (_, at) => `signal.ext.cart_total == "${at}"`),
]

const manyKeys = { full: 10_000_000, quick: 200_000, smallest: 2_000 }
const fewKeys = { full: 100_000, quick: 10_000, smallest: 200 }
/** Until every instance has followed the rulebook, and what was evaluated before is counted. */
const warmMs = 3_000
/** As many as an account may have series. */
const keysOfEvent = 16
/** How long counting all keys may take. */
const foldMs = 3_600_000

export const counterCosts: Benchmark = async ({ size }) => {
  const folder = temporaryFolder()
  const load = startHelper('./loadGenerator.ts')
  const durationMs = { full: 8_000, quick: 2_000, smallest: 200 }[size]
  const rounds = { full: 7, quick: 3, smallest: 1 }[size]
  let vigil = await startVigil(folder.path)
  try {
    const without = await openWith(vigil.port, plain)
    const counting = await openWith(vigil.port, never)
    const shared = await openWith(vigil.port, neverShared)
    for (const shop of [counting, shared]) await warm(vigil.port, shop)
    const newPeople = openNewPeople(durationMs)
    const found = { without: openLoads(), counting: openLoads(), shared: openLoads() }
    const shops = Object.entries({ without, counting, shared })
    for (let round = -1; round < rounds; round += 1) {
      for (const [name, shop] of shops) {
        const asked: Asked = { load, shop, durationMs }
        await settled(vigil.port)
        const known = await loadEvals(asked, vigil)
        await settled(vigil.port)
        const fresh = await loadEvals(asked, vigil, newPeople.next())
        newPeople.taken(fresh.requests)
        if (round < 0) continue
        const of = found[name as keyof typeof found]
        of.known.push(known)
        of.fresh.push(fresh)
      }
    }
    await settled(vigil.port)
    const backtests = await timeBacktests(vigil.port, { counting, rounds })
    const events = await headOf(vigil.port)
    await vigil.stop()
    for (const file of ['views.db', 'views.db-wal', 'views.db-shm'])
      rmSync(join(folder.path, file), { force: true })
    const begunMs = performance.now()
    vigil = await startVigil(folder.path)
    await settled(vigil.port)
    const builtPerSecond = (events * 1_000) / (performance.now() - begunMs)
    await vigil.stop()
    const keys = await measureKeys(folder.path, { load, shop: counting, durationMs }, size)
    return [...evalRows(found), projectionRow(found, builtPerSecond), ...keys, ...backtests]
  } finally {
    await load.stop()
    await vigil.stop()
    folder.remove()
  }
}

/** A shop of sixty rules and these. */
async function openWith(port: number, expressions: readonly string[]): Promise<Shop> {
  const shop = await openShop(port, sixtyRules, ['audit', 'analyse'])
  const make = async (kind: string, body: object): Promise<string> => {
    const path = `/v2/watch/management/${kind}`
    return String((await send(port, { method: 'POST', path, token: shop.token, body }))['id'])
  }
  const rules: object[] = []
  for (const [index, expression] of expressions.entries()) {
    rules.push({ rule_id: await make('rules', { name: `More ${index}`, expression }), weight: 1 })
  }
  const recipe = await make('recipes', { name: 'More', status: 'LIVE', threshold: 50, rules })
  const { recipes } = await send(port, {
    ...{ method: 'GET', token: shop.token },
    path: `/v2/watch/management/flows/${shop.flow}`,
  })
  const flow = await make('flows', { name: 'More', recipes: [...(recipes as string[]), recipe] })
  return { ...shop, flow }
}

/** Evaluates until the counters answer. Throws when they do not. */
async function warm(port: number, { token, flow }: Shop): Promise<void> {
  const body = {
    flow_id: flow,
    target: { phone_number: '+33612345678', email_address: 'ada@example.com' },
    signals: { ext: { cart_total: '1.10' } },
  }
  for (let tries = 0; tries < 10; tries += 1) {
    const answer = await send(port, { method: 'POST', path: '/v2/watch/eval', token, body })
    if (!JSON.stringify(answer).includes('"unavailable":true')) return
    await sleep(warmMs)
  }
  throw new Error('the counters do not answer')
}

/** Rounds with people that were evaluated a moment ago, and with others. */
const openLoads = (): Record<'known' | 'fresh', Loaded[]> => ({ known: [], fresh: [] })

type Found = Readonly<Record<'without' | 'counting' | 'shared', ReturnType<typeof openLoads>>>

const rate = ({ requestsPerSecond }: Loaded): number => requestsPerSecond
const p99 = ({ p99Ms }: Loaded): number => p99Ms

function evalRows({ without, counting, shared }: Found): readonly Figure[] {
  const against = 'the same with ten rules that count nothing'
  const middle = (of: readonly Loaded[], read: (one: Loaded) => number) =>
    median(of.map(read)).toFixed(0)
  const rateOf = (name: string, ours: readonly Loaded[], plainly: readonly Loaded[]) =>
    figureOf(
      { name, against, unit: 'of its requests/s', target: { bound: 'at least', value: 0.9 } },
      ratios(ours.map(rate), plainly.map(rate)),
      [`${middle(ours, rate)}/s and ${middle(plainly, rate)}/s`],
    )
  const slowest = (name: string, ours: readonly Loaded[], plainly: readonly Loaded[]) =>
    figureOf(
      { name, against, unit: 'times as long', target: { bound: 'at most', value: 1.3 } },
      ratios(ours.map(p99), plainly.map(p99)),
      [`${middle(ours, p99)} ms and ${middle(plainly, p99)} ms`],
    )
  const name = 'POST /v2/watch/eval with ten counters of four shapes, every key seen lately'
  return [
    rateOf(name, counting.known, without.known),
    rateOf('same, every key new', counting.fresh, without.fresh),
    slowest('same, every key new, the slowest hundredth', counting.fresh, without.fresh),
    rateOf('same, one of four keys shared by a hundred at once', shared.fresh, without.fresh),
    slowest('same, the slowest hundredth', shared.fresh, without.fresh),
  ]
}

function projectionRow({ counting }: Found, builtPerSecond: number): Figure {
  const peak = Math.max(...[...counting.known, ...counting.fresh].map(rate))
  return figureOf(
    {
      name: 'events/s of all projections, two thirds of the evaluations with four shapes, built anew',
      against: 'the most evaluations/s of a round with counters',
      unit: 'times',
      target: { bound: 'at least', value: 2 },
    },
    [builtPerSecond / peak],
    [`${builtPerSecond.toFixed(0)}/s and ${peak.toFixed(0)}/s`],
  )
}

async function headOf(port: number): Promise<number> {
  const answer = await fetch(`http://127.0.0.1:${port}/health/ready`)
  const { projections } = (await answer.json()) as { projections: { position: number }[] }
  return Math.max(...projections.map(({ position }) => position))
}

/** Compares two services on the same log with a small heap, one of which has counted many keys more. */
async function measureKeys(
  folder: string,
  asked: Asked,
  size: keyof typeof manyKeys,
): Promise<readonly Figure[]> {
  const other = temporaryFolder()
  cpSync(folder, other.path, { recursive: true })
  const started: WithKeys[] = []
  try {
    started.push(await startWithKeys(folder, fewKeys[size]))
    started.push(await startWithKeys(other.path, manyKeys[size]))
    const [few, many] = started as [WithKeys, WithKeys]
    const seenBefore = openNewPeople(asked.durationMs)
    for (let round = 0; round < { full: 5, quick: 3, smallest: 1 }[size]; round += 1) {
      // the next ones were evaluated by the other shop alone
      seenBefore.taken(0)
      const cold = seenBefore.next()
      seenBefore.taken(0)
      for (const one of started) {
        one.warmP99Ms.push((await loadEvals(asked, one, {})).p99Ms)
        one.coldP99Ms.push((await loadEvals(asked, one, cold)).p99Ms)
        await settled(one.port)
      }
    }
    await sleep(warmMs)
    return keysRows(few, many, size)
  } finally {
    for (const { stop } of started) await stop()
    other.remove()
  }
}

interface WithKeys extends Started {
  /** Events that its projections have handled, a second, each with 16 new keys. */
  readonly foldedPerSecond: number
  /** The slowest hundredth of a round, of people seen lately and of others. */
  readonly warmP99Ms: number[]
  readonly coldP99Ms: number[]
}

/** Adds so many keys to the log, and starts a service on it; answers once it has counted them. */
async function startWithKeys(folder: string, keys: number): Promise<WithKeys> {
  const helper = startHelper('./fillCounters.ts')
  await helper.ask<boolean>({ folder, keys, keysOfEvent } satisfies KeysOrder)
  await helper.stop()
  const begunMs = performance.now()
  const vigil = await startVigil(folder, ['--max-old-space-size=512'])
  await settled(vigil.port, foldMs)
  const foldedPerSecond = (keys * 1_000) / keysOfEvent / (performance.now() - begunMs)
  return { ...vigil, foldedPerSecond, warmP99Ms: [], coldP99Ms: [] }
}

function keysRows(few: WithKeys, many: WithKeys, size: keyof typeof manyKeys): readonly Figure[] {
  const keysOf = (of: typeof manyKeys) => `${of[size].toLocaleString('en')} keys`
  const against = `with ${keysOf(fewKeys)}`
  const slowest = (name: string, read: (one: WithKeys) => readonly number[]) => {
    const target = { bound: 'at most', value: 1.3 } as const
    return figureOf(
      { ...{ name, against, unit: 'times as long', target } },
      ratios(read(many), read(few)),
      [`${median(read(many)).toFixed(0)} ms and ${median(read(few)).toFixed(0)} ms`],
    )
  }
  const [more, less] = [residentMebibytes(many.pid), residentMebibytes(few.pid)]
  const pace = ({ foldedPerSecond }: WithKeys) => foldedPerSecond.toFixed(0)
  return [
    figureOf(
      {
        ...{ name: `memory with ${keysOf(manyKeys)}, a heap of 512 MiB`, against },
        ...{ unit: 'MiB more', target: { bound: 'at most', value: 64 } },
      },
      [more - less],
      [
        `resident: ${more.toFixed(0)} MiB and ${less.toFixed(0)} MiB`,
        `counted ${pace(many)} and ${pace(few)} events/s, ${keysOfEvent} new keys each`,
      ],
    ),
    slowest('same, the slowest hundredth of evaluations, keys seen lately', (one) => one.warmP99Ms),
    slowest('same, keys not seen since the start', (one) => one.coldP99Ms),
  ]
}

interface Backtests {
  readonly counting: Shop
  readonly rounds: number
}

/** Of a draft rule on the evaluations of the last week: one that counts nothing, and two that count anew. */
async function timeBacktests(port: number, shops: Backtests): Promise<readonly Figure[]> {
  const { token } = shops.counting
  const perSecond = async (expression: string): Promise<number> => {
    const begunMs = performance.now()
    const path = '/v2/watch/management/backtests'
    const report = await awaitBacktest(port, { method: 'POST', path, token, body: { expression } })
    return (Number(report['evaluations']) * 1_000) / (performance.now() - begunMs)
  }
  const expressions = {
    plain: 'signal.ext.cart_total == "1"',
    known: 'count(evaluations, by(target.phone_number), "10m") > 5',
    unknown: 'count(evaluations, by(signal.ext.item_count), "10m") > 5',
  }
  const found: Record<keyof typeof expressions, number[]> = { plain: [], known: [], unknown: [] }
  for (let round = 0; round < Math.min(3, shops.rounds); round += 1) {
    for (const [name, expression] of Object.entries(expressions)) {
      found[name as keyof typeof expressions].push(await perSecond(expression))
    }
  }
  const row = (name: string, counted: readonly number[]) =>
    figureOf(
      {
        ...{ name, against: 'without counters', unit: 'of its evaluations/s' },
        target: { bound: 'at least', value: 0.7 },
      },
      ratios(counted, found.plain),
      [`${median(counted).toFixed(0)}/s and ${median(found.plain).toFixed(0)}/s`],
    )
  return [
    row('evaluations/s of a backtest whose draft counts anew what rules count', found.known),
    row('same, what no rule counts, by 25 keys', found.unknown),
  ]
}
