/** Makes an earlier version of a rule, a recipe or a flow, or of what the operator keeps of them, the current one again. */

import { Failure, mustExist } from '../../domain/failure.ts'
import {
  managedRecipeContent,
  managedRuleContent,
  ruleContent,
} from '../../events/rulebook/contents.ts'
import {
  inForce,
  type ManagedEntry,
  type ManagedEvent,
  type ManagedRecipeVersion,
  type ManagedRulebook,
  type ManagedRuleVersion,
} from '../../events/rulebook/managedRulebook.ts'
import {
  type Entry,
  type FlowVersion,
  type RecipeVersion,
  type RulebookEvent,
  type RulebookState,
  type RuleContent,
  type RuleVersion,
  ruleOf,
} from '../../events/rulebook/rulebook.ts'
import { assertLists } from './listUses.ts'
import { oldRuleProblems } from './patternRoom.ts'
import { publishFlow } from './publishFlow.ts'
import { publishManagedRecipe } from './publishManagedRecipe.ts'
import { assertManagedPatternRoom } from './publishManagedRule.ts'
import { type PublishRecipeInput, publishRecipe } from './publishRecipe.ts'
import { assertRuleRoom } from './publishRule.ts'

type Decide = (state: RulebookState) => readonly RulebookEvent[]
type DecideManaged = (state: ManagedRulebook) => readonly ManagedEvent[]

/**
 * The decision: the version keeps its id, so that pins still mean it; the current one again is no change. `earlier` is the version where
 * the log has it, since the rulebook may not hold it any more. Throws `not_found`, `invalid_rule` for a version whose patterns are
 * larger than what may be saved now, or that asks a list which is gone, `invalid_request` when a recipe or a flow that runs the rule has no room for them.
 */
export function restoreRule(ruleId: string, versionId: string, earlier?: RuleVersion): Decide {
  return (state) => {
    const { version, isCurrent } = versionOf(state.rules.get(ruleId), versionId, earlier)
    if (isCurrent) return []
    const content = ruleContent(ruleOf(version))
    assertSavable(content)
    assertLists(state, content)
    assertRuleRoom(state, ruleId, content)
    const data = { rule_id: ruleId, version_id: versionId, ...content }
    return [{ type: 'RuleRestored', data }]
  }
}

interface RestoringRecipe extends Pick<PublishRecipeInput, 'known'> {
  readonly managed: ManagedRulebook
  readonly earlier?: RecipeVersion
}

/**
 * The same for a recipe, whose status stays as it is. Throws also `invalid_request` with a path for every reference of the version
 * that cannot be used any more.
 */
export function restoreRecipe(
  recipeId: string,
  versionId: string,
  { managed, earlier, known }: RestoringRecipe,
): Decide {
  return (state) => {
    const entry = mustExist(state.recipes.get(recipeId))
    const { version, isCurrent } = versionOf(entry, versionId, earlier)
    if (isCurrent) return []
    const { status } = entry
    // decided like a change to this content; only what it throws matters
    const input = { ...version, recipeId, versionId, status, ...(known && { known }) }
    publishRecipe({ ...input, mode: 'replace' }, managed)(state)
    return [{ type: 'RecipeRestored', data: { ...version, recipe_id: recipeId, status } }]
  }
}

/** The same for a flow. */
export function restoreFlow(flowId: string, versionId: string, earlier?: FlowVersion): Decide {
  return (state) => {
    const { version, isCurrent } = versionOf(state.flows.get(flowId), versionId, earlier)
    if (isCurrent) return []
    publishFlow({ ...version, flowId, versionId, mode: 'replace' })(state)
    return [{ type: 'FlowRestored', data: { ...version, flow_id: flowId } }]
  }
}

/**
 * The same for a managed rule: as after any change of it, the recipes that name it run it from then on, and where it cannot run it is
 * unavailable. A shipped version that is brought back is the operator's choice and not replaced by what ships later.
 */
export function restoreManagedRule(
  ruleId: string,
  versionId: string,
  earlier?: ManagedRuleVersion,
): DecideManaged {
  return (state) => {
    const entry = managedEntry(state.rules, ruleId)
    const { version, isCurrent } = versionOf(entry, versionId, earlier)
    if (isCurrent) return []
    const content = managedRuleContent(version)
    assertSavable(content)
    assertManagedPatternRoom(state, ruleId, content)
    const data = { rule_id: ruleId, version_id: versionId, ...content }
    return [{ type: 'ManagedRuleRestored', data }]
  }
}

/** The same for a managed recipe. Throws also `invalid_request` with a path for everything that does not fit together any more. */
export function restoreManagedRecipe(
  recipeId: string,
  versionId: string,
  earlier?: ManagedRecipeVersion,
): DecideManaged {
  return (state) => {
    const entry = managedEntry(state.recipes, recipeId)
    const { version, isCurrent } = versionOf(entry, versionId, earlier)
    if (isCurrent) return []
    publishManagedRecipe({ ...version, recipeId, versionId, mode: 'replace' })(state)
    const data = { recipe_id: recipeId, version_id: versionId, ...managedRecipeContent(version) }
    return [{ type: 'ManagedRecipeRestored', data }]
  }
}

/** Throws `invalid_rule` for a version from before the limits of patterns that is too large for them. */
function assertSavable(content: Pick<RuleContent, 'expression'>): void {
  const details = oldRuleProblems(content)
  if (details.length === 0) return
  const message = 'The expression is larger than what may be saved now; see details.'
  throw new Failure('invalid_rule', message, { param: 'expression', details })
}

type Held<Version> = Pick<Entry<Version>, 'current' | 'versions'>

function managedEntry<Version>(
  entries: ReadonlyMap<string, ManagedEntry<Version>>,
  id: string,
): Held<Version> {
  return { current: inForce(entries, id), versions: entries.get(id)?.versions ?? new Map() }
}

interface Found<Version> {
  readonly version: Version
  readonly isCurrent: boolean
}

function versionOf<Version extends { readonly version_id: string }>(
  entry: Held<Version> | undefined,
  versionId: string,
  earlier: Version | undefined,
): Found<Version> {
  const current = mustExist(entry?.current)
  const version = mustExist(entry?.versions.get(versionId) ?? earlier)
  return { version, isCurrent: current.version_id === versionId }
}
