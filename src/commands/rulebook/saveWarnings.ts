/** Warns authors of probable mistakes: constant rules and recipes, duplicate names. */

import { pause } from '../../domain/load/longWork.ts'
import type { Warning } from '../../domain/warning.ts'
import { constantOutcome } from '../../engine/analyse/constantOutcome.ts'
import { type ImpossibleValue, impossibleValues } from '../../engine/analyse/impossibleValues.ts'
import { type ReachMember, reachMember, reachOfMembers } from '../../engine/analyse/recipeReach.ts'
import type { Expression } from '../../engine/language/expression.ts'
import { inForce, type ManagedEntry } from '../../events/rulebook/managedRulebook.ts'
import type { Entries, Entry } from '../../events/rulebook/rulebook.ts'
import { type OutlinedRecipe, type OutlinedRule, readRule } from './planFlow.ts'

/** Warnings of a rule with a constant result, or one that asks for evidence that never arrives. */
export function ruleWarnings(expression: Expression): readonly Warning[] {
  return [
    ...outcomeWarnings(constantOutcome(expression)),
    ...partWarnings(impossibleValues(expression)),
  ]
}

/** Warnings of values in a rule that no evidence can match. */
export function partWarnings(parts: readonly ImpossibleValue[]): readonly Warning[] {
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
export async function readMembers(rules: readonly OutlinedRule[]): Promise<readonly ReachMember[]> {
  const members: ReachMember[] = []
  for (const rule of rules) {
    members.push(reachMember(readRule(rule)))
    await pause()
  }
  return members
}

/** Warnings of a recipe with a constant verdict: long work. */
export async function recipeWarnings({
  threshold,
  rules,
}: Pick<OutlinedRecipe, 'threshold' | 'rules'>): Promise<readonly Warning[]> {
  return reachWarnings(threshold, await readMembers(rules))
}

/** Same, for rules that have been read. */
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

/** Warnings of a flow that always answers PASS since none of its recipes, by their statuses, is live. */
export function flowWarnings(statuses: readonly (string | undefined)[]): readonly Warning[] {
  if (statuses.includes('LIVE')) return []
  const code = 'flow_without_live_recipe'
  const message = 'No recipe of the flow is live: it answers PASS, whoever is evaluated.'
  return [{ code, path: 'recipes', message }]
}

/** Others that a name is compared with, the first ones made: an account may have half a million rules, and others wait meanwhile. */
const othersMax = 20_000

/** Every resource of a kind, with its name. */
export interface Named {
  readonly ids: () => Iterable<string>
  /** Undefined for what is not there, or has no name. */
  readonly nameOf: (id: string) => string | undefined
}

/** The id of another resource with this name. */
export function duplicateIn({ ids, nameOf }: Named, id: string, name: string): string | undefined {
  let left = othersMax
  for (const other of ids()) {
    if (other !== id && nameOf(other) === name) return other
    left -= 1
    if (left === 0) return undefined
  }
  return undefined
}

/** Reads all names once, for as many questions; what `changed` says of some of them goes before. */
export function indexDuplicates(
  { ids, nameOf }: Named,
  changed: ReadonlyMap<string, string | undefined>,
): (id: string, name: string) => string | undefined {
  const byName = new Map<string, string[]>()
  const note = (id: string, name: string | undefined): void => {
    if (name === undefined) return
    const alike = byName.get(name) ?? []
    // of many two are enough to find another
    if (alike.length < 2) byName.set(name, [...alike, id])
  }
  for (const [id, name] of changed) note(id, name)
  let left = othersMax
  for (const id of ids()) {
    if (left === 0) break
    left -= 1
    if (!changed.has(id)) note(id, nameOf(id))
  }
  return (id, name) => byName.get(name)?.find((other) => other !== id)
}

/** Warnings of a duplicate name; `isNew` when the other is of the same request, and its id means nothing to the caller. */
export function nameWarnings(
  noun: string,
  duplicate: string | undefined,
  isNew = false,
): readonly Warning[] {
  if (duplicate === undefined) return []
  const message = isNew
    ? `Another ${noun} of the request has this name.`
    : `Another ${noun} has this name: ${duplicate}.`
  return [{ code: 'duplicate_name', path: 'name', message }]
}

export function namedIn(
  entries: Pick<Entries<Pick<Entry<{ readonly name: string }>, 'current'>>, 'keys' | 'get'>,
): Named {
  return { ids: () => entries.keys(), nameOf: (id) => entries.get(id)?.current?.name }
}

/** Same, for managed rules or recipes; a retired one has no name. */
export function namedInForce<Version extends { readonly name?: string }>(
  entries: ReadonlyMap<string, ManagedEntry<Version>>,
): Named {
  return { ids: () => entries.keys(), nameOf: (id) => inForce(entries, id)?.name }
}
