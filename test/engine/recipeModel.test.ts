/** Recipes against what spec 2.4 to 2.6 and 3 say, written down once more without a thought to speed. */

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { runAtOnce } from '../../src/domain/load/steps.ts'
import { explain } from '../../src/engine/explain/explain.ts'
import type { Plan, PlannedRecipe, PlannedRule } from '../../src/engine/run/plan.ts'
import { decodeResult } from '../../src/engine/run/recordResult.ts'
import { buildEvaluateResponse } from '../../src/engine/run/result.ts'
import { draws } from '../support/draws.ts'
import {
  compile,
  evidenceOf,
  expressionOf,
  planOf,
  recipeOf,
  type Values,
} from './support/evaluate.ts'

const largest = Number.MAX_SAFE_INTEGER

/** What one rule is to come to. */
type Fate = 'triggers' | 'holds back' | 'waits' | 'is unreadable' | 'fails' | 'is gone'

interface Member {
  readonly fate: Fate
  readonly type: 'MANAGED' | 'CUSTOM'
  readonly weight: number
  readonly preempts: 'FLAG' | 'PASS' | undefined
}

interface Drawn {
  readonly status: 'LIVE' | 'SHADOW'
  readonly threshold: number
  readonly members: readonly Member[]
}

const fates: readonly Fate[] = [
  ...(['triggers', 'holds back', 'waits', 'is unreadable', 'fails', 'is gone'] as const),
]

function drawn(size: { readonly minLength?: number; readonly maxLength: number }) {
  const member = fc.record<Member>({
    fate: fc.constantFrom(...fates, 'triggers', 'holds back'),
    type: fc.constantFrom('MANAGED', 'CUSTOM'),
    weight: fc.oneof(
      { weight: 4, arbitrary: fc.integer({ min: -40, max: 60 }) },
      { weight: 1, arbitrary: fc.maxSafeInteger() },
      // of these, sums that numbers cannot hold come back to what a score can be
      { weight: 2, arbitrary: fc.constantFrom(largest, -largest, largest - 1, 1 - largest) },
    ),
    preempts: fc.oneof(
      { weight: 9, arbitrary: fc.constant(undefined) },
      { weight: 1, arbitrary: fc.constantFrom('FLAG' as const, 'PASS' as const) },
    ),
  })
  return fc.record<Drawn>({
    status: fc.constantFrom('LIVE', 'LIVE', 'SHADOW'),
    threshold: fc.integer({ min: -5, max: 105 }),
    members: fc.array(member, size),
  })
}

// the plan and the evidence that make the rules come to what was drawn

const keyOf = (recipe: number, rule: number) => `k${recipe}_${rule}`

function plannedRule({ fate, type, weight, preempts }: Member, key: string): PlannedRule {
  // 1 / (value - 2): a third of the values makes it fail
  const text = `1 / (int(signal.ext.${key}) - 2) == 1`
  return {
    rule_id: `rul_${key}`,
    type,
    name: `rule "${key}"\u2028`,
    version_id: `ver_${key}`,
    weight,
    ...(preempts && { preempts }),
    ...(fate !== 'is gone' && { expression: expressionOf(text) }),
  }
}

function planned(recipes: readonly Drawn[]): Plan {
  return planOf(
    ...recipes.map(({ status, threshold, members }, at) =>
      recipeOf(
        members.map((member, index) => plannedRule(member, keyOf(at, index))),
        { recipe_id: `rcp_${at}`, version_id: `ver_${at}`, status, threshold },
      ),
    ),
  )
}

const sentFor: Readonly<Partial<Record<Fate, string>>> = {
  triggers: '3',
  'holds back': '7',
  'is unreadable': 'x',
  fails: '2',
}

function valuesFor(recipes: readonly Drawn[]): Values {
  const values: Record<string, string> = {}
  for (const [at, { members }] of recipes.entries()) {
    for (const [index, { fate }] of members.entries()) {
      const value = sentFor[fate]
      if (value !== undefined) values[`signal.ext.${keyOf(at, index)}`] = value
    }
  }
  return values
}

// the model

const reasons: Readonly<Partial<Record<Fate, string>>> = {
  waits: 'absent',
  'is unreadable': 'not_convertible',
  fails: 'function_failed',
}

const outcomeOfFate = {
  triggers: 'TRIGGERED',
  'holds back': 'NOT_TRIGGERED',
  waits: 'NOT_EVALUATED',
  'is unreadable': 'NOT_EVALUATED',
  fails: 'NOT_EVALUATED',
  'is gone': 'NOT_EVALUATED',
} as const

function expectedRule(rule: PlannedRule, fate: Fate, skipped: boolean) {
  const custom = rule.type === 'CUSTOM'
  const waits = !skipped && fate in reasons
  const name = rule.rule_id.replace('rul_', 'signal.ext.')
  return {
    rule_id: rule.rule_id,
    type: rule.type,
    ...(custom ? { name: rule.name, version_id: rule.version_id } : {}),
    weight: rule.weight,
    outcome: skipped ? 'SKIPPED' : outcomeOfFate[fate],
    ...(waits ? { blocked_by: custom ? name : 'missing_data' } : {}),
    ...(!skipped && fate === 'is gone' ? { unavailable: true } : {}),
  }
}

function expectedRecipe(recipe: PlannedRecipe, members: readonly Member[]) {
  const decisive = members.findIndex(
    ({ fate, preempts }) => fate === 'triggers' && preempts !== undefined,
  )
  const ran = decisive === -1 ? members : members.slice(0, decisive + 1)
  const sum = ran
    .filter(({ fate }) => fate === 'triggers')
    .reduce((total, { weight }) => total + BigInt(weight), 0n)
  const score = sum > 100n ? 100 : sum < 0n ? 0 : Number(sum)
  const byScore = score >= recipe.threshold ? 'FLAG' : 'PASS'
  return {
    recipe_id: recipe.recipe_id,
    threshold: recipe.threshold,
    score,
    verdict: members[decisive]?.preempts ?? byScore,
    partial_evidence: ran.some(({ fate }) => outcomeOfFate[fate] === 'NOT_EVALUATED'),
    ...(decisive === -1 ? {} : { determined_by: recipe.rules[decisive]?.rule_id }),
    rules: recipe.rules.map((rule, at) =>
      expectedRule(rule, members[at]?.fate ?? 'waits', at >= ran.length),
    ),
  }
}

function expectedAnswer(plan: Plan, recipes: readonly Drawn[], status: 'LIVE' | 'SHADOW') {
  return plan.recipes.flatMap((recipe, at) =>
    recipe.status === status ? [expectedRecipe(recipe, recipes[at]?.members ?? [])] : [],
  )
}

const letters = {
  triggers: 'T',
  'holds back': 'N',
  waits: 'M',
  'is unreadable': 'M',
  fails: 'M',
  'is gone': 'U',
}

const anyRecipes = fc.array(drawn({ maxLength: 12 }), { maxLength: 4 })
const runs = { numRuns: draws(150) }

describe('for any recipes and whatever their rules come to', () => {
  test('the answer is what the spec says, to the byte', () => {
    fc.assert(
      fc.property(anyRecipes, fc.string(), (recipes, id) => {
        const plan = planned(recipes)
        const compiled = compile(plan)
        const live = expectedAnswer(plan, recipes, 'LIVE')
        const verdict = live.some((recipe) => recipe.verdict === 'FLAG') ? 'FLAG' : 'PASS'

        const body = compiled.renderResponse(id, compiled.run(evidenceOf(valuesFor(recipes))))

        expect(body).toBe(JSON.stringify({ id, verdict, recipes: live }))
      }),
      runs,
    )
  })

  test('shadow recipes come to the same and are not answered', () => {
    fc.assert(
      fc.property(anyRecipes, (recipes) => {
        const plan = planned(recipes)

        const run = compile(plan).run(evidenceOf(valuesFor(recipes)))

        expect(run.shadowRecipes).toEqual(expectedAnswer(plan, recipes, 'SHADOW'))
        expect(run.recipes).toEqual(expectedAnswer(plan, recipes, 'LIVE'))
      }),
      runs,
    )
  })

  test('the record has a letter for every rule, skipped ones included, and why each was not evaluated', () => {
    fc.assert(
      fc.property(anyRecipes, (recipes) => {
        const plan = planned(recipes)
        const compiled = compile(plan)

        const recorded = compiled.encodeRun(compiled.run(evidenceOf(valuesFor(recipes))))

        const { missing = [], missing_managed: managed = [] } = recorded
        for (const [at, { members }] of recipes.entries()) {
          const decisive = members.findIndex((m) => m.fate === 'triggers' && m.preempts)
          const ran = decisive === -1 ? members : members.slice(0, decisive + 1)
          const behind = members.slice(ran.length)
          const lettersOf = (some: readonly Member[]) =>
            some.map(({ fate }) => letters[fate]).join('')
          const waiting = members.flatMap(({ fate, type }, index) =>
            fate in reasons ? [[type, `signal.ext.${keyOf(at, index)}`, reasons[fate]]] : [],
          )
          const { outcomes, skipped = '', blocked_by = [] } = recorded.recipes[at] ?? {}
          expect(outcomes).toBe(lettersOf(ran) + 'S'.repeat(behind.length))
          expect(skipped).toBe(lettersOf(behind))
          expect(
            blocked_by.map(([index = Number.NaN]) =>
              index < 0
                ? ['MANAGED', ...(managed[-1 - index] ?? [])]
                : ['CUSTOM', ...(missing[index] ?? [])],
            ),
          ).toEqual(waiting)
        }
      }),
      runs,
    )
  })

  test('the record and the plan, both out of JSON, give the answer back to the byte', () => {
    fc.assert(
      fc.property(anyRecipes, fc.string(), (recipes, id) => {
        const plan = planned(recipes)
        const compiled = compile(plan)
        const run = compiled.run(evidenceOf(valuesFor(recipes)))
        const [recorded, kept] = JSON.parse(JSON.stringify([compiled.encodeRun(run), plan]))

        const expanded = decodeResult(kept, recorded)

        const { verdict, recipes: live, shadowRecipes } = run
        expect(JSON.stringify(expanded)).toBe(
          JSON.stringify({ verdict, recipes: live, shadowRecipes }),
        )
        const again = buildEvaluateResponse(id, expanded)
        expect(JSON.stringify(again)).toBe(compiled.renderResponse(id, run))
      }),
      runs,
    )
  })

  test('an explanation comes to the same outcomes', async () => {
    await fc.assert(
      fc.asyncProperty(anyRecipes, async (recipes) => {
        const plan = planned(recipes)
        const compiled = compile(plan)
        const evidence = evidenceOf(valuesFor(recipes))
        const run = compiled.run(evidence)

        const explained = runAtOnce(explain(compiled, evidence, {}))

        expect(explained.map(({ rules }) => rules.map(({ outcome }) => outcome))).toEqual(
          run.runs.map(({ result }) => result.rules.map(({ outcome }) => outcome)),
        )
      }),
      { numRuns: draws(60) },
    )
  })
})

describe('hundreds of rules', () => {
  const large = fc.tuple(
    drawn({ minLength: 300, maxLength: 400 }),
    drawn({ minLength: 100, maxLength: 200 }),
  )

  test('come to what each of them comes to', () => {
    fc.assert(
      fc.property(large, (recipes) => {
        const plan = planned(recipes)

        const run = compile(plan).run(evidenceOf(valuesFor(recipes)))

        expect(run.recipes).toEqual(expectedAnswer(plan, recipes, 'LIVE'))
        expect(run.shadowRecipes).toEqual(expectedAnswer(plan, recipes, 'SHADOW'))
      }),
      { numRuns: draws(3) },
    )
  })
})
