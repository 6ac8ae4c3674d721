/** Runs a recipe's rules in order, and computes and renders score and verdict (spec 2.5, 3). */

import type { Steps } from '../../domain/load/steps.ts'
import type { Evaluator } from '../compile/compiledExpression.ts'
import { type CompiledRule, runRule } from '../compile/compilePlannedRule.ts'
import type { Memory } from '../compile/planMemory.ts'
import type { MissingName } from './missingNames.ts'
import type { PlannedRecipe, PlannedRule } from './plan.ts'
import {
  buildRecipeResult,
  clampScore,
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
  readonly conditions: readonly Evaluator[] | undefined
  /** The answers, and their results, when no rule triggers. */
  readonly answersIfNoneTriggers: readonly RuleAnswer[]
  readonly resultsIfNoneTriggers: readonly RuleResult[]
  /** The index behind the last rule of each part; a part takes about two milliseconds at most. */
  readonly partEnds: readonly number[]
  /** Whether the sum of weights may exceed the exact integers. */
  readonly needsExactSum: boolean
}

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

export interface RunState {
  readonly memory: Memory
  /** Whether every name that the plan reads has arrived. */
  readonly hasAllEvidence: boolean
}

export function prepareRecipe(
  plannedRecipe: PlannedRecipe,
  rules: readonly CompiledRule[],
): CompiledRecipe {
  // while the absolute values add up exactly, so does every choice of the weights in any order
  const most = rules.reduce((sum, { weight }) => sum + Math.abs(weight), 0)
  // a part that fails is run again rule by rule, and counted steps are spent once
  const isFast = !rules.some(({ planned, countsSteps }) => countsSteps || planned.preempts)
  return {
    plannedRecipe,
    rules,
    conditions: isFast ? rules.map(({ condition }) => condition) : undefined,
    answersIfNoneTriggers: rules.map(({ notTriggered }) => notTriggered),
    resultsIfNoneTriggers: rules.map(({ notTriggered }) => notTriggered.result),
    partEnds: findPartEnds(rules),
    needsExactSum: most > Number.MAX_SAFE_INTEGER,
  }
}

/** Two milliseconds. */
const stepsOfPartMax = 200_000

function findPartEnds(rules: readonly CompiledRule[]): readonly number[] {
  const ends: number[] = []
  let sum = 0
  for (const [at, { stepsMax: steps }] of rules.entries()) {
    sum += steps
    if (at === 0 || sum <= stepsOfPartMax) continue
    ends.push(at)
    sum = steps
  }
  return [...ends, rules.length]
}

/** A recipe while it runs: the answers of the rules that have run, in place of those of rules that do not trigger. */
export interface RecipeProgress {
  readonly answers: RuleAnswer[]
  readonly results: RuleResult[]
  readonly waiting: WaitingRule[]
  sum: number
  partial: boolean
  /** The preempting rule that triggered. */
  decisive: CompiledRule | undefined
  /** The parts, and the rules, that have run. */
  parts: number
  rules: number
}

/** The recipe before any rule has run. */
export function beginRecipe(recipe: CompiledRecipe): RecipeProgress {
  return {
    answers: recipe.answersIfNoneTriggers.slice(),
    results: recipe.resultsIfNoneTriggers.slice(),
    waiting: [],
    sum: 0,
    partial: false,
    decisive: undefined,
    parts: 0,
    rules: 0,
  }
}

/** Runs the rules of the next part over the loaded memory; tells whether there are more parts. */
export function runNextPart(
  recipe: CompiledRecipe,
  progress: RecipeProgress,
  { memory, hasAllEvidence }: RunState,
): boolean {
  const { rules, partEnds } = recipe
  const end = partEnds[progress.parts] as number
  if (!hasAllEvidence || !runFastPath(recipe, progress, { memory, end })) {
    for (let at = progress.rules; at < end; at++) {
      const rule = rules[at] as CompiledRule
      const answer = progress.decisive
        ? rule.answers.skipped
        : runRule(rule, memory, hasAllEvidence)
      noteAnswer(progress, { at, rule, answer, memory })
    }
  }
  progress.rules = end
  progress.parts += 1
  return progress.parts < partEnds.length
}

/** Runs rules whose evidence is complete; false when one failed: they are then run one by one. */
function runFastPath(
  { conditions, rules }: CompiledRecipe,
  progress: RecipeProgress,
  { memory, end }: { readonly memory: Memory; readonly end: number },
): boolean {
  if (!conditions) return false
  const { answers, results } = progress
  let sum = 0
  try {
    for (let at = progress.rules; at < end; at++) {
      if ((conditions[at] as Evaluator)() !== true) continue
      const { triggered, weight } = rules[at] as CompiledRule
      answers[at] = triggered
      results[at] = triggered.result
      sum += weight
    }
  } catch {
    // evidence of a type that its name does not have, see `runRule`
    memory.hasFailed = true
  }
  const hasFailed = memory.hasFailed
  memory.hasFailed = false
  if (!hasFailed) progress.sum += sum
  return !hasFailed
}

interface AnsweredRule {
  readonly at: number
  readonly rule: CompiledRule
  readonly answer: RuleAnswer
  /** What the run of the rule has left behind. */
  readonly memory: Pick<Memory, 'missing'>
}

function noteAnswer(progress: RecipeProgress, of: AnsweredRule): void {
  const { at, rule, answer } = of
  progress.answers[at] = answer
  progress.results[at] = answer.result
  if (answer === rule.triggered) {
    progress.sum += rule.weight
    if (rule.planned.preempts !== undefined) progress.decisive = rule
  } else if (answer !== rule.notTriggered && answer !== rule.answers.skipped) {
    progress.partial = true
    const { missing } = of.memory
    if (answer.letter === 'M') progress.waiting.push({ type: rule.planned.type, missing })
  }
}

/**
 * Runs the skipped rules for the record alone: behind all others, so that they take none of the steps that the answer
 * needs. A step takes about two milliseconds at most, as that of a part.
 */
export function* runSkippedRules(
  runs: readonly RecipeRun[],
  { memory, hasAllEvidence }: RunState,
): Steps<void> {
  let stepsLeft = 0
  for (const { recipe, answers, skipped, result } of runs) {
    if (result.determined_by === undefined) continue
    for (const [at, { letter: given }] of answers.entries()) {
      if (given !== 'S') continue
      const rule = recipe.rules[at] as CompiledRule
      if (rule.stepsMax > stepsLeft) {
        yield
        stepsLeft = stepsOfPartMax
      }
      stepsLeft -= rule.stepsMax
      const { letter } = runRule(rule, memory, hasAllEvidence)
      skipped.push({ letter, type: rule.planned.type, missing: memory.missing })
    }
  }
}

/** The run of a recipe of which every rule has run. */
export function endRecipe(
  recipe: CompiledRecipe,
  { answers, results: rules, waiting, sum, partial: partial_evidence, decisive }: RecipeProgress,
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
