/** Publishes and retires flows. */

import { type FailureDetail, invalidRequest, mustExist } from '../../domain/failure.ts'
import { flowContent } from '../../events/rulebook/contents.ts'
import type { FlowContent, RulebookEvent, RulebookState } from '../../events/rulebook/rulebook.ts'
import { flowListProblems } from './listRoom.ts'
import { flowPatternProblems } from './patternRoom.ts'
import { isSame, type Publishing } from './publishing.ts'
import { flowRulesMax, tooLarge } from './rulebookLimits.ts'

export interface PublishFlowInput extends FlowContent, Publishing {
  readonly flowId: string
}

/**
 * The decision: every change is a new version; the same content again is none. Throws `invalid_request` with the path of every
 * recipe that cannot be used, `not_found`, `conflict`.
 */
export function publishFlow(input: PublishFlowInput) {
  return (state: RulebookState): readonly RulebookEvent[] => {
    const { flowId: flow_id, versionId: version_id, mode } = input
    const current = state.flows.get(flow_id)?.current
    if (mode === 'replace') mustExist(current)
    const content = flowContent(input)
    if (isSame(current && flowContent(current), content)) return []
    const problems = recipeProblems(state, content.recipes)
    if (problems.length > 0) throw invalidRequest(problems)
    return [{ type: 'FlowPublished', data: { flow_id, version_id, ...content } }]
  }
}

/** The decision: a flow that is gone already is no error. Throws `not_found` for one that never was. */
export function retireFlow(flowId: string) {
  return (state: RulebookState): readonly RulebookEvent[] =>
    mustExist(state.flows.get(flowId)).current
      ? [{ type: 'FlowRetired', data: { flow_id: flowId } }]
      : []
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
  return tooLarge(state, recipes)
    ? [{ path: 'recipes', message: `A flow runs at most ${flowRulesMax} rules.` }]
    : [...flowPatternProblems(state, recipes), ...flowListProblems(state, recipes)]
}
