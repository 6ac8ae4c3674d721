import { type CompiledPlan, compilePlan } from '../../../src/engine/compile/compilePlan.ts'
import type { Expression } from '../../../src/engine/language/expression.ts'
import { parseRule, type RuleOptions } from '../../../src/engine/language/parse/parseRule.ts'
import { semanticsVersion } from '../../../src/engine/language/semantics.ts'
import type { Evidence, EvidenceItem } from '../../../src/engine/run/evidence.ts'
import type { Plan, PlannedRecipe, PlannedRule } from '../../../src/engine/run/plan.ts'
import { answerCalls } from '../../../src/state/evaluation/gatherEvidence.ts'

export type Values = Readonly<Record<string, string | boolean | number>>

/** The expression of a rule that must compile. */
export function expressionOf(text: string, options?: RuleOptions): Expression {
  const parsed = parseRule(text, options)
  if ('problems' in parsed) throw new Error(`${text}: ${parsed.problems[0]?.message}`)
  return parsed.expression
}

/** The expression without the positions of its parts. */
export function withoutPlaces(expression: Expression): unknown {
  return JSON.parse(
    JSON.stringify(expression, (key, value: unknown) => (key === 'at' ? undefined : value)),
  )
}

/** What is wrong with a rule: the messages without their common beginning. */
export function problemsOf(text: string, options?: RuleOptions): readonly string[] {
  const parsed = parseRule(text, options)
  return 'problems' in parsed
    ? parsed.problems.map(({ message }) => message.replace(/^ERROR: <input>:/, ''))
    : []
}

export function evidenceOf(values: Values): Evidence {
  return new Map(
    Object.entries(values).map(([name, value]): [string, EvidenceItem] => [
      name,
      { value, source: 'request' },
    ]),
  )
}

/** The same with the answers of the calls that the plan asks and no store is needed for. */
export function answered(plan: CompiledPlan, values: Values): Evidence {
  const gathered = { evidence: evidenceOf(values), notCounted: [], unanswered: new Map() }
  return answerCalls(gathered, plan).evidence
}

export function ruleOf(
  id: string,
  rule: string | Expression,
  more: Partial<PlannedRule> = {},
): PlannedRule {
  return {
    rule_id: id,
    type: 'CUSTOM',
    name: `name of ${id}`,
    version_id: `ver_${id}`,
    weight: 10,
    expression: typeof rule === 'string' ? expressionOf(rule) : rule,
    ...more,
  }
}

export function recipeOf(
  rules: readonly PlannedRule[],
  more: Partial<PlannedRecipe> = {},
): PlannedRecipe {
  return { recipe_id: 'rcp_1', version_id: 'ver_1', status: 'LIVE', threshold: 50, rules, ...more }
}

export function planOf(...recipes: readonly PlannedRecipe[]): Plan {
  return { flow_id: 'flo_1', flow_version_id: 'ver_1', semantics: semanticsVersion, recipes }
}

/** The plan ready to run, under the meaning that it says. */
export function compile(plan: Plan): CompiledPlan {
  return compilePlan(plan)
}

/** A plan of one recipe that holds one rule. */
export function onlyRule(
  rule: string | Expression,
  semantics: number = semanticsVersion,
): CompiledPlan {
  return compile({ ...planOf(recipeOf([ruleOf('rul_1', rule)])), semantics })
}

/** `true`, `false`, `missing <name>` or `unavailable`. */
export function outcomeOf(
  text: string | Expression,
  values: Values = {},
  semantics: number = semanticsVersion,
): string {
  const plan = onlyRule(text, semantics)
  const [rule] = plan.run(answered(plan, values)).recipes[0]?.rules ?? []
  if (rule?.unavailable) return 'unavailable'
  if (rule?.outcome === 'NOT_EVALUATED') return `missing ${rule.blocked_by}`
  return String(rule?.outcome === 'TRIGGERED')
}
