/** Declares the input of an account's flows; decides to publish, delete and restore them. */

import { type FailureDetail, invalidRequest, requireExisting } from '../../domain/failure.ts'
import { idPrefixes } from '../../domain/ids.ts'
import { closedObject, inputLimits, type TypeOf } from '../../domain/jsonSchema.ts'
import { ruleLimits } from '../../engine/language/ruleLimits.ts'
import { pickFlowContent } from '../../events/rulebook/authoredContent.ts'
import type {
  FlowContent,
  FlowVersion,
  RulebookEvent,
  RulebookState,
} from '../../events/rulebook/rulebook.ts'
import { findEarlierVersion } from './earlierVersions.ts'
import { exceedsFlowRules, flowLimitProblems, flowRulesMax } from './flowLimits.ts'
import {
  findVersionToRestore,
  getCurrentVersion,
  hasSameContent,
  type OwnRulebookTypes,
  ownRulebookAccess,
  type PublishInput,
  type ResourceDefinition,
  type ResourceView,
  resourceIdSchema,
  resourceNameSchema,
} from './rulebookResources.ts'
import { flowWarnings } from './rulebookWarnings.ts'

export const flowFields = {
  name: resourceNameSchema,
  recipes: {
    type: 'array',
    minItems: 1,
    maxItems: inputLimits.recipesPerFlow,
    items: resourceIdSchema,
    description: `The patterns of their rules have a size of at most ${ruleLimits.flowPatterns} together.`,
  },
} as const
export const flowInputSchema = closedObject('FlowInput', flowFields)
export type FlowInput = TypeOf<typeof flowInputSchema>
type FlowView = FlowInput & ResourceView

export const flowDefinition: ResourceDefinition<FlowInput, OwnRulebookTypes> = {
  name: 'flows',
  noun: 'flow',
  prefix: idPrefixes.flow,
  owner: ownRulebookAccess,
  publish: (_, publishing, input) => (state) =>
    decideFlowPublication(state, { ...input, ...publishing }),
  retire: (_, id) => (state) => retireFlow(state, id),
  restore: async (context, version) => {
    const earlier = await findEarlierVersion<FlowVersion>(context, version)
    return (state) => restoreFlow(state, version.id, earlier)
  },
  view: (state, id): FlowView | undefined => {
    const flow = state.flows.get(id)?.current
    return flow && { id, ...pickFlowContent(flow), version_id: flow.version_id }
  },
  warnings: (_, state, id) => {
    const flow = state.flows.get(id)?.current
    const statuses = flow?.recipes.map((recipe) => state.recipes.get(recipe)?.status)
    return statuses ? flowWarnings(statuses) : []
  },
  entries: ({ flows }) => flows,
}

export interface PublishFlowInput extends FlowContent, PublishInput {}

/**
 * The decision: every change is a new version; unchanged content makes none. Throws `invalid_request` with the path of every
 * recipe that cannot be used, `not_found`, `conflict`.
 */
export function decideFlowPublication(
  state: RulebookState,
  input: PublishFlowInput,
): readonly RulebookEvent[] {
  const current = getCurrentVersion(state.flows, input)
  const content = pickFlowContent(input)
  if (hasSameContent(current && pickFlowContent(current), content)) return []
  const problems = recipeProblems(state, content.recipes)
  if (problems.length > 0) throw invalidRequest(problems)
  const data = { flow_id: input.id, version_id: input.versionId, ...content }
  return [{ type: 'FlowPublished', data }]
}

/** The decision: a flow that is gone already is no error. Throws `not_found` for one that never was. */
export function retireFlow(state: RulebookState, id: string): readonly RulebookEvent[] {
  const { current } = requireExisting(state.flows.get(id))
  return current ? [{ type: 'FlowRetired', data: { flow_id: id } }] : []
}

function recipeProblems(
  state: RulebookState,
  recipes: readonly string[],
): readonly FailureDetail[] {
  const problems = recipes.flatMap((id, index) => {
    const path = `recipes.${index}`
    if (recipes.indexOf(id) < index) return [{ path, message: 'The flow names this recipe twice.' }]
    if (state.recipes.get(id)?.current) return []
    return [{ path, message: 'There is no recipe with this id.' }]
  })
  if (problems.length > 0) return problems
  return exceedsFlowRules(state, recipes)
    ? [{ path: 'recipes', message: `A flow runs at most ${flowRulesMax} rules.` }]
    : flowLimitProblems(state, recipes)
}

/** The decision: the version keeps its id; restoring the current one changes nothing. Throws `not_found`, `invalid_request` as above. */
export function restoreFlow(
  state: RulebookState,
  id: string,
  earlier: FlowVersion | undefined,
): readonly RulebookEvent[] {
  const version = findVersionToRestore(state.flows.get(id), earlier)
  if (!version) return []
  decideFlowPublication(state, { ...version, id, versionId: version.version_id, mode: 'replace' })
  return [{ type: 'FlowRestored', data: { ...version, flow_id: id } }]
}
