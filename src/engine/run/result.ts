/** Declares the results of a run: verdicts, scores and rule outcomes (spec 2.4 to 2.6). */

import type { PlannedRecipe } from './plan.ts'

export type Verdict = 'PASS' | 'FLAG'
export type Outcome = 'TRIGGERED' | 'NOT_TRIGGERED' | 'NOT_EVALUATED' | 'SKIPPED'

/** Spec 2.6; fields in the order they are answered. */
export interface RuleResult {
  readonly rule_id: string
  readonly type: 'MANAGED' | 'CUSTOM'
  readonly name?: string
  readonly version_id?: string
  readonly weight: number
  readonly outcome: Outcome
  readonly blocked_by?: string
  readonly unavailable?: true
}

/** Spec 2.5. */
export interface RecipeResult {
  readonly recipe_id: string
  readonly threshold: number
  readonly score: number
  readonly verdict: Verdict
  readonly partial_evidence: boolean
  readonly determined_by?: string
  readonly rules: readonly RuleResult[]
}

export interface FlowResult {
  readonly verdict: Verdict
  /** The live recipes, in the flow's order: returned to the caller. */
  readonly recipes: readonly RecipeResult[]
  /** The shadow recipes, in the flow's order: recorded, never returned. */
  readonly shadow: readonly RecipeResult[]
}

/** The answer to a caller (spec 2.4). */
export interface Answer {
  readonly id: string
  readonly verdict: FlowResult['verdict']
  readonly recipes: readonly RecipeResult[]
}

/** The answer with this result: its live recipes. */
export function answerOf(id: string, { verdict, recipes }: FlowResult): Answer {
  return { id, verdict, recipes }
}

/** The result of a recipe of the plan, in the order of its fields (spec 2.5). */
export function recipeResultOf(
  { recipe_id, threshold }: Pick<PlannedRecipe, 'recipe_id' | 'threshold'>,
  found: Omit<RecipeResult, 'recipe_id' | 'threshold'>,
): RecipeResult {
  const { score, verdict, partial_evidence, determined_by, rules } = found
  // two literals, since this is done for every evaluation and spreading takes longer
  return determined_by === undefined
    ? { recipe_id, threshold, score, verdict, partial_evidence, rules }
    : { recipe_id, threshold, score, verdict, partial_evidence, determined_by, rules }
}

/** The JSON of an object with the prepared JSON text of the items of its array `list`; fields in the object's order. */
export function jsonWith<Member extends string>(
  value: { readonly [Name in Member]: readonly unknown[] },
  list: Member,
  items: string,
): string {
  let text = '{'
  for (const name in value) {
    const json = name === list ? `[${items}]` : memberJson(value[name])
    text += text === '{' ? `"${name}":${json}` : `,"${name}":${json}`
  }
  return `${text}}`
}

/** Integers and bools without `JSON.stringify`, which takes longer. */
function memberJson(member: unknown): string {
  return typeof member === 'boolean' || Number.isSafeInteger(member)
    ? String(member)
    : JSON.stringify(member)
}

/** The items of an array as JSON text. */
export function itemsJson<Item>(items: readonly Item[], textOf: (item: Item) => string): string {
  let text = ''
  // not joined: what is added up is copied once, when the whole answer is sent
  for (const item of items) text += text === '' ? textOf(item) : `,${textOf(item)}`
  return text
}
