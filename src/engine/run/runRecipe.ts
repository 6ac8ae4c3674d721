/** Runs a recipe's rules in order, and computes and renders score and verdict (spec 2.5, 3). */

import { pauseLongWork } from '../../domain/load/longWork.ts'
import type { Evaluator } from '../compile/compiledExpression.ts'
import { type CompiledRule, runRule } from '../compile/compilePlannedRule.ts'
import type { Memory } from '../compile/planMemory.ts'
import type { MissingName } from './missingNames.ts'
import type { PlannedRecipe, PlannedRule } from './plan.ts'
import {
  buildRecipeResult,
  type RecipeResult,
  type RuleResult,
  renderItems,
  renderWithItems,
} from './result.ts'
import { type OutcomeLetter, type RuleAnswer, renderAnswer } from './ruleAnswers.ts'

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
  /** The answers, and their results, when no rule triggers. */
  readonly answersIfNoneTriggers: readonly RuleAnswer[]
  readonly resultsIfNoneTriggers: readonly RuleResult[]
}

/** A result and its recipe. */
export interface RecipeRun {
  readonly recipe: CompiledRecipe
  /** The answers of its rules, in order. */
  readonly answers: readonly RuleAnswer[]
  /** The rules that were not evaluated for want of evidence, in order. */
  readonly waiting: readonly WaitingRule[]
  /** What the skipped rules would have said, in order; filled by `runSkippedRules`. */
  readonly skipped: SkippedRule[]
  readonly result: RecipeResult
}

/** Every name that a rule was not evaluated for. */
export interface WaitingRule {
  readonly type: PlannedRule['type']
  readonly missing: readonly MissingName[]
}

/** What a rule would have said without the one before it that decided the verdict. */
interface SkippedRule extends WaitingRule {
  readonly letter: OutcomeLetter
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
  return {
    plannedRecipe,
    rules,
    fastPath: prepareFastPath(rules),
    checksClock: scheduleClockChecks(rules),
    needsExactSum: most > Number.MAX_SAFE_INTEGER,
  }
}

/** Two milliseconds. */
const stepsBetweenChecks = 200_000

function scheduleClockChecks(rules: readonly CompiledRule[]): readonly boolean[] {
  let between = 0
  return rules.map(({ stepsMax: steps }) => {
    between += steps
    const isDue = between > stepsBetweenChecks
    if (isDue) between = steps
    return isDue
  })
}

function prepareFastPath(rules: readonly CompiledRule[]): FastPath | undefined {
  // a recipe that fails is run again rule by rule, and counted steps are spent once
  if (rules.some(({ planned, countsSteps: counted }) => counted || planned.preempts))
    return undefined
  return {
    conditions: rules.map(({ condition }) => condition),
    answersIfNoneTriggers: rules.map(({ notTriggered }) => notTriggered),
    resultsIfNoneTriggers: rules.map(({ notTriggered }) => notTriggered.result),
  }
}

/** Runs the recipe's rules over the loaded memory; undefined when the time is over and the rules left may take long. */
export function runRecipe(recipe: CompiledRecipe, state: RunState): RecipeRun | undefined {
  const { fastPath, rules, checksClock } = recipe
  const made = state.hasAllEvidence && fastPath ? runFastPath(recipe, fastPath, state) : undefined
  if (made) return made
  const tally = newTally()
  for (let at = 0; at < rules.length; at++) {
    if (checksClock[at] && performance.now() > state.deadlineMs) return undefined
    runNextRule(rules[at] as CompiledRule, tally, state)
  }
  return buildRecipeRun(recipe, tally)
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
    runNextRule(rule, tally, state)
  }
  return buildRecipeRun(recipe, tally)
}

/** Runs rules whose evidence is complete; undefined when one failed or the time is over: they are then run one by one. */
function runFastPath(
  recipe: CompiledRecipe,
  { conditions, answersIfNoneTriggers, resultsIfNoneTriggers }: FastPath,
  { memory, deadlineMs }: RunState,
): RecipeRun | undefined {
  const answers = answersIfNoneTriggers.slice()
  const results = resultsIfNoneTriggers.slice()
  let sum = 0
  try {
    for (let at = 0; at < conditions.length; at++) {
      if (recipe.checksClock[at] && performance.now() > deadlineMs) return undefined
      if ((conditions[at] as Evaluator)() !== true) continue
      const { triggered, weight } = recipe.rules[at] as CompiledRule
      answers[at] = triggered
      results[at] = triggered.result
      sum += weight
    }
  } catch {
    // evidence of a type that its name does not have, see `runRule`
    memory.hasFailed = true
  }
  if (!memory.hasFailed) {
    return buildRecipeRun(recipe, { ...newTally(), answers, results, sum })
  }
  memory.hasFailed = false
  return undefined
}

/** The answers of the rules run so far, and their results. */
interface Tally {
  readonly answers: RuleAnswer[]
  readonly results: RuleResult[]
  readonly waiting: WaitingRule[]
  sum: number
  partial: boolean
  /** The preempting rule that triggered. */
  decisive: CompiledRule | undefined
}

function newTally(): Tally {
  return { answers: [], results: [], waiting: [], sum: 0, partial: false, decisive: undefined }
}

function runNextRule(rule: CompiledRule, tally: Tally, { memory, hasAllEvidence }: RunState): void {
  const { skipped } = rule.answers
  const answer = tally.decisive ? skipped : runRule(rule, memory, hasAllEvidence)
  tally.answers.push(answer)
  tally.results.push(answer.result)
  if (answer === rule.triggered) {
    tally.sum += rule.weight
    if (rule.planned.preempts !== undefined) tally.decisive = rule
  } else if (answer !== rule.notTriggered && answer !== skipped) {
    tally.partial = true
    const { missing } = memory
    if (answer.letter === 'M') tally.waiting.push({ type: rule.planned.type, missing })
  }
}

/**
 * Runs the skipped rules, one at each step, for the record alone: behind all others, so that they take none of the
 * steps that the answer needs.
 */
export function* runSkippedRules(
  runs: readonly RecipeRun[],
  { memory, hasAllEvidence }: RunState,
): Generator<void, void> {
  for (const { recipe, answers, skipped, result } of runs) {
    if (result.determined_by === undefined) continue
    for (const [at, { letter: given }] of answers.entries()) {
      if (given !== 'S') continue
      const rule = recipe.rules[at] as CompiledRule
      const { letter } = runRule(rule, memory, hasAllEvidence)
      const { missing } = memory
      skipped.push({ letter, type: rule.planned.type, missing })
      yield
    }
  }
}

function buildRecipeRun(
  recipe: CompiledRecipe,
  { answers, results: rules, waiting, sum, partial: partial_evidence, decisive }: Tally,
): RecipeRun {
  const { plannedRecipe, needsExactSum } = recipe
  const score = clampScore(needsExactSum ? sumExactly(recipe, answers) : sum)
  const byScore = score >= plannedRecipe.threshold ? 'FLAG' : 'PASS'
  const verdict = decisive?.planned.preempts ?? byScore
  const determined_by = decisive?.planned.rule_id
  const found = { score, verdict, partial_evidence, determined_by, rules }
  const result = buildRecipeResult(plannedRecipe, found)
  return { recipe, answers, waiting, skipped: [], result }
}

/** The exact sum of the weights that triggered; it is clamped, so the final rounding does not matter. */
function sumExactly({ rules }: CompiledRecipe, answers: readonly RuleAnswer[]): number {
  let sum = 0n
  for (const [at, { triggered, weight }] of rules.entries()) {
    if (answers[at] === triggered) sum += BigInt(weight)
  }
  return Number(sum)
}

/** The JSON text of the run's result: what `JSON.stringify` makes of it. */
export function renderRecipe({ result, answers }: RecipeRun): string {
  return renderWithItems(result, 'rules', renderItems(answers, renderAnswer))
}

const scoreMin = 0
const scoreMax = 100

/** The sum of weights within the bounds of a score. */
export function clampScore(sum: number): number {
  return Math.min(scoreMax, Math.max(scoreMin, sum))
}
