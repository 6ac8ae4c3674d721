/** Encodes the result of a run for the log, decodes it, and computes the verdict of a flow. */

import { requireSemantics } from '../language/semantics.ts'
import type { Plan, PlannedRecipe, PlannedRuleInfo } from './plan.ts'
import { buildRecipeResult, type FlowResult, type RecipeResult, type Verdict } from './result.ts'
import { buildRuleAnswer, type OutcomeLetter, type RuleAnswer } from './ruleAnswers.ts'
import type { RecipeRun } from './runRecipe.ts'

/** A recipe's result without what the plan contains. */
export interface RecordedRecipe {
  readonly recipe_id: string
  readonly score: number
  readonly verdict: Verdict
  readonly determined_by?: string
  /** One letter a rule in membership order: `T`riggered, `N`ot triggered, `M`issing evidence, `U`navailable, `S`kipped. */
  readonly outcomes: string
  /** For each `M`, in order: the name that did not arrive, of a managed rule `missing_data`. */
  readonly blocked_by: readonly string[]
}

/** The record of a recipe's run. */
export function recordRecipe(run: RecipeRun): RecordedRecipe {
  const { recipe_id, score, verdict, determined_by } = run.result
  let outcomes = ''
  const blocked_by: string[] = []
  for (const { letter, blockedBy } of run.answers) {
    outcomes += letter
    if (blockedBy !== undefined) blocked_by.push(blockedBy)
  }
  return determined_by === undefined
    ? { recipe_id, score, verdict, outcomes, blocked_by }
    : { recipe_id, score, verdict, determined_by, outcomes, blocked_by }
}

/**
 * The result that was recorded, from its record and the plan that ran. Throws when the two do not belong together, `unknown_semantics`.
 */
export function decodeResult(
  plan: Plan<PlannedRuleInfo>,
  recorded: readonly RecordedRecipe[],
): FlowResult {
  requireSemantics(plan.semantics)
  if (plan.recipes.length !== recorded.length) throw new Error('the record is not of this plan')
  const recipes: RecipeResult[] = []
  const shadowRecipes: RecipeResult[] = []
  for (const [index, planned] of plan.recipes.entries()) {
    const result = expandRecipe(planned, recorded[index])
    if (planned.status === 'LIVE') recipes.push(result)
    else shadowRecipes.push(result)
  }
  return { verdict: flowVerdict(recipes), recipes, shadowRecipes }
}

/** The most severe verdict (spec 3, rule 3). */
export function flowVerdict(recipes: readonly RecipeResult[]): Verdict {
  return recipes.some(({ verdict }) => verdict === 'FLAG') ? 'FLAG' : 'PASS'
}

function expandRecipe(
  planned: PlannedRecipe<PlannedRuleInfo>,
  recorded: RecordedRecipe | undefined,
): RecipeResult {
  if (
    recorded?.recipe_id !== planned.recipe_id ||
    recorded.outcomes.length !== planned.rules.length
  ) {
    throw new Error(`the record of ${planned.recipe_id} is not of this plan`)
  }
  const { score, verdict, determined_by } = recorded
  const names = recorded.blocked_by.values()
  const answers = planned.rules.map((rule, index): RuleAnswer => {
    const letter = recorded.outcomes[index] as OutcomeLetter
    return buildRuleAnswer(rule, letter, letter === 'M' ? names.next().value : undefined)
  })
  return buildRecipeResult(planned, {
    score,
    verdict,
    partial_evidence: answers.some(({ letter }) => letter === 'M' || letter === 'U'),
    determined_by,
    rules: answers.map(({ result }) => result),
  })
}
