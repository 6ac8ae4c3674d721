/** Finds probable mistakes: constant rules and recipes, flows without effect, duplicate names. */

import { mapInSteps, type Steps } from '../../domain/load/steps.ts'
import type { SaveWarning } from '../../domain/warning.ts'
import { findConstantOutcome } from '../../engine/analyse/constantOutcome.ts'
import {
  analyseRule,
  findConstantVerdict,
  type RuleAnalysis,
} from '../../engine/analyse/constantVerdict.ts'
import {
  detectImpossibleValues,
  type ImpossibleValue,
} from '../../engine/analyse/impossibleValues.ts'
import type { Expression } from '../../engine/language/expression.ts'
import { type OutlinedRecipe, type OutlinedRule, readOutlinedRule } from './outlineFlow.ts'

/** Warnings of a rule with a constant result, or one that asks for evidence that never arrives. */
export function findRuleWarnings(expression: Expression): readonly SaveWarning[] {
  return buildOutcomeWarnings(findConstantOutcome(expression), detectImpossibleValues(expression))
}

/** Warnings of a rule's constant outcome, if it has one, and of its values that no evidence can match. */
export function buildOutcomeWarnings(
  outcome: boolean | undefined,
  impossible: readonly ImpossibleValue[],
): readonly SaveWarning[] {
  const path = 'expression'
  const warnings = impossible.map((part): SaveWarning => ({ ...part, path }))
  if (outcome === undefined) return warnings
  const code = outcome ? 'rule_always_triggers' : 'rule_never_triggers'
  const message = outcome
    ? 'The rule triggers whenever it is evaluated, whatever arrives.'
    : 'The rule never triggers, whatever arrives.'
  return [{ code, path, message }, ...warnings]
}

/** The rules as far as they count for the verdict, one at each step. */
export function analyseRules(rules: readonly OutlinedRule[]): Steps<readonly RuleAnalysis[]> {
  return mapInSteps(rules, (rule) => analyseRule(readOutlinedRule(rule)))
}

/** Warnings of a recipe with a constant verdict, one rule at each step. */
export function* findRecipeWarnings({
  threshold,
  rules,
}: Pick<OutlinedRecipe, 'threshold' | 'rules'>): Steps<readonly SaveWarning[]> {
  return findVerdictWarnings(threshold, yield* analyseRules(rules))
}

/** Same, for rules that have been read. */
export function findVerdictWarnings(
  threshold: number,
  members: readonly RuleAnalysis[],
): readonly SaveWarning[] {
  const verdict = findConstantVerdict(threshold, members)
  if (!verdict) return []
  const message =
    verdict === 'never_flags'
      ? `The recipe can never flag: no set of its rules reaches the threshold of ${threshold}, and no rule overrides with FLAG.`
      : `The recipe always flags: no score stays below the threshold of ${threshold}, and no rule overrides with PASS.`
  return [{ code: `recipe_${verdict}`, path: 'threshold', message }]
}

/** Warnings of a flow that always answers PASS since none of its recipes, by their statuses, is live. */
export function findFlowWarnings(
  statuses: readonly (string | undefined)[],
): readonly SaveWarning[] {
  if (statuses.includes('LIVE')) return []
  const code = 'flow_without_live_recipe'
  const message = 'No recipe of the flow is live: it answers PASS, whoever is evaluated.'
  return [{ code, path: 'recipes', message }]
}

/** Others that a name is compared with, the first made: of half a million rules, all would make others wait. */
const othersMax = 20_000

/** The resources of a kind, by id; one that is retired has no name. */
export interface NamedEntries {
  readonly keys: () => Iterable<string>
  readonly get: (
    id: string,
  ) => { readonly current: { readonly name?: string } | undefined } | undefined
}

/** Warns of duplicates for each id in `names`: of another one in `names`, else of one of the first entries. */
export function indexNameWarnings(
  noun: string,
  entries: NamedEntries,
  names: ReadonlyMap<string, string | undefined>,
): (id: string) => readonly SaveWarning[] {
  const byName = new Map<string | undefined, string[]>()
  for (const name of names.values()) byName.set(name, [])
  for (const [id, name] of names) byName.get(name)?.push(id)
  let left = othersMax
  for (const id of entries.keys()) {
    if (left === 0) break
    left -= 1
    if (!names.has(id)) byName.get(entries.get(id)?.current?.name)?.push(id)
  }
  return (id) => {
    const name = names.get(id)
    const other = name === undefined ? undefined : byName.get(name)?.find((one) => one !== id)
    if (other === undefined) return []
    // the id of one of the same request means nothing to the caller
    const message = names.has(other)
      ? `Another ${noun} of the request has this name.`
      : `Another ${noun} has this name: ${other}.`
    return [{ code: 'duplicate_name', path: 'name', message }]
  }
}
