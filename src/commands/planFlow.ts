/** Resolves a flow to what runs: every membership followed to its pinned or current version. */

import type { Expression } from '../engine/expression.ts'
import type { Plan, PlannedRecipe, PlannedRule } from '../engine/plan.ts'
import type {
  FlowVersion,
  Membership,
  RecipeVersion,
  RulebookState,
  RuleVersion,
} from '../events/rulebook.ts'

/** Recipes of these statuses run (design 4.6); the others are absent (spec 2.4). */
type RunningStatus = PlannedRecipe['status']

interface RunningRecipe {
  readonly id: string
  readonly status: RunningStatus
  readonly version: RecipeVersion
}

/** The plan of the flow as the rulebook stands; undefined when there is no such flow. */
export function planFlow(
  state: RulebookState,
  flowId: string,
  semantics: number,
): Plan | undefined {
  const flow = state.flows.get(flowId)?.current
  if (!flow) return undefined
  return {
    flow_id: flowId,
    flow_version_id: flow.version_id,
    semantics,
    recipes: runningRecipes(state, flow).map((recipe) => planRecipe(state, recipe)),
  }
}

/** A text that differs whenever the plan would: the versions and statuses it is made of. */
export function planFingerprint(state: RulebookState, flowId: string): string | undefined {
  const flow = state.flows.get(flowId)?.current
  if (!flow) return undefined
  const parts = [flow.version_id]
  for (const { id, status, version } of runningRecipes(state, flow)) {
    parts.push(id, status, version.version_id)
    for (const member of version.rules) parts.push(ruleVersion(state, member)?.version_id ?? '-')
  }
  return parts.join(' ')
}

function runningRecipes(state: RulebookState, flow: FlowVersion): readonly RunningRecipe[] {
  return flow.recipes.flatMap((id) => {
    const entry = state.recipes.get(id)
    if (!entry?.current || (entry.status !== 'LIVE' && entry.status !== 'SHADOW')) return []
    return [{ id, status: entry.status, version: entry.current }]
  })
}

function planRecipe(state: RulebookState, { id, status, version }: RunningRecipe): PlannedRecipe {
  return {
    recipe_id: id,
    version_id: version.version_id,
    status,
    threshold: version.threshold,
    rules: version.rules.map((member) => planRule(state, member)),
  }
}

function planRule(state: RulebookState, member: Membership): PlannedRule {
  const version = ruleVersion(state, member)
  return {
    rule_id: member.rule_id,
    type: 'CUSTOM',
    name: version?.name ?? '',
    version_id: version?.version_id ?? '',
    weight: member.weight,
    ...(member.preempts && { preempts: member.preempts }),
    ...(version && { expression: JSON.parse(version.expression) as Expression }),
  }
}

function ruleVersion(state: RulebookState, member: Membership): RuleVersion | undefined {
  const entry = state.rules.get(member.rule_id)
  return member.version_id === undefined ? entry?.current : entry?.versions.get(member.version_id)
}
