/** Defines the flows of an account: their input, what is refused, how they are shown. */

import type { FailureDetail } from '../../domain/failure.ts'
import { idPrefixes } from '../../domain/ids.ts'
import { closedObject, inputLimits, nameSchema, type TypeOf } from '../../domain/jsonSchema.ts'
import { ruleLimits } from '../../engine/language/ruleLimits.ts'
import { pickFlowContent } from '../../events/rulebook/authoredContent.ts'
import type { FlowContent, RulebookState } from '../../events/rulebook/rulebook.ts'
import { exceedsFlowRules, findFlowLimitProblems, flowRulesMax } from './flowLimits.ts'
import { decideDeletion, decidePublication, prepareRestoration } from './resourceDecisions.ts'
import {
  type DecidedResource,
  type OwnRulebookTypes,
  ownRulebookAccess,
  type ResourceView,
  resourceIdSchema,
} from './resourceDefinition.ts'
import { findFlowWarnings } from './rulebookWarnings.ts'

export const flowFields = {
  name: nameSchema,
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

export const flowDefinition: DecidedResource<FlowInput, FlowContent, OwnRulebookTypes> = {
  name: 'flows',
  noun: 'flow',
  prefix: idPrefixes.flow,
  owner: ownRulebookAccess,
  entries: ({ flows }) => flows,
  current: ({ flows }, id) => flows.get(id)?.current,
  pick: pickFlowContent,
  problems: (state, _, { recipes }) => findRecipeProblems(state, recipes),
  versionEvent: (change, id, flow) => ({ type: `Flow${change}`, data: { flow_id: id, ...flow } }),
  retiredEvent: (id) => ({ type: 'FlowRetired', data: { flow_id: id } }),
  publish: (_, publishing, input) => (state) =>
    decidePublication(flowDefinition, state, { ...input, ...publishing }),
  retire: (_, id) => (state) => decideDeletion(flowDefinition, state, { id }),
  restore: (context, version) => prepareRestoration(context, version, flowDefinition),
  view: (state, id): FlowView | undefined => {
    const flow = state.flows.get(id)?.current
    return flow && { id, ...pickFlowContent(flow), version_id: flow.version_id }
  },
  warnings: (_, state, { id }) => {
    const flow = state.flows.get(id)?.current
    const statuses = flow?.recipes.map((recipe) => state.recipes.get(recipe)?.status)
    return statuses ? findFlowWarnings(statuses) : []
  },
}

function findRecipeProblems(
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
    : findFlowLimitProblems(state, recipes)
}
