/** Compiles the rules that stand in the draft of a flow. */

import {
  type DraftFlow,
  type DraftRecipe,
  draftRuleId,
} from '../../commands/evaluation/draftFlow.ts'
import { flowRulesMax } from '../../commands/rulebook/rulebookLimits.ts'
import { type FailureDetail, invalidRequest } from '../../domain/failure.ts'
import { recordedRule } from '../../events/rulebook/authoredRule.ts'
import { compileAt, invalidRule } from '../rulebook/compileRule.ts'
import { textsOf } from '../rulebook/rulebooks.ts'
import type { DraftFlowInput, DraftRecipeInput } from './evaluationPart.ts'

/** Throws `invalid_request` when the draft holds more rules than a flow may run, `invalid_rule` with every mistake of every rule. */
export function compileDraft({ recipes }: DraftFlowInput): DraftFlow {
  const given = recipes.filter((recipe) => typeof recipe !== 'string')
  if (given.reduce((sum, recipe) => sum + recipe.rules.length, 0) > flowRulesMax) {
    const message = `A flow runs at most ${flowRulesMax} rules.`
    throw invalidRequest([{ path: 'draft.recipes', message }])
  }
  const details: FailureDetail[] = []
  const compiled = recipes.map((recipe, index) =>
    typeof recipe === 'string' ? recipe : compileRecipe(recipe, index, details),
  )
  if (details.length > 0) throw invalidRule('draft', details.slice(0, detailsMax))
  return { recipes: compiled }
}

const detailsMax = 100

function compileRecipe(
  { status = 'LIVE', name = '', parameters, ...recipe }: DraftRecipeInput,
  index: number,
  details: FailureDetail[],
): DraftRecipe {
  const rules = recipe.rules.flatMap((member, at): DraftRecipe['rules'] => {
    if (!('expression' in member)) return [member]
    const id = draftRuleId(index, at)
    const compiled = compileAt(`${id}.expression`, member.expression)
    if ('expression' in compiled) {
      return [recordedRule({ name: id, ...member }, compiled.expression)]
    }
    details.push(...compiled.details)
    return []
  })
  return { ...recipe, ...(parameters && { parameters: textsOf(parameters) }), status, name, rules }
}
