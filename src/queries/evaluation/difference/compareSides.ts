/** Describes how two evaluations differ: the causes of their verdicts first, then the rest. */

import { type ObjectOf, openObject, optional, type TypeOf, text } from '../../../domain/schema.ts'
import { shownCell } from '../../../engine/explain/seen.ts'
import type { Expression } from '../../../engine/language/expression.ts'
import { unparse } from '../../../engine/language/unparse.ts'
import type { PlannedRule } from '../../../engine/run/plan.ts'
import { nameSchema } from '../evaluationView.ts'
import type { Names } from '../names.ts'
import { findCauses } from './causes.ts'
import { alike, differenceKinds, type Side, type SideDifference, sideDifferences } from './sides.ts'

const side = optional({
  description:
    'Absent where there is nothing, and of versions of managed rules. Values of a person are `{"sealed": true}` for a token without the scope `analyse`.',
})

/** A difference, with the names of what it is of. */
const differenceSchema = openObject('EvaluationDifferenceItem', {
  kind: {
    type: 'string',
    enum: differenceKinds,
    description:
      'evidence: a value that arrived. list_entry: the answer of a list. semantics: the version of the meaning of rules. recipe: runs in one flow only. status: live or shadow. membership: a rule in one recipe only, by its weight. order: of rules. override: the verdict that a rule sets.',
  },
  recipe_id: optional(text),
  recipe_name: optional(nameSchema),
  rule_id: optional(text),
  rule_name: optional({ type: 'string', description: 'Of MANAGED rules the description.' }),
  name: optional({ type: 'string', description: 'Of evidence, as rules name it.' }),
  a: side,
  b: side,
})
export type DifferenceView = TypeOf<typeof differenceSchema>

const differences = { type: 'array', items: differenceSchema } as const

export const comparisonFields = {
  causes: {
    type: 'array',
    items: openObject('EvaluationDifferenceCause', {
      differences: {
        ...differences,
        description: 'Together they turn the verdict of `a` into that of `b`.',
      },
    }),
    description: 'Each does by itself. None when the verdicts are the same.',
  },
  smallest: { type: 'boolean', description: 'Whether every smaller combination was tried.' },
  others: { ...differences, description: 'Differences that are in none of the causes.' },
} as const
export type Comparison = ObjectOf<typeof comparisonFields>

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
