/** Finds probable mistakes: constant rules and recipes, flows without effect, duplicate names. */

import { pauseLongWork } from '../../domain/load/longWork.ts'
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
export function ruleWarnings(expression: Expression): readonly SaveWarning[] {
  return outcomeWarnings(findConstantOutcome(expression), detectImpossibleValues(expression))
}

/** Warnings of a rule with this constant outcome, undefined when it has none, and of values in it that no evidence can match. */
export function outcomeWarnings(
  outcome: boolean | undefined,
  impossible: readonly ImpossibleValue[],
): readonly SaveWarning[] {
  const path = 'expression'
  const warnings = impossible.map((part): SaveWarning => ({ ...part, path }))
  if (outcome === undefined) return warnings
  const constant: SaveWarning = outcome
    ? {
        code: 'rule_always_triggers',
        path,
        message: 'The rule triggers whenever it is evaluated, whatever arrives.',
      }
    : { code: 'rule_never_triggers', path, message: 'The rule never triggers, whatever arrives.' }
  return [constant, ...warnings]
}

/** The rules as far as they count for the verdict: long work. */
export async function readMembers(
  rules: readonly OutlinedRule[],
): Promise<readonly RuleAnalysis[]> {
  const members: RuleAnalysis[] = []
  for (const rule of rules) {
    members.push(analyseRule(readOutlinedRule(rule)))
    await pauseLongWork()
  }
  return members
}

/** Warnings of a recipe with a constant verdict: long work. */
export async function recipeWarnings({
  threshold,
  rules,
}: Pick<OutlinedRecipe, 'threshold' | 'rules'>): Promise<readonly SaveWarning[]> {
  return reachWarnings(threshold, await readMembers(rules))
}

/** Same, for rules that have been read. */
export function reachWarnings(
  threshold: number,
  members: readonly RuleAnalysis[],
): readonly SaveWarning[] {
  const path = 'threshold'
  switch (findConstantVerdict(threshold, members)) {
    case 'never_flags': {
      const message = `The recipe can never flag: no set of its rules reaches the threshold of ${threshold}, and no rule overrides with FLAG.`
      return [{ code: 'recipe_never_flags', path, message }]
    }
    case 'always_flags': {
      const message = `The recipe always flags: no score stays below the threshold of ${threshold}, and no rule overrides with PASS.`
      return [{ code: 'recipe_always_flags', path, message }]
    }
    default:
      return []
  }
}

/** Warnings of a flow that always answers PASS since none of its recipes, by their statuses, is live. */
export function flowWarnings(statuses: readonly (string | undefined)[]): readonly SaveWarning[] {
  if (statuses.includes('LIVE')) return []
  const code = 'flow_without_live_recipe'
  const message = 'No recipe of the flow is live: it answers PASS, whoever is evaluated.'
  return [{ code, path: 'recipes', message }]
}

/** Others that a name is compared with, the first ones made: an account may have half a million rules, and others wait meanwhile. */
const othersMax = 20_000

/** The resources of a kind, by id; one that is retired has no name. */
export interface NamedEntries {
  readonly keys: () => Iterable<string>
  readonly get: (
    id: string,
  ) => { readonly current: { readonly name?: string } | undefined } | undefined
}

/** Finds, for each id in `names`, another resource of the same name: one in `names`, else one of the first entries. */
export function indexDuplicates(
  entries: NamedEntries,
  names: ReadonlyMap<string, string | undefined>,
): (id: string) => string | undefined {
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
    return name === undefined ? undefined : byName.get(name)?.find((other) => other !== id)
  }
}

/** Warnings of a duplicate name; `isNew` when the other is of the same request, and its id means nothing to the caller. */
export function nameWarnings(
  noun: string,
  duplicate: string | undefined,
  isNew: boolean,
): readonly SaveWarning[] {
  if (duplicate === undefined) return []
  const message = isNew
    ? `Another ${noun} of the request has this name.`
    : `Another ${noun} has this name: ${duplicate}.`
  return [{ code: 'duplicate_name', path: 'name', message }]
}
