/** Compiles a plan once, to be run for every evaluation of its flow. */

import { pause } from '../../domain/load/longWork.ts'
import type { Charges } from '../language/charges/charge.ts'
import type { Semantics } from '../language/semantics.ts'
import { answerOf, itemsJson, jsonWith } from '../run/answer.ts'
import type { Plan, PlannedRule } from '../run/plan.ts'
import { type RecordedRecipe, recordRecipe } from '../run/record.ts'
import { compiledRecipe, recipeJson } from '../run/runRecipe.ts'
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
  const workshop = newWorkshop(semantics)
  const compiled = rulesOf(plan).map((rule) => compileRule(rule, workshop))
  const { dear, countFrom } = dearRules(compiled, semantics)
  for (const at of dear) compiled[at] = compileRule(planned(compiled, at), workshop, countFrom)
  return compiledPlan(plan, compiled, workshop)
}

/** The same as long work. */
export async function compilePlanInSlices(plan: Plan, semantics: Semantics): Promise<CompiledPlan> {
  const workshop = newWorkshop(semantics)
  const compiled: CompiledRule[] = []
  for (const rule of rulesOf(plan)) {
    compiled.push(compileRule(rule, workshop))
    await pause()
  }
  const { dear, countFrom } = dearRules(compiled, semantics)
  for (const at of dear) {
    compiled[at] = compileRule(planned(compiled, at), workshop, countFrom)
    await pause()
  }
  return compiledPlan(plan, compiled, workshop)
}

function newWorkshop(semantics: Semantics): Workshop {
  return {
    memory: newMemory(),
    slots: newSlots(),
    shared: new Map(),
    lookups: new Map(),
    semantics,
  }
}

function rulesOf({ recipes }: Plan): readonly PlannedRule[] {
  return recipes.flatMap(({ rules }) => rules)
}

function planned(compiled: readonly CompiledRule[], at: number): PlannedRule {
  return (compiled[at] as CompiledRule).planned
}

function compiledPlan(
  plan: Plan,
  compiled: readonly CompiledRule[],
  workshop: Workshop,
): CompiledPlan {
  const { semantics } = workshop
  let from = 0
  const recipes = plan.recipes.map((recipe) => {
    const rules = compiled.slice(from, from + recipe.rules.length)
    from += recipe.rules.length
    return compiledRecipe(recipe, rules)
  })
  return {
    plan,
    semantics,
    reads: workshop.slots.names(),
    ...runsOf(recipes, workshop),
    render,
    record: ({ runs }) => runs.map(recordRecipe),
  }
}

/** The places of the rules that are compiled again since their steps must be counted, and from how many steps on. */
function dearRules(compiled: readonly CompiledRule[], { charges }: Semantics) {
  const countFrom = countedFrom(compiled, charges)
  const dear = [...compiled.keys()].filter((at) => {
    const { counted, steps } = compiled[at] as CompiledRule
    return !counted && steps > countFrom
  })
  return { dear, countFrom }
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
