/** Publishes and retires recipes. */

import { isDeepStrictEqual } from 'node:util'
import { Failure, type FailureDetail, invalidRequest } from '../domain/failure.ts'
import type {
  Membership,
  RecipeContent,
  RecipeEntry,
  RecipeStatus,
  RulebookEvent,
  RulebookState,
} from '../events/rulebook.ts'
import { tooLarge } from './flowSize.ts'
import { assertRoom, mustExist } from './rulebookLimits.ts'

export interface PublishRecipeInput extends RecipeContent {
  readonly recipeId: string
  readonly versionId: string
  readonly status: RecipeStatus
  readonly mode: 'create' | 'replace'
}

/**
 * The decision: new content is a new version, a new status alone is not. Throws `invalid_request` with a path for every reference
 * that cannot be used, `not_found`, `conflict`.
 */
export function publishRecipe(input: PublishRecipeInput) {
  return (state: RulebookState): readonly RulebookEvent[] => {
    const entry = state.recipes.get(input.recipeId)
    if (input.mode === 'replace') mustExist(entry?.current)
    else assertRoom('recipes', state.recipes.size)
    const content = { name: input.name, threshold: input.threshold, rules: input.rules }
    if (entry?.current && sameContent(entry, content)) return statusChange(entry, input)
    const problems = [...memberProblems(state, input.rules), ...sizeProblems(state, input)]
    if (problems.length > 0) throw invalidRequest(problems)
    const { recipeId, versionId, status } = input
    return [
      {
        type: 'RecipePublished',
        data: { recipe_id: recipeId, version_id: versionId, status, ...content },
      },
    ]
  }
}

/** The decision: a recipe that a flow names stays (`recipe_in_use`); one that is gone already is no error. */
export function retireRecipe(recipeId: string) {
  return (state: RulebookState): readonly RulebookEvent[] => {
    const entry = state.recipes.get(recipeId)
    if (!entry?.current) return []
    if (entry.referrers.size > 0) {
      throw new Failure(
        'recipe_in_use',
        'The recipe is still referenced and cannot be deleted; details names the flows.',
        { details: [...entry.referrers].sort().map((message) => ({ path: 'id', message })) },
      )
    }
    return [{ type: 'RecipeRetired', data: { recipe_id: recipeId } }]
  }
}

function sameContent({ current }: RecipeEntry, content: RecipeContent): boolean {
  if (!current) return false
  const { name, threshold, rules } = current
  return isDeepStrictEqual({ name, threshold, rules }, content)
}

function statusChange(entry: RecipeEntry, input: PublishRecipeInput): readonly RulebookEvent[] {
  if (entry.status === input.status) return []
  return [{ type: 'RecipeStatusSet', data: { recipe_id: input.recipeId, status: input.status } }]
}

function memberProblems(
  state: RulebookState,
  members: readonly Membership[],
): readonly FailureDetail[] {
  const seen = new Set<string>()
  return members.flatMap((member, index) => {
    const twice = seen.has(member.rule_id)
    seen.add(member.rule_id)
    const path = `rules.${index}.rule_id`
    if (twice) return [{ path, message: 'The recipe names this rule twice.' }]
    return referenceProblems(state, member, index)
  })
}

function referenceProblems(
  state: RulebookState,
  member: Membership,
  index: number,
): readonly FailureDetail[] {
  const entry = state.rules.get(member.rule_id)
  if (!entry?.current) {
    return [{ path: `rules.${index}.rule_id`, message: 'There is no rule with this id.' }]
  }
  if (member.version_id !== undefined && !entry.versions.has(member.version_id)) {
    return [{ path: `rules.${index}.version_id`, message: 'The rule has no such version.' }]
  }
  return []
}

function sizeProblems(state: RulebookState, input: PublishRecipeInput): readonly FailureDetail[] {
  const flows = [...(state.recipes.get(input.recipeId)?.referrers ?? [])]
  const sizes = new Map([[input.recipeId, input.rules.length]])
  const full = flows.some((flow) =>
    tooLarge(state, state.flows.get(flow)?.current?.recipes ?? [], sizes),
  )
  return full
    ? [{ path: 'rules', message: 'A flow that names the recipe has no room for them.' }]
    : []
}
