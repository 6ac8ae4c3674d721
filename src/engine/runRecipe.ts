/** One recipe of a plan: its rules in membership order, its score and its verdict (spec 2.5, 3). */

import { type CompiledRule, runRule } from './compileRule.ts'
import { limits } from './limits.ts'
import type { Memory } from './memory.ts'
import type { PlannedRecipe } from './plan.ts'
import type { RecipeResult, RuleResult, Verdict } from './result.ts'
import { answerJson, type RuleAnswer } from './ruleAnswers.ts'

export interface CompiledRecipe {
  readonly planned: PlannedRecipe
  readonly rules: readonly CompiledRule[]
  /** The JSON text of the result up to the score. */
  readonly jsonHead: string
}

/** A result with what it was made of. */
export interface RecipeRun {
  readonly recipe: CompiledRecipe
  readonly result: RecipeResult
  readonly answers: readonly RuleAnswer[]
}

/** One run of a plan, as far as its recipes share it. */
export interface RunState {
  /** Whether every name that the plan reads has arrived. */
  readonly complete: boolean
  /** Steps left to the rules whose steps are counted. */
  stepsLeft: number
}

const scoreMin = 0
const scoreMax = 100

/** A recipe with its rules compiled. */
export function compiledRecipe(
  planned: PlannedRecipe,
  rules: readonly CompiledRule[],
): CompiledRecipe {
  const { recipe_id, threshold } = planned
  const head = JSON.stringify({ recipe_id, threshold }).slice(0, -1)
  return { planned, rules, jsonHead: `${head},"score":` }
}

/** Runs the recipe's rules over the memory as it is loaded. */
export function runRecipe(recipe: CompiledRecipe, memory: Memory, state: RunState): RecipeRun {
  const { rules } = recipe
  const answers: RuleAnswer[] = new Array(rules.length)
  const results: RuleResult[] = new Array(rules.length)
  let sum = 0
  let partial = false
  let decisive: CompiledRule | undefined
  for (let at = 0; at < rules.length; at++) {
    const rule = rules[at] as CompiledRule
    const answer = decisive ? rule.answers.skipped : answerOf(rule, memory, state)
    answers[at] = answer
    results[at] = answer.result
    if (answer.letter === 'T') {
      sum += rule.planned.weight
      if (rule.planned.preempts !== undefined) decisive = rule
    } else if (answer.letter === 'M' || answer.letter === 'U') partial = true
  }
  const score = clampScore(sum)
  const { recipe_id, threshold } = recipe.planned
  const verdict = verdictOf(score >= threshold, decisive)
  const result: RecipeResult = decisive
    ? {
        recipe_id,
        threshold,
        score,
        verdict,
        partial_evidence: partial,
        determined_by: decisive.planned.rule_id,
        rules: results,
      }
    : { recipe_id, threshold, score, verdict, partial_evidence: partial, rules: results }
  return { recipe, result, answers }
}

/** The sum of weights within the bounds of a score (spec 2.5). */
function clampScore(sum: number): number {
  return Math.min(scoreMax, Math.max(scoreMin, sum))
}

function verdictOf(reached: boolean, decisive: CompiledRule | undefined): Verdict {
  return decisive?.planned.preempts ?? (reached ? 'FLAG' : 'PASS')
}

function answerOf(rule: CompiledRule, memory: Memory, state: RunState): RuleAnswer {
  if (!rule.program?.counted) return runRule(rule, memory, state.complete)
  const granted = Math.min(limits.ruleSteps, state.stepsLeft)
  memory.steps = granted
  const answer = runRule(rule, memory, state.complete)
  state.stepsLeft -= granted - Math.max(0, memory.steps)
  return answer
}

/** The JSON text of the run's result: what `JSON.stringify` makes of it. */
export function recipeJson({ recipe, result, answers }: RecipeRun): string {
  const { score, verdict, partial_evidence, determined_by } = result
  let text = `${recipe.jsonHead}${score},"verdict":"${verdict}","partial_evidence":${partial_evidence}`
  if (determined_by !== undefined) text += `,"determined_by":${JSON.stringify(determined_by)}`
  text += ',"rules":['
  for (let at = 0; at < answers.length; at++) {
    if (at > 0) text += ','
    text += answerJson(answers[at] as RuleAnswer)
  }
  return `${text}]}`
}
