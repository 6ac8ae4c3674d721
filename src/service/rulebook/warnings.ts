/** What authors are warned of in what they save. */

import {
  type OutlinedRecipe,
  type OutlinedRule,
  readRule,
} from '../../commands/evaluation/outline.ts'
import { pause } from '../../domain/longWork.ts'
import type { Warning } from '../../domain/warning.ts'
import { constantOutcome } from '../../engine/analyse/constantOutcome.ts'
import { type ReachMember, reachMember, reachOfMembers } from '../../engine/analyse/recipeReach.ts'
import { type UnmeantPart, unmeantParts } from '../../engine/analyse/unmeantParts.ts'
import type { Expression } from '../../engine/language/expression.ts'

/** Of a rule that comes out the same whatever arrives, or asks for what never does. */
export function ruleWarnings(expression: Expression): readonly Warning[] {
  return [
    ...outcomeWarnings(constantOutcome(expression)),
    ...partWarnings(unmeantParts(expression)),
  ]
}

/** Of what stands in a rule and never holds. */
export function partWarnings(parts: readonly UnmeantPart[]): readonly Warning[] {
  return parts.map((part) => ({ ...part, path: 'expression' }))
}

/** Of a rule that gives this whenever it is evaluated; none where that is not known. */
export function outcomeWarnings(outcome: boolean | undefined): readonly Warning[] {
  const path = 'expression'
  switch (outcome) {
    case true:
      return [
        {
          code: 'rule_always_triggers',
          path,
          message: 'The rule triggers whenever it is evaluated, whatever arrives.',
        },
      ]
    case false:
      return [
        {
          code: 'rule_never_triggers',
          path,
          message: 'The rule never triggers, whatever arrives.',
        },
      ]
    default:
      return []
  }
}

/** The rules as far as they count for the verdict: long work. */
export async function lookedAt(rules: readonly OutlinedRule[]): Promise<readonly ReachMember[]> {
  const members: ReachMember[] = []
  for (const rule of rules) {
    members.push(reachMember(readRule(rule)))
    await pause()
  }
  return members
}

/** Of a recipe whose every verdict is the same: long work. */
export async function recipeWarnings({
  threshold,
  rules,
}: Pick<OutlinedRecipe, 'threshold' | 'rules'>): Promise<readonly Warning[]> {
  return reachWarnings(threshold, await lookedAt(rules))
}

/** The same, of rules that have been looked at. */
export function reachWarnings(
  threshold: number,
  members: readonly ReachMember[],
): readonly Warning[] {
  const path = 'threshold'
  switch (reachOfMembers(threshold, members)) {
    case 'never_flags':
      return [
        {
          code: 'recipe_never_flags',
          path,
          message: `The recipe can never flag: no set of its rules reaches the threshold of ${threshold}, and no rule overrides with FLAG.`,
        },
      ]
    case 'always_flags':
      return [
        {
          code: 'recipe_always_flags',
          path,
          message: `The recipe always flags: no score stays below the threshold of ${threshold}, and no rule overrides with PASS.`,
        },
      ]
    default:
      return []
  }
}

/** Of a flow, by the statuses of its recipes, that answers PASS whoever is evaluated since none of them is live. */
export function flowWarnings(statuses: readonly (string | undefined)[]): readonly Warning[] {
  if (statuses.includes('LIVE')) return []
  const code = 'flow_without_live_recipe'
  const message = 'No recipe of the flow is live: it answers PASS, whoever is evaluated.'
  return [{ code, path: 'recipes', message }]
}
