/** Describes how two evaluations differ: the causes of their verdicts first, then the rest. */

import { shownCell } from '../../../engine/explain/seen.ts'
import type { Expression } from '../../../engine/language/expression.ts'
import { unparse } from '../../../engine/language/unparse.ts'
import type { PlannedRule } from '../../../engine/run/plan.ts'
import type { Names } from '../names.ts'
import { findCauses } from './causes.ts'
import { alike, type Side, type SideDifference, sideDifferences } from './sides.ts'

/** A difference, with the names of what it is of. Values of a person are `{"sealed": true}` for callers that may not analyse. */
export interface DifferenceView extends SideDifference {
  readonly recipe_name?: string
  /** Of a managed rule its description. */
  readonly rule_name?: string
}

export interface CauseView {
  /** Together they turn the first verdict into the second. */
  readonly differences: readonly DifferenceView[]
}

export interface Comparison {
  /** Each does by itself; none when the verdicts are the same. */
  readonly causes: readonly CauseView[]
  /** Whether every smaller combination was tried. */
  readonly smallest: boolean
  /** Differences that are in none of the causes. */
  readonly others: readonly DifferenceView[]
}

interface Shown {
  readonly names: Names
  /** Whether personal data is opened. */
  readonly opens: boolean
}

/** Long work. Throws `unknown_semantics`. */
export async function compareSides(one: Side, other: Side, shown: Shown): Promise<Comparison> {
  const [a, b] = alike(one, other)
  const differences = sideDifferences(a, b)
  const { causes, smallest } = await findCauses(a, b, differences)
  const named = new Set(causes.flat())
  const rules = new Map(
    [b, a].flatMap(({ plan }) =>
      plan.recipes.flatMap((recipe) => recipe.rules.map((rule) => [rule.rule_id, rule] as const)),
    ),
  )
  const view = (difference: SideDifference) => viewOf(difference, rules, shown)
  return {
    causes: causes.map((cause) => ({ differences: cause.map(view) })),
    smallest,
    others: differences.filter((difference) => !named.has(difference)).map(view),
  }
}

function viewOf(
  difference: SideDifference,
  rules: ReadonlyMap<string, PlannedRule>,
  { names, opens }: Shown,
): DifferenceView {
  const { recipe_id, rule_id, name, kind } = difference
  const rule = rules.get(rule_id ?? '')
  const isManaged = rule?.type === 'MANAGED'
  const ruleName =
    rule && (isManaged ? names.managedRule(rule.rule_id, rule.version_id) : rule.name)
  const recipeName = recipe_id === undefined ? undefined : names.recipe(recipe_id, undefined)
  const { a, b, ...of } = difference
  const shown = (value: unknown): unknown => {
    if (name !== undefined) return opens ? shownCell(name, value as string) : { sealed: true }
    return kind === 'rule_version' ? versionView(value as PlannedRule) : value
  }
  const isHidden = isManaged && kind === 'rule_version'
  return {
    ...of,
    ...(recipeName !== undefined && { recipe_name: recipeName }),
    ...(ruleName && { rule_name: ruleName }),
    ...(a !== undefined && !isHidden && { a: shown(a) }),
    ...(b !== undefined && !isHidden && { b: shown(b) }),
  }
}

function versionView({
  version_id,
  expression,
}: Pick<PlannedRule, 'version_id'> & { readonly expression?: Expression }) {
  return { version_id, ...(expression && { expression: unparse(expression) }) }
}
