/** A plan ready to run: compiled once, run for every evaluation of its flow. */

import type { Charges } from '../language/charges/charge.ts'
import type { Semantics } from '../language/semantics.ts'
import { answerOf, itemsJson, jsonWith } from '../run/answer.ts'
import type { Plan, PlannedRule } from '../run/plan.ts'
import { type RecordedRecipe, recordRecipe } from '../run/record.ts'
import { type CompiledRecipe, compiledRecipe, recipeJson } from '../run/runRecipe.ts'
import { type CompiledRule, compileRule, type Workshop } from './compileRule.ts'
import { newMemory } from './memory.ts'
import { type PlanRun, type PlanRuns, runsOf } from './runPlan.ts'
import { newSlots } from './slots.ts'

export interface CompiledPlan extends PlanRuns {
  readonly plan: Plan
  /** What the plan means. */
  readonly semantics: Semantics
  /** Every name that a rule reads or asks for with `has`. */
  readonly reads: readonly string[]
  /** The JSON text of the answer (spec 2.4): what `JSON.stringify` makes of it. */
  readonly render: (id: string, run: PlanRun) => string
  /** The run for the log, live and shadow recipes in the plan's order. */
  readonly record: (run: PlanRun) => readonly RecordedRecipe[]
}

/** Compiles a plan with the meaning that rules have in it. Never throws on a rule it cannot read: that rule is unavailable. */
export function compilePlan(plan: Plan, semantics: Semantics): CompiledPlan {
  const compiling = compilePlanByRule(plan, semantics)
  for (;;) {
    const step = compiling.next()
    if (step.done) return step.value
  }
}

/** The same, rule by rule: yields before each, so that whoever compiles a large plan can let others have their turn. */
export function* compilePlanByRule(plan: Plan, semantics: Semantics): CompilingPlan {
  const workshop: Workshop = {
    memory: newMemory(),
    slots: newSlots(),
    shared: new Map(),
    lookups: new Map(),
    semantics,
  }
  const recipes = yield* compileRecipes(plan, workshop)
  return {
    plan,
    semantics,
    reads: workshop.slots.names(),
    ...runsOf(recipes, workshop),
    render,
    record: ({ runs }) => runs.map(recordRecipe),
  }
}

/** A plan that is being compiled: each rule before it is, and at last the compiled plan. */
export type CompilingPlan = Generator<PlannedRule, CompiledPlan>

function* compileRecipes(
  plan: Plan,
  workshop: Workshop,
): Generator<PlannedRule, readonly CompiledRecipe[]> {
  const { charges } = workshop.semantics
  const compiled: CompiledRule[] = []
  for (const rule of plan.recipes.flatMap(({ rules }) => rules)) {
    yield rule
    compiled.push(compileRule(rule, workshop))
  }
  const countFrom = countedFrom(compiled, charges)
  for (const [at, { counted, steps, planned }] of compiled.entries()) {
    if (counted || steps <= countFrom) continue
    yield planned
    compiled[at] = compileRule(planned, workshop, countFrom)
  }
  let from = 0
  return plan.recipes.map((planned) => {
    const rules = compiled.slice(from, from + planned.rules.length)
    from += planned.rules.length
    return compiledRecipe(planned, rules)
  })
}

function render(id: string, run: PlanRun): string {
  const live = run.runs.filter(({ recipe }) => recipe.planned.status === 'LIVE')
  return inOnePiece(jsonWith(answerOf(id, run), 'recipes', itemsJson(live, recipeJson)))
}

/**
 * The same text. What was added up is kept in parts until one of its characters is asked for: hashed, measured and sent as it is, it would be
 * put together each time.
 */
function inOnePiece(text: string): string {
  return text.charCodeAt(0) > 0 ? text : ''
}

/** The steps beyond which a rule is counted, so that all that are not stay together within what is set aside for them. */
function countedFrom(
  rules: readonly Pick<CompiledRule, 'counted' | 'steps'>[],
  { ruleSteps, uncountedSteps }: Charges,
): number {
  const steps = rules.filter(({ counted }) => !counted).map((rule) => rule.steps)
  if (steps.reduce((sum, one) => sum + one, 0) <= uncountedSteps) return ruleSteps
  return cheapest(steps, uncountedSteps)
}

/** The most steps a rule may take so that all that take no more stay together within the sum; of rules alike, all or none. */
function cheapest(steps: readonly number[], sum: number): number {
  const sorted = steps.toSorted((a, b) => a - b)
  let total = 0
  const over = sorted.findIndex((one) => {
    total += one
    return total > sum
  })
  return sorted.findLast((one) => one < (sorted[over] ?? 0)) ?? 0
}
