/** Makes an earlier version of a rule, a recipe or a flow the current one again. */

import type { Expression } from '../engine/expression.ts'
import type { ManagedRulebook } from '../events/managedRulebook.ts'
import type { Entry, RulebookEvent, RulebookState } from '../events/rulebook.ts'
import { publishFlow } from './publishFlow.ts'
import { publishRecipe } from './publishRecipe.ts'
import { mustExist } from './rulebookLimits.ts'

type Decide = (state: RulebookState) => readonly RulebookEvent[]

/** The decision: the version keeps its id, so that pins still mean it; the current one again is no change. Throws `not_found`. */
export function restoreRule(ruleId: string, versionId: string): Decide {
  return (state) => {
    const { version, isCurrent } = versionOf(state.rules.get(ruleId), versionId)
    if (isCurrent) return []
    const expression = JSON.parse(version.expression) as Expression
    return [{ type: 'RuleRestored', data: { ...version, rule_id: ruleId, expression } }]
  }
}

/**
 * The same for a recipe, whose status stays as it is. Throws also `invalid_request` with a path for every reference of the version
 * that cannot be used any more.
 */
export function restoreRecipe(
  recipeId: string,
  versionId: string,
  managed: ManagedRulebook,
): Decide {
  return (state) => {
    const entry = mustExist(state.recipes.get(recipeId))
    const { version, isCurrent } = versionOf(entry, versionId)
    if (isCurrent) return []
    const { status } = entry
    // decided like a change to this content; only what it throws matters
    publishRecipe({ ...version, recipeId, versionId, status, mode: 'replace' }, managed)(state)
    return [{ type: 'RecipeRestored', data: { ...version, recipe_id: recipeId, status } }]
  }
}

/** The same for a flow. */
export function restoreFlow(flowId: string, versionId: string): Decide {
  return (state) => {
    const { version, isCurrent } = versionOf(state.flows.get(flowId), versionId)
    if (isCurrent) return []
    publishFlow({ ...version, flowId, versionId, mode: 'replace' })(state)
    return [{ type: 'FlowRestored', data: { ...version, flow_id: flowId } }]
  }
}

interface Found<Version> {
  readonly version: Version
  readonly isCurrent: boolean
}

function versionOf<Version extends { readonly version_id: string }>(
  entry: Entry<Version> | undefined,
  versionId: string,
): Found<Version> {
  const current = mustExist(entry?.current)
  const version = mustExist(entry?.versions.get(versionId))
  return { version, isCurrent: current.version_id === versionId }
}
