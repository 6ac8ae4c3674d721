/** Counts of outcomes by rule and day, against plain counting. */

import fc from 'fast-check'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { countRuleOutcomes } from '../../src/queries/analysis/ruleUsage.ts'
import { draws } from '../support/draws.ts'
import { type ReadModelsRun, runReadModels } from './readModelsRun.ts'

let run: ReadModelsRun
/** Parts of plans that are in the log. */
const added = new Set<string>()
beforeEach(() => {
  run = runReadModels()
  added.clear()
})
afterEach(() => run.projections.close())

const day = 24 * 60 * 60 * 1_000
const rules = ['rul_1', 'rul_2', 'rul_3']
const letters = 'TNMUS'
const fields = ['triggered', 'not_triggered', 'missing_data', 'unavailable', 'skipped'] as const

interface Planned {
  readonly account: string
  /** Rule ids, by recipe. */
  readonly recipes: readonly (readonly string[])[]
}
interface Evaluated {
  /** Which of the plans. */
  readonly plan: number
  readonly time: number
  /** A number for each place, whose remainder is its outcome. */
  readonly seeds: readonly number[]
}

const planned = fc.record<Planned>({
  account: fc.constantFrom('acc_a', 'acc_a', 'acc_b'),
  recipes: fc.array(fc.array(fc.constantFrom(...rules), { maxLength: 4 }), {
    minLength: 1,
    maxLength: 3,
  }),
})
const evaluated = fc.record<Evaluated>({
  plan: fc.nat(3),
  time: fc.integer({ min: 0, max: 6 * day - 1 }),
  seeds: fc.array(fc.nat(), { minLength: 12, maxLength: 12 }),
})

/** The letter of each place, by recipe. */
function outcomesOf({ recipes }: Planned, { seeds }: Evaluated): readonly string[] {
  const seed = seeds.values()
  return recipes.map((ids) =>
    ids.map(() => letters.charAt((seed.next().value ?? 0) % letters.length)).join(''),
  )
}

const flow = { flow_id: 'flo_1', flow_version_id: 'ver_1', semantics: 1 }
const recipeOf = (recipe: number) => ({
  recipe_id: `rcp_${recipe}`,
  version_id: 'ver_1',
  status: recipe % 2 === 0 ? 'LIVE' : 'SHADOW',
  threshold: 1,
})
const placeOf = (rule_id: string) => ({ rule_id, type: 'CUSTOM', name: 'n', weight: 1 })

/** In parts of three rules, each part once for each account. */
function addPlan(digest: string, account: string, recipes: Planned['recipes']): void {
  const planned = recipes.map((ids, at) => {
    const parts: [string, number][] = []
    for (let first = 0; first < ids.length; first += 3) {
      const rules = ids.slice(first, first + 3)
      const part = `${account}:${rules.join('+')}`
      const data = { digest: part, rules: rules.map(placeOf) }
      if (!added.has(part)) run.log.add(`part-${part}`, 'PlanRulesRecorded', data, { account })
      added.add(part)
      parts.push([part, rules.length])
    }
    return { ...recipeOf(at), parts }
  })
  const plan = { ...flow, recipes: planned }
  run.log.add(digest, 'FlowPlanRecorded', { digest, plan }, { account })
}

async function tell(plans: readonly Planned[], all: readonly Evaluated[]): Promise<void> {
  for (const [at, { account, recipes }] of plans.entries()) {
    addPlan(`plan-${at}`, account, recipes)
  }
  for (const [at, one] of all.entries()) {
    const plan = plans[one.plan % plans.length] as Planned
    const recipes = outcomesOf(plan, one).map((outcomes, recipe) => ({
      recipe_id: `rcp_${recipe}`,
      score: 0,
      verdict: 'PASS',
      outcomes,
    }))
    const data = {
      evaluation_id: `evl_${at}`,
      arrived: {},
      flow_id: 'flo_1',
      plan: `plan-${one.plan % plans.length}`,
      verdict: 'PASS',
      recipes,
    }
    run.log.add(`evaluation-${at}`, 'FlowEvaluated', data, {
      account: plan.account,
      time: one.time,
    })
  }
  await run.caughtUp()
}

/** The same by looking at every place of every evaluation. */
function counted(plans: readonly Planned[], all: readonly Evaluated[], ruleId: string) {
  const days = new Map<string, Record<'live' | 'shadow', Record<string, number>>>()
  for (const one of all) {
    const plan = plans[one.plan % plans.length] as Planned
    if (plan.account !== 'acc_a' || !plan.recipes.flat().includes(ruleId)) continue
    const name = new Date(one.time).toISOString().slice(0, 10)
    const { live, shadow } = days.get(name) ?? { live: none(), shadow: none() }
    days.set(name, { live, shadow })
    tally(live, lettersOf(plan, one, { ruleId, remainder: 0 }))
    tally(shadow, lettersOf(plan, one, { ruleId, remainder: 1 }))
  }
  return [...days]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, { live, shadow }]) => ({ day: name, ...live, shadow }))
}

const none = (): Record<string, number> =>
  Object.fromEntries(['count', ...fields].map((field) => [field, 0]))

function tally(sums: Record<string, number>, found: readonly string[]): void {
  const counted = found.length > 0 ? ['count', ...found.map(fieldOf)] : []
  for (const field of counted) sums[field] = (sums[field] ?? 0) + 1
}

const fieldOf = (letter: string): string => fields[letters.indexOf(letter)] ?? ''

/** In the recipes of even numbers, which are live, or in the others. */
function lettersOf(
  plan: Planned,
  one: Evaluated,
  { ruleId, remainder }: { readonly ruleId: string; readonly remainder: number },
): readonly string[] {
  const outcomes = outcomesOf(plan, one)
  return plan.recipes.flatMap((ids, recipe) =>
    ids.flatMap((id, at) =>
      id === ruleId && recipe % 2 === remainder ? [outcomes[recipe]?.charAt(at) ?? ''] : [],
    ),
  )
}

const dayOf = (at: number) => new Date(at * day).toISOString().slice(0, 10)

test('whatever plans there are and whatever ran, the usage of each rule is what plain counting gives', () =>
  fc.assert(
    fc.asyncProperty(
      fc.array(planned, { minLength: 1, maxLength: 4 }),
      fc.array(evaluated, { maxLength: 15 }),
      async (plans, all) => {
        await run.projections.close()
        run = runReadModels()
        added.clear()
        await tell(plans, all)

        for (const ruleId of rules) {
          const found = await countRuleOutcomes(run.readers, {
            account: 'acc_a',
            ruleId,
            from: dayOf(0),
            to: dayOf(5),
          })
          expect(found).toEqual({ days: counted(plans, all, ruleId), truncated: false })
        }
      },
    ),
    { numRuns: draws(60) },
  ))

test('a range of days counts those days, both ends included', async () => {
  const plans = [{ account: 'acc_a', recipes: [['rul_1']] }]
  const all = [0, 1, 2, 3].map((at) => ({ plan: 0, time: at * day, seeds: [0] }))
  await tell(plans, all)

  const found = await countRuleOutcomes(run.readers, {
    account: 'acc_a',
    ruleId: 'rul_1',
    from: dayOf(1),
    to: dayOf(2),
  })

  expect(found.days.map(({ day: name, triggered }) => [name, triggered])).toEqual([
    [dayOf(1), 1],
    [dayOf(2), 1],
  ])
})

test('a rule in more plans than are looked at says so', async () => {
  const plans = Array.from({ length: 1_001 }, () => ({ account: 'acc_a', recipes: [['rul_1']] }))
  await tell(plans, [])

  const asked = { account: 'acc_a', from: dayOf(0), to: dayOf(1) }

  expect(await countRuleOutcomes(run.readers, { ...asked, ruleId: 'rul_1' })).toEqual({
    days: [],
    truncated: true,
  })
  expect(await countRuleOutcomes(run.readers, { ...asked, ruleId: 'rul_2' })).toMatchObject({
    truncated: false,
  })
})
