/** Counts by plan and hour, imported evaluations among them, against plain counting of the events. */

import fc from 'fast-check'
import { afterEach, describe, expect, test } from 'vitest'
import { expiredEntryRetentionMs } from '../../src/domain/lists/lists.ts'
import { assessVerdict } from '../../src/engine/run/assessVerdict.ts'
import { isAnswerFragile } from '../../src/engine/run/recordResult.ts'
import type { Verdict } from '../../src/engine/run/result.ts'
import {
  planCountsCollection,
  type RuleCountsDocument,
  ruleCountsCollection,
  ruleFigures,
} from '../../src/projections/analysis/counts.ts'
import { findDocuments } from '../../src/projections/running/documents.ts'
import { sumCounts } from '../../src/queries/analysis/statistics/sumCounts.ts'
import { draws } from '../support/draws.ts'
import { eventually } from '../support/eventually.ts'
import { plainStatistics, type RawEvent } from '../support/plainStatistics.ts'
import { memoryLog } from './memoryEventStore.ts'
import { memoryDisk, memoryReadStore } from './memoryReadStore.ts'
import { type ReadModelsRun, runReadModels } from './readModelsRun.ts'

let run: ReadModelsRun | undefined
afterEach(() => run?.projections.close())

const hour = 3_600_000
const day = 24 * hour
const week = 7 * day
const account = 'acc_a'

interface Rule {
  readonly weight: number
  readonly preempts?: Verdict
}
interface Recipe {
  readonly status: 'LIVE' | 'SHADOW'
  readonly threshold: number
  readonly rules: readonly Rule[]
}
interface Evaluated {
  readonly plan: number
  readonly time: number
  readonly occurredAgo: number | undefined
  /** A letter for each rule, taken in turn. */
  readonly letters: readonly string[]
}

const recipe = fc.record<Recipe>({
  status: fc.constantFrom('LIVE', 'SHADOW'),
  threshold: fc.constantFrom(0, 30, 50, 100),
  rules: fc.array(
    fc.record<Rule>(
      { weight: fc.integer({ min: -60, max: 60 }), preempts: fc.constantFrom('FLAG', 'PASS') },
      { requiredKeys: ['weight'] },
    ),
    { maxLength: 4 },
  ),
})
const evaluated = fc.record<Evaluated>({
  plan: fc.nat(2),
  time: fc.integer({ min: 30 * 24 * hour, max: 40 * 24 * hour }),
  occurredAgo: fc.option(fc.nat(12 * 24 * hour), { nil: undefined }),
  letters: fc.array(fc.constantFrom('T', 'N', 'N', 'M', 'U'), { minLength: 12, maxLength: 12 }),
})

/** What is recorded of the recipe when its rules come to these letters. */
function record({ rules, threshold }: Recipe, letters: string, recipe_id: string) {
  const at = rules.findIndex(({ preempts }, index) => preempts && letters[index] === 'T')
  const ran = at < 0 ? letters.length : at + 1
  const triggered = rules.slice(0, ran).filter((_, index) => letters[index] === 'T')
  const sum = triggered.reduce((total, { weight }) => total + weight, 0)
  const score = Math.min(100, Math.max(0, sum))
  const verdict: Verdict = rules[at]?.preempts ?? (score >= threshold ? 'FLAG' : 'PASS')
  const outcomes = letters.slice(0, ran) + 'S'.repeat(letters.length - ran)
  const came = { recipe_id, score, verdict, outcomes, skipped: letters.slice(ran) }
  return {
    ...came,
    ...(at >= 0 && { determined_by: `rul_${at}` }),
    ...assessVerdict({ rules, threshold }, came),
  }
}

function eventsOf(plans: readonly (readonly Recipe[])[], all: readonly Evaluated[]): RawEvent[] {
  const metadata = { account, time: 0 }
  const planned = plans.flatMap((recipes, plan): RawEvent[] => [
    ...recipes.map(({ rules }, at) => ({
      type: 'PlanRulesRecorded',
      data: { digest: `part-${plan}-${at}`, rules: rules.map(toPlace) },
      metadata,
    })),
    {
      type: 'FlowPlanRecorded',
      data: { digest: `plan-${plan}`, plan: pin(recipes, plan) },
      metadata,
    },
  ])
  return [...planned, ...all.map((one, at) => evaluationOf(plans, one, at))]
}

const flowOf = (plan: number) => `flo_${plan % 2}`
const toPlace = (rule: Rule, at: number) => ({
  rule_id: `rul_${at}`,
  type: 'CUSTOM',
  name: 'n',
  ...rule,
})

function pin(recipes: readonly Recipe[], plan: number) {
  return {
    ...{ flow_id: flowOf(plan), flow_version_id: `ver_${plan}`, semantics: 1 },
    recipes: recipes.map(({ status, threshold, rules }, at) => ({
      ...{ recipe_id: `rcp_${at}`, version_id: 'ver_1', status, threshold },
      parts: [[`part-${plan}-${at}`, rules.length]],
    })),
  }
}

function evaluationOf(
  plans: readonly (readonly Recipe[])[],
  { plan: index, time, occurredAgo, letters }: Evaluated,
  at: number,
): RawEvent {
  const plan = index % plans.length
  const given = letters.values()
  const planned = plans[plan] ?? []
  const recipes = planned.map((one, place) => {
    const own = one.rules.map(() => given.next().value ?? 'N').join('')
    return record(one, own, `rcp_${place}`)
  })
  const live = recipes.filter((_, place) => planned[place]?.status === 'LIVE')
  const isMissing = letters.includes('M')
  const data = {
    evaluation_id: `evl_${at}`,
    arrived: {},
    ...{ flow_id: flowOf(plan), plan: `plan-${plan}` },
    verdict: live.some(({ verdict }) => verdict === 'FLAG') ? 'FLAG' : 'PASS',
    recipes,
    ...(isAnswerFragile(live) && { fragile: true }),
    ...(isMissing && {
      missing: [
        ['signal.ip', 'absent'],
        ['signal.ip', 'function_failed'],
      ],
    }),
    ...(letters[0] === 'M' && { missing_managed: [['signal.os_version', 'absent']] }),
    ...(occurredAgo !== undefined && { imported: true, occurred_at: time - occurredAgo }),
  }
  return { type: 'FlowEvaluated', data, metadata: { account, time } }
}

async function project(
  events: readonly RawEvent[],
  disk = memoryDisk(),
  nowMs = () => 0,
): Promise<ReadModelsRun> {
  await run?.projections.close()
  run = runReadModels(memoryLog(), disk, memoryReadStore(disk, undefined, nowMs))
  for (const [at, { type, data, metadata }] of events.entries()) {
    run.log.add(`stream-${at}`, type, data as object, metadata)
  }
  await run.caughtUp()
  return run
}

const drawnPlans = fc.array(fc.array(recipe, { minLength: 1, maxLength: 3 }), {
  minLength: 1,
  maxLength: 3,
})

test('the sums of any range are those of plain counting, and imported evaluations are apart', () =>
  fc.assert(
    fc.asyncProperty(
      drawnPlans,
      fc.array(evaluated, { maxLength: 25 }),
      fc.integer({ min: 20 * 24 * hour, max: 40 * 24 * hour }),
      async (plans, all, from) => {
        const events = eventsOf(plans, all)
        const { readers } = await project(events)
        const now = (39 * 24 + 7) * hour + 20 * 60_000
        const asked = { account, from: Math.min(from, now), to: now, by: 'day', now } as const
        const expected = plainStatistics(events, asked)

        const found = await sumCounts(readers, {
          account,
          ...daysFrom(Date.parse(expected.from), Date.parse(expected.to)),
          finishedMs: Date.parse(expected.finished),
          weekBefore: {
            fromMs: Date.parse(expected.from) - week,
            toMs: Date.parse(expected.finished) - week,
          },
        })

        const keyOf = (one: { readonly status: string; readonly recipe_id: string }) =>
          `${one.status} ${one.recipe_id}`
        const shown = found.map(({ version_id: _, recipes, ...flow }) => ({
          ...flow,
          recipes: recipes
            .map(({ version_id: __, ...one }) => one)
            .toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1)),
        }))
        expect(shown).toEqual(expected.flows)
      },
    ),
    { numRuns: draws(100) },
  ))

function daysFrom(fromMs: number, toMs: number) {
  const days = (toMs - fromMs) / day
  return {
    starts: Array.from({ length: days + 1 }, (_, at) => fromMs + at * day),
    unit: 'day',
  } as const
}

/** A figure of a rule of a plan, and how often it was counted. */
type Counted = readonly [figure: string, count: number]

function listCounts({ plan, counts }: RuleCountsDocument): readonly Counted[] {
  const width = ruleFigures.length
  return counts.flatMap((ofRecipe, at) =>
    ofRecipe.map((count, index): Counted => {
      const rule = Math.floor(index / width)
      return [`${plan} ${at} ${rule} ${ruleFigures[index % width]}`, count]
    }),
  )
}

function listFigures({ type, data }: RawEvent): readonly Counted[] {
  if (type !== 'FlowEvaluated') return []
  const { plan, recipes } = data as { plan: string; recipes: ReturnType<typeof record>[] }
  return recipes.flatMap(({ outcomes, alone = [] }, at) => [
    ...[...outcomes].map((letter, rule): Counted => [`${plan} ${at} ${rule} ${letter}`, 1]),
    ...alone.map((rule): Counted => [`${plan} ${at} ${rule} alone`, 1]),
  ])
}

/** Without what is nothing, and without `N`, which is not kept. */
function sumByFigure(all: readonly Counted[]): ReadonlyMap<string, number> {
  const sums = new Map<string, number>()
  for (const [figure, count] of all) {
    if (count > 0 && !figure.endsWith(' N')) sums.set(figure, (sums.get(figure) ?? 0) + count)
  }
  return sums
}

test('the figures of each rule are what looking at every evaluation gives', () =>
  fc.assert(
    fc.asyncProperty(drawnPlans, fc.array(evaluated, { maxLength: 15 }), async (plans, all) => {
      const events = eventsOf(plans, all)
      const { readers } = await project(events)

      const found = await findDocuments(readers, ruleCountsCollection, {
        where: { id: { prefix: account } },
        limit: 1_000,
      })

      expect(sumByFigure(found.flatMap(({ body }) => listCounts(body)))).toEqual(
        sumByFigure(events.flatMap(listFigures)),
      )
    }),
    { numRuns: draws(60) },
  ))

test('an evaluation counts in the hour of the clock that its rules saw', async () => {
  const plans = [[{ status: 'LIVE', threshold: 50, rules: [] }]] as const
  const times = [32 * hour - 1, 32 * hour, 33 * hour - 1]
  const all = times.map((time) => ({ plan: 0, time, occurredAgo: undefined, letters: [] }))
  const { readers } = await project(eventsOf(plans, all))

  const found = await findDocuments(readers, planCountsCollection, {
    where: { id: { prefix: account } },
    limit: 10,
  })

  expect(found.map(({ id, body }) => [id, body.evaluations])).toEqual([
    ['acc_a/flo_0/1970-01-02T07/plan-0', 1],
    ['acc_a/flo_0/1970-01-02T08/plan-0', 2],
  ])
})

test('an answer that would have too many figures is refused with what to ask for', async () => {
  const plans = [[{ status: 'LIVE', threshold: 50, rules: [] }]] as const
  const all = Array.from({ length: 15 }, (_, at) => ({
    time: at * hour,
    occurredAgo: undefined,
    letters: [],
    plan: at,
  }))
  const events = eventsOf(
    all.map(() => plans[0]),
    all,
  ).map(withOwnFlow)
  const { readers } = await project(events)
  const ask = (buckets: number, size = hour) =>
    sumCounts(readers, {
      account,
      starts: Array.from({ length: buckets + 1 }, (_, at) => at * size),
      unit: 'hour',
      finishedMs: 0,
      weekBefore: { fromMs: 0, toMs: 0 },
    })
  const refused = {
    code: 'invalid_request',
    details: [{ path: 'from', message: expect.stringContaining('ask for one flow') }],
  }

  // a flow and its recipe each, of fifteen flows
  expect(await ask(600)).toHaveLength(15)
  await expect(ask(700)).rejects.toMatchObject(refused)
  // days of another zone are summed up of hours
  expect(await ask(277, day)).toHaveLength(15)
  await expect(ask(278, day)).rejects.toMatchObject(refused)
})

describe('hours', () => {
  const plans = [[{ status: 'LIVE', threshold: 50, rules: [] }]] as const
  const kept = 408 * day
  const onDisk = (collection: string) =>
    [...(run?.disk.collections.get(`${collection}@2`)?.values() ?? [])].flatMap(({ body }) =>
      body ? [body['from']] : [],
    )

  test('end 408 days after they began, and days stay', async () => {
    let nowMs = 0
    const disk = memoryDisk()
    const times = [32 * hour, 35 * hour]
    const all = times.map((time) => ({ plan: 0, time, occurredAgo: undefined, letters: [] }))
    await project(eventsOf(plans, all), disk, () => nowMs)
    const ended = async (until: number) => {
      nowMs = until
      await eventually(() => onDisk('plan_counts').length + onDisk('rule_counts').length === 2)
    }

    await ended(32 * hour + kept + expiredEntryRetentionMs)

    expect(onDisk('plan_counts')).toEqual([35 * hour])
    expect(onDisk('rule_counts')).toEqual([35 * hour])
    expect(onDisk('plan_day_counts')).toEqual([day])
    expect(onDisk('rule_day_counts')).toEqual([day])
  })

  test('that had ended before an import are not begun by it', async () => {
    const time = 500 * day
    const all = [kept, kept + 1].map((occurredAgo) => ({ plan: 0, time, occurredAgo, letters: [] }))

    await project(eventsOf(plans, all))

    expect(onDisk('plan_counts')).toEqual([92 * day])
    expect(onDisk('rule_counts')).toEqual([92 * day])
    expect(onDisk('plan_day_counts')).toEqual([92 * day, 91 * day])
    expect(onDisk('rule_day_counts')).toEqual([92 * day, 91 * day])
  })
})

function withOwnFlow(event: RawEvent): RawEvent {
  if (event.type !== 'FlowEvaluated') return event
  const data = event.data as { readonly plan: string }
  return { ...event, data: { ...data, flow_id: `flo_${data.plan}` } }
}
