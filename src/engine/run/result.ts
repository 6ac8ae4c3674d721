/** Declares results of runs (spec 2.4 to 2.6), and renders objects with prepared JSON items. */

import {
  asSchemaOf,
  int64,
  type ObjectOf,
  openObject,
  optional,
  type TypeOf,
  text,
} from '../../domain/jsonSchema.ts'
import type { PlannedRecipe } from './plan.ts'

export const verdictSchema = { type: 'string', enum: ['PASS', 'FLAG'] } as const
export type Verdict = TypeOf<typeof verdictSchema>

/** Spec 2.6; fields in the order they are answered. */
export const ruleResultFields = {
  rule_id: text,
  type: { type: 'string', enum: ['MANAGED', 'CUSTOM'] },
  name: optional({ type: 'string', description: 'Present for CUSTOM, omitted for MANAGED.' }),
  version_id: optional({ type: 'string', description: 'Present for CUSTOM, omitted for MANAGED.' }),
  weight: int64,
  outcome: { type: 'string', enum: ['TRIGGERED', 'NOT_TRIGGERED', 'NOT_EVALUATED', 'SKIPPED'] },
  blocked_by: optional({
    type: 'string',
    description: 'The missing signal or attribute; only with NOT_EVALUATED.',
  }),
  unavailable: optional(
    asSchemaOf<true>({
      type: 'boolean',
      description: "True when the rule could not run for a reason on the service's side.",
    }),
  ),
} as const
export type RuleResult = ObjectOf<typeof ruleResultFields>
export type Outcome = RuleResult['outcome']

/** Spec 2.5; all fields except the rules. */
export const recipeResultFields = {
  recipe_id: text,
  threshold: int64,
  score: { ...int64, minimum: 0, maximum: 100 },
  verdict: verdictSchema,
  partial_evidence: { type: 'boolean' },
  determined_by: optional({
    type: 'string',
    description: 'The rule that decided in place of the score.',
  }),
} as const

const recipeResultSchema = openObject('RecipeResult', {
  ...recipeResultFields,
  rules: { type: 'array', items: openObject('RuleResult', ruleResultFields) },
})
export type RecipeResult = TypeOf<typeof recipeResultSchema>

/** The answer to a caller (spec 2.4). */
export const evaluateResponseSchema = openObject('EvaluateResponse', {
  id: text,
  verdict: verdictSchema,
  recipes: { type: 'array', items: recipeResultSchema },
})
export type EvaluateResponse = TypeOf<typeof evaluateResponseSchema>

export interface FlowResult {
  readonly verdict: Verdict
  /** The live recipes, in the flow's order: returned to the caller. */
  readonly recipes: readonly RecipeResult[]
  /** The shadow recipes, in the flow's order: recorded, never returned. */
  readonly shadowRecipes: readonly RecipeResult[]
}

/** The answer with this result: its live recipes. */
export function buildEvaluateResponse(
  id: string,
  { verdict, recipes }: FlowResult,
): EvaluateResponse {
  return { id, verdict, recipes }
}

/** The result of a recipe of the plan, in the order of its fields (spec 2.5). */
export function buildRecipeResult(
  { recipe_id, threshold }: Pick<PlannedRecipe, 'recipe_id' | 'threshold'>,
  found: Omit<RecipeResult, 'recipe_id' | 'threshold' | 'determined_by'> & {
    readonly determined_by: string | undefined
  },
): RecipeResult {
  const { score, verdict, partial_evidence, determined_by, rules } = found
  // two literals, since this is done for every evaluation and spreading takes longer
  return determined_by === undefined
    ? { recipe_id, threshold, score, verdict, partial_evidence, rules }
    : { recipe_id, threshold, score, verdict, partial_evidence, determined_by, rules }
}

const scoreMin = 0
const scoreMax = 100

/** The sum of weights within the bounds of a score. */
export function clampScore(sum: number): number {
  return Math.min(scoreMax, Math.max(scoreMin, sum))
}

/** The JSON of an object with the prepared JSON text of the items of its array `list`; fields in the object's order. */
export function renderWithItems<Member extends string>(
  value: { readonly [Name in Member]: readonly unknown[] },
  list: Member,
  items: string,
): string {
  let text = '{'
  for (const name in value) {
    const json = name === list ? `[${items}]` : JSON.stringify(value[name])
    text += text === '{' ? `"${name}":${json}` : `,"${name}":${json}`
  }
  return `${text}}`
}

/** The items of an array as JSON text. */
export function renderItems<Item>(items: readonly Item[], textOf: (item: Item) => string): string {
  let text = ''
  // not joined: what is added up is copied once, when the whole answer is sent
  for (const item of items) text += text === '' ? textOf(item) : `,${textOf(item)}`
  return text
}
