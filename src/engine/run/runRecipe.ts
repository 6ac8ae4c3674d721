/** Runs a recipe's rules in order, and computes and renders score and verdict (spec 2.5, 3). */

import { pauseLongWork } from '../../domain/load/longWork.ts'
import type { Evaluator } from '../compile/compiledExpression.ts'
import { type CompiledRule, runRule } from '../compile/compilePlannedRule.ts'
import type { Memory } from '../compile/planMemory.ts'
import type { PlannedRecipe } from './plan.ts'
import {
  itemsJson,
  jsonWithItems,
  type RecipeResult,
  type RuleResult,
  recipeResultOf,
} from './result.ts'
import { answerJson, type RuleAnswer } from './ruleAnswers.ts'

export interface CompiledRecipe {
  readonly plannedRecipe: PlannedRecipe
  readonly rules: readonly CompiledRule[]
  /** The fast path while nothing fails; undefined when a rule may end the recipe, or its steps are counted. */
  readonly fastPath: FastPath | undefined
  /** By rule whether the clock is checked before it: about every two milliseconds. */
  readonly checksClock: readonly boolean[]
  /** Whether the sum of weights may exceed the exact integers. */
  readonly needsExactSum: boolean
}

/** The fields of all rules that the fast path needs. */
interface FastPath {
  readonly conditions: readonly Evaluator[]
  /** The results when no rule triggers. */
  readonly resultsIfNoneTriggers: readonly RuleResult[]
}

/** A result and its recipe. */
export interface RecipeRun {
  readonly recipe: CompiledRecipe
  readonly result: RecipeResult
}

/** The state of a run that its recipes share. */
export interface RunState {
  readonly memory: Memory
  /** Whether every name that the plan reads has arrived. */
  readonly hasAllEvidence: boolean
  /** When the run stops, unless it runs in slices. */
  readonly deadlineMs: number
}

/** A recipe with its rules compiled. */
export function prepareRecipe(
  plannedRecipe: PlannedRecipe,
  rules: readonly CompiledRule[],
): CompiledRecipe {
  // while the absolute values add up exactly, so does every choice of the weights in any order
  const most = rules.reduce((sum, { weight }) => sum + Math.abs(weight), 0)
  const needsExactSum = most > Number.MAX_SAFE_INTEGER
  return {
    plannedRecipe,
    rules,
    fastPath: plainRules(rules),
    checksClock: clockChecks(rules),
    needsExactSum,
  }
}

/** Two milliseconds. */
const stepsBetweenChecks = 200_000

function clockChecks(rules: readonly CompiledRule[]): readonly boolean[] {
  let between = 0
  return rules.map(({ stepsMax: steps }) => {
    between += steps
    const isDue = between > stepsBetweenChecks
    if (isDue) between = steps
    return isDue
  })
}

function plainRules(rules: readonly CompiledRule[]): FastPath | undefined {
  // a recipe that fails is run again rule by rule, and counted steps are spent once
  if (rules.some(({ planned, countsSteps: counted }) => counted || planned.preempts))
    return undefined
  return {
    conditions: rules.map(({ condition }) => condition),
    resultsIfNoneTriggers: rules.map(({ notTriggered }) => notTriggered),
  }
}

/** Runs the recipe's rules over the loaded memory; undefined when the time is over and the rules left may take long. */
export function runRecipe(recipe: CompiledRecipe, state: RunState): RecipeRun | undefined {
  const { fastPath, rules, checksClock } = recipe
  const made = state.hasAllEvidence && fastPath ? runPlain(recipe, fastPath, state) : undefined
  if (made) return made
  const tally = newTally()
  for (let at = 0; at < rules.length; at++) {
    if (checksClock[at] && performance.now() > state.deadlineMs) return undefined
    runNext(rules[at] as CompiledRule, tally, state)
  }
  return recipeRun(recipe, tally)
}

/** Same with pauses between rules; `pauseRun` waits for one and restores the memory. Each rule runs once. */
export async function runRecipeInSlices(
  recipe: CompiledRecipe,
  state: RunState,
  pauseRun: (paused: Promise<void>) => Promise<void>,
): Promise<RecipeRun> {
  const tally = newTally()
  for (const rule of recipe.rules) {
    const paused = pauseLongWork()
    if (paused) await pauseRun(paused)
    runNext(rule, tally, state)
  }
  return recipeRun(recipe, tally)
}

/** Runs rules whose evidence is complete; undefined when one failed or the time is over: they are then run one by one. */
function runPlain(
  recipe: CompiledRecipe,
  { conditions, resultsIfNoneTriggers }: FastPath,
  { memory, deadlineMs }: RunState,
): RecipeRun | undefined {
  const rules = resultsIfNoneTriggers.slice()
  let sum = 0
  try {
    for (let at = 0; at < conditions.length; at++) {
      if (recipe.checksClock[at] && performance.now() > deadlineMs) return undefined
      if ((conditions[at] as Evaluator)() !== true) continue
      const { triggered, weight } = recipe.rules[at] as CompiledRule
      rules[at] = triggered
      sum += weight
    }
  } catch {
    // evidence of a type that its name does not have, see `runRule`
    memory.hasFailed = true
  }
  if (!memory.hasFailed) {
    return recipeRun(recipe, { results: rules, sum, partial: false, decisive: undefined })
  }
  memory.hasFailed = false
  return undefined
}

/** The results of the rules run so far. */
interface Tally {
  readonly results: RuleResult[]
  sum: number
  partial: boolean
  /** The preempting rule that triggered. */
  decisive: CompiledRule | undefined
}

function newTally(): Tally {
  return { results: [], sum: 0, partial: false, decisive: undefined }
}

function runNext(rule: CompiledRule, tally: Tally, { memory, hasAllEvidence }: RunState): void {
  if (tally.decisive) {
    tally.results.push(rule.answers.skipped.result)
    return
  }
  const result = runRule(rule, memory, hasAllEvidence)
  tally.results.push(result)
  if (result === rule.triggered) {
    tally.sum += rule.weight
    if (rule.planned.preempts !== undefined) tally.decisive = rule
  } else if (result !== rule.notTriggered) tally.partial = true
}

function recipeRun(recipe: CompiledRecipe, tally: Tally): RecipeRun {
  return { recipe, result: recipeResult(recipe, tally) }
}

function recipeResult(
  recipe: CompiledRecipe,
  { results: rules, sum, partial, decisive }: Tally,
): RecipeResult {
  const { plannedRecipe, needsExactSum } = recipe
  const score = clampScore(needsExactSum ? exactSum(recipe, rules) : sum)
  if (!decisive) {
    const verdict = score >= plannedRecipe.threshold ? 'FLAG' : 'PASS'
    return recipeResultOf(plannedRecipe, { score, verdict, partial_evidence: partial, rules })
  }
  const { rule_id: determined_by, preempts: verdict = 'PASS' } = decisive.planned
  const found = { score, verdict, partial_evidence: partial, determined_by, rules }
  return recipeResultOf(plannedRecipe, found)
}

/** The exact sum of the weights that triggered; it is clamped, so the final rounding does not matter. */
function exactSum({ rules }: CompiledRecipe, results: readonly RuleResult[]): number {
  let sum = 0n
  for (let at = 0; at < rules.length; at++) {
    const { triggered, weight } = rules[at] as CompiledRule
    if (results[at] === triggered) sum += BigInt(weight)
  }
  return Number(sum)
}

/** The answers of the rules of a run, in order. */
export function ruleAnswersOf({ recipe, result }: RecipeRun): readonly RuleAnswer[] {
  const { rules } = recipe
  return result.rules.map((rule, at) => (rules[at] as CompiledRule).answers.requireByResult(rule))
}

/** The JSON text of the run's result: what `JSON.stringify` makes of it. */
export function recipeJson(run: RecipeRun): string {
  return jsonWithItems(run.result, 'rules', itemsJson(ruleAnswersOf(run), answerJson))
}

const scoreMin = 0
const scoreMax = 100

/** The sum of weights within the bounds of a score. */
export function clampScore(sum: number): number {
  return Math.min(scoreMax, Math.max(scoreMin, sum))
}
