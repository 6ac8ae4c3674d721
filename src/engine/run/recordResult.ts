/** Encodes the result of a run for the log, decodes it, and computes the verdict of a flow. */

import type { Mutable } from '../../domain/mutable.ts'
import { requireSemantics } from '../language/semantics.ts'
import { type Assessment, assessVerdict } from './assessVerdict.ts'
import type { MissingName, MissingReason } from './missingNames.ts'
import type { Plan, PlannedRecipe, PlannedRule, PlannedRuleInfo } from './plan.ts'
import { buildRecipeResult, type FlowResult, type RecipeResult, type Verdict } from './result.ts'
import { buildRuleAnswer, type OutcomeLetter, type RuleAnswer } from './ruleAnswers.ts'
import type { RecipeRun, WaitingRule } from './runRecipe.ts'
import { missingData } from './shownRule.ts'

/** A recipe's result without what the plan contains. */
export interface RecordedRecipe extends Assessment {
  readonly recipe_id: string
  readonly score: number
  readonly verdict: Verdict
  readonly determined_by?: string
  /**
   * One letter a rule in membership order: `T`riggered, `N`ot triggered, `M`issing evidence, `U`navailable, `S`kipped.
   */
  readonly outcomes: string
  /** For each `S`, in order: the letter that the rule would have had. */
  readonly skipped?: string
  /**
   * For each `M`, in order, those of `skipped` last: the names that the rule was not evaluated for, first the one
   * that is answered. From 0 on they are indexes in `RecordedRun.missing`; -1 is the first of `missing_managed`.
   */
  readonly blocked_by?: readonly (readonly number[])[]
}

type RecordedName = readonly [name: string, reason: MissingReason]

export interface RecordedRun {
  /** Live and shadow recipes, in the plan's order. */
  readonly recipes: readonly RecordedRecipe[]
  /** The names for which rules were not evaluated, each reason once, as the recipes refer to them. */
  readonly missing?: readonly RecordedName[]
  /** The same of managed rules, which no account is shown. */
  readonly missing_managed?: readonly RecordedName[]
  /** Whether missing evidence could turn the verdict of the whole answer. */
  readonly fragile?: true
}

export function recordRun(runs: readonly RecipeRun[]): RecordedRun {
  const tables: NameTables = { CUSTOM: new Map(), MANAGED: new Map() }
  const recorded: Mutable<RecordedRun> = { recipes: runs.map((run) => recordRecipe(run, tables)) }
  if (tables.CUSTOM.size > 0) recorded.missing = listNames(tables.CUSTOM)
  if (tables.MANAGED.size > 0) recorded.missing_managed = listNames(tables.MANAGED)
  const live = recorded.recipes.filter((_, at) => runs[at]?.recipe.plannedRecipe.status === 'LIVE')
  if (isAnswerFragile(live)) recorded.fragile = true
  return recorded
}

/** Whether the live recipes could come to another verdict: one more flags, or none of those that flag does. */
export function isAnswerFragile(
  live: readonly Pick<RecordedRecipe, 'verdict' | 'fragile'>[],
): boolean {
  const flagging = live.filter(({ verdict }) => verdict === 'FLAG')
  if (flagging.length > 0) return flagging.every(({ fragile }) => fragile)
  return live.some(({ fragile }) => fragile)
}

/** Names with their reasons and their numbers from 0 on, by the type of the rules that wait for them. */
type NameTables = Readonly<Record<PlannedRule['type'], Map<MissingName, number>>>

function listNames(table: ReadonlyMap<MissingName, number>): readonly RecordedName[] {
  return [...table.keys()].map(({ name, reason }) => [name, reason])
}

function recordRecipe(run: RecipeRun, tables: NameTables): RecordedRecipe {
  const { recipe_id, score, verdict, determined_by } = run.result
  const outcomes = joinLetters(run.answers)
  const recorded: Mutable<RecordedRecipe> = { recipe_id, score, verdict, outcomes }
  if (determined_by !== undefined) recorded.determined_by = determined_by
  if (run.skipped.length > 0) recorded.skipped = joinLetters(run.skipped)
  const waiting = [...run.waiting, ...run.skipped.filter(({ letter }) => letter === 'M')]
  if (waiting.length > 0) recorded.blocked_by = waiting.map((rule) => recordNames(rule, tables))
  return Object.assign(recorded, assessVerdict(run.recipe.plannedRecipe, recorded))
}

function joinLetters(rules: readonly { readonly letter: OutcomeLetter }[]): string {
  let letters = ''
  for (const { letter } of rules) letters += letter
  return letters
}

/** The indexes of the names, each once. */
function recordNames({ type, missing }: WaitingRule, tables: NameTables): readonly number[] {
  const table = tables[type]
  const indexes: number[] = []
  for (const name of missing) {
    const number = table.get(name) ?? table.size
    if (number === table.size) table.set(name, number)
    const index = type === 'CUSTOM' ? number : -1 - number
    if (!indexes.includes(index)) indexes.push(index)
  }
  return indexes
}

/**
 * The result that was recorded, from its record and the plan that ran. Throws when the two do not belong together,
 * `unknown_semantics`.
 */
export function decodeResult(
  plan: Plan<PlannedRuleInfo>,
  { recipes: recorded, missing = [] }: Pick<RecordedRun, 'recipes' | 'missing'>,
): FlowResult {
  requireSemantics(plan.semantics)
  if (plan.recipes.length !== recorded.length) throw new Error('the record is not of this plan')
  const recipes: RecipeResult[] = []
  const shadowRecipes: RecipeResult[] = []
  for (const [index, planned] of plan.recipes.entries()) {
    const result = expandRecipe(planned, recorded[index], missing)
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
  missing: readonly RecordedName[],
): RecipeResult {
  if (
    recorded?.recipe_id !== planned.recipe_id ||
    recorded.outcomes.length !== planned.rules.length
  ) {
    throw new Error(`the record of ${planned.recipe_id} is not of this plan`)
  }
  const { score, verdict, determined_by } = recorded
  const blocked = (recorded.blocked_by ?? []).values()
  const answers = planned.rules.map((rule, index): RuleAnswer => {
    const letter = recorded.outcomes[index] as OutcomeLetter
    if (letter !== 'M') return buildRuleAnswer(rule, letter)
    const [first = -1] = blocked.next().value ?? []
    return buildRuleAnswer(rule, letter, missing[first]?.[0] ?? missingData)
  })
  return buildRecipeResult(planned, {
    score,
    verdict,
    partial_evidence: answers.some(({ letter }) => letter === 'M' || letter === 'U'),
    determined_by,
    rules: answers.map(({ result }) => result),
  })
}
