/** Outlines the plan of a flow: the rules that run, each in its pinned or current version. */

import { mapInSteps, type Steps } from '../../domain/load/steps.ts'
import { bindParameters } from '../../engine/language/bindParameters.ts'
import type { Expression } from '../../engine/language/expression.ts'
import type { Plan, PlannedRecipe, PlannedRule, PlannedRuleInfo } from '../../engine/run/plan.ts'
import type {
  ManagedMembership,
  ManagedResource,
  ManagedRulebook,
} from '../../events/rulebook/managedRulebook.ts'
import {
  type FlowVersion,
  type Membership,
  parseRuleVersion,
  type RecipeVersion,
  type RulebookState,
  type RuleVersion,
} from '../../events/rulebook/rulebook.ts'
import {
  findUnboundParameter,
  type ParameterBindings,
  type RecipeExtension,
  resolveExtension,
} from './recipeParameters.ts'
import type { Rulebooks } from './rulebookStreams.ts'

/** A recipe that runs by its status (design 4.6); the others are absent (spec 2.4). */
interface RunningRecipe {
  readonly id: string
  readonly status: PlannedRecipe['status']
  readonly version: RecipeVersion
}

/** The plan of the flow by the current rulebooks; undefined when there is no such flow. */
export function outlineFlow(
  rulebooks: Rulebooks,
  flowId: string,
  semantics: number,
): Plan<OutlinedRule> | undefined {
  const flow = rulebooks.own.flows.get(flowId)?.current
  if (!flow) return undefined
  return {
    flow_id: flowId,
    flow_version_id: flow.version_id,
    semantics,
    recipes: listRunningRecipes(rulebooks.own, flow).map((recipe) =>
      outlineRecipe(rulebooks, recipe),
    ),
  }
}

/** A text that differs whenever the plan would: the versions and statuses it is made of. */
export function computePlanFingerprint(
  { own, managed }: Rulebooks,
  flowId: string,
): string | undefined {
  const flow = own.flows.get(flowId)?.current
  if (!flow) return undefined
  const parts = [flow.version_id]
  for (const { id, status, version } of listRunningRecipes(own, flow)) {
    const base = managed.recipes.get(version.base_recipe_id ?? '')
    parts.push(id, status, version.version_id, formatVersionMark(base))
    for (const { rule_id } of base?.last.rules ?? []) {
      parts.push(formatVersionMark(managed.rules.get(rule_id)))
    }
    for (const member of version.rules) {
      parts.push(
        isManagedMember(version, member)
          ? formatVersionMark(managed.rules.get(member.rule_id))
          : (findMemberVersion(own, member)?.version_id ?? '-'),
      )
    }
  }
  return parts.join(' ')
}

function listRunningRecipes(state: RulebookState, flow: FlowVersion): readonly RunningRecipe[] {
  return flow.recipes.flatMap((id) => {
    const entry = state.recipes.get(id)
    if (!entry?.current || (entry.status !== 'LIVE' && entry.status !== 'SHADOW')) return []
    return [{ id, status: entry.status, version: entry.current }]
  })
}

/** The rules of the recipe it extends come first; what those have already is not run again. */
export function outlineRecipe(
  rulebooks: Rulebooks,
  { id, status, version }: RunningRecipe,
): OutlinedRecipe {
  const { own, managed } = rulebooks
  const extension = resolveExtension(managed, version)
  const first = outlineBase(managed, extension)
  const inherited = new Set(first.map(({ rule_id }) => rule_id))
  const rest = version.rules
    .filter(({ rule_id }) => !inherited.has(rule_id))
    .map((member) =>
      isManagedMember(version, member)
        ? outlineManaged(managed, member, extension.bindings)
        : outlineRule(own, member),
    )
  return {
    recipe_id: id,
    version_id: version.version_id,
    status,
    threshold: version.threshold,
    rules: [...first, ...rest],
  }
}

function isManagedMember(version: RecipeVersion, { rule_id }: Membership): boolean {
  return version.managed?.includes(rule_id) === true
}

function outlineRule(state: RulebookState, member: Membership): OutlinedRule {
  const version = findMemberVersion(state, member)
  return {
    rule_id: member.rule_id,
    type: 'CUSTOM',
    name: version?.name ?? '',
    version_id: version?.version_id ?? '',
    weight: member.weight,
    ...(member.preempts && { preempts: member.preempts }),
    ...(version && { read: () => parseRuleVersion(version).expression }),
  }
}

function findMemberVersion(state: RulebookState, member: Membership): RuleVersion | undefined {
  const entry = state.rules.get(member.rule_id)
  return member.version_id === undefined ? entry?.current : entry?.versions.get(member.version_id)
}

/** The rules that come with the extension. */
export function outlineBase(
  managed: ManagedRulebook,
  extension: RecipeExtension,
): readonly OutlinedRule[] {
  const { base, bindings } = extension
  return (base?.rules ?? []).map((member) => {
    const { read, ...unavailable } = outlineManaged(managed, member, bindings)
    return extension.inForce && read ? { ...unavailable, read } : unavailable
  })
}

/**
 * A managed rule as a member of a recipe, its parameters to be written into it. Without an expression when it is
 * retired or reads a parameter that the recipe does not have: it then reports `unavailable` (design 4.7).
 */
function outlineManaged(
  managed: ManagedRulebook,
  { rule_id, weight, preempts }: ManagedMembership,
  bindings: ParameterBindings,
): OutlinedRule {
  const { last, current } = managed.rules.get(rule_id) ?? {}
  const runs = current && findUnboundParameter(current.parameters, bindings) === undefined
  return {
    rule_id,
    type: 'MANAGED',
    // neither is shown to customers; the record needs both
    name: last?.name ?? rule_id,
    version_id: last?.version_id ?? '-',
    weight,
    ...(preempts && { preempts }),
    ...(runs && { read: () => bindParameters(current.expression, bindings) }),
  }
}

/** The version of something managed, as a part of a fingerprint: of what is retired the last one, marked. */
function formatVersionMark(
  entry: ManagedResource<{ readonly version_id: string }> | undefined,
): string {
  if (!entry) return '-'
  return entry.current ? entry.current.version_id : `-${entry.last.version_id}`
}

export interface OutlinedRule extends PlannedRuleInfo {
  /** Its expression, undefined when the rule cannot run here; neither changes when the rulebooks do. */
  readonly read?: () => Expression | undefined
}

export type OutlinedRecipe = PlannedRecipe<OutlinedRule>

export function readOutlinedRule({ read, ...rule }: OutlinedRule): PlannedRule {
  const expression = read?.()
  return { ...rule, ...(expression && { expression }) }
}

/** The plan with its expressions, one rule at each step. */
export function* readOutline({ recipes, ...flow }: Plan<OutlinedRule>): Steps<Plan> {
  const read: PlannedRecipe[] = []
  for (const { rules, ...recipe } of recipes) {
    read.push({ ...recipe, rules: yield* mapInSteps(rules, readOutlinedRule) })
  }
  return { ...flow, recipes: read }
}
