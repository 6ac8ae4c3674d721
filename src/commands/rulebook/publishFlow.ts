/** Publishes and retires flows. */

import { isDeepStrictEqual } from 'node:util'
import { type FailureDetail, invalidRequest, mustExist } from '../../domain/failure.ts'
import type { FlowContent, RulebookEvent, RulebookState } from '../../events/rulebook/rulebook.ts'
import { tooLarge } from './flowSize.ts'
import { assertRoom, flowRulesMax } from './rulebookLimits.ts'

export interface PublishFlowInput extends FlowContent {
  readonly flowId: string
  readonly versionId: string
  readonly mode: 'create' | 'replace'
}

/**
 * The decision: every change is a new version; the same content again is none. Throws `invalid_request` with the path of every
 * recipe that cannot be used, `not_found`, `conflict`.
 */
export function publishFlow(input: PublishFlowInput) {
  return (state: RulebookState): readonly RulebookEvent[] => {
    const current = state.flows.get(input.flowId)?.current
    if (input.mode === 'replace') mustExist(current)
    else assertRoom('flows', state.flows.size)
    const { flowId, versionId, name, recipes } = input
    if (current?.name === name && isDeepStrictEqual(current.recipes, recipes)) return []
    const problems = recipeProblems(state, recipes)
    if (problems.length > 0) throw invalidRequest(problems)
    return [
      { type: 'FlowPublished', data: { flow_id: flowId, version_id: versionId, name, recipes } },
    ]
  }
}

/** The decision: a flow that is gone already is no error. */
export function retireFlow(flowId: string) {
  return (state: RulebookState): readonly RulebookEvent[] =>
    state.flows.get(flowId)?.current ? [{ type: 'FlowRetired', data: { flow_id: flowId } }] : []
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
  if (problems.length > 0 || !tooLarge(state, recipes)) return problems
  return [{ path: 'recipes', message: `A flow runs at most ${flowRulesMax} rules.` }]
}
