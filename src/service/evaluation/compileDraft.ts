/** Compiles the rules that stand in the draft of a flow. */

import {
  type DraftFlow,
  type DraftRecipe,
  draftRuleId,
} from '../../commands/evaluation/draftFlow.ts'
import { compileAt, invalidRule } from '../../commands/rulebook/compileRule.ts'
import { textsOf } from '../../commands/rulebook/recipes.ts'
import { flowRulesMax } from '../../commands/rulebook/rulebookLimits.ts'
import { type FailureDetail, invalidRequest } from '../../domain/failure.ts'
import type { ListKind } from '../../domain/lists.ts'
import { pause } from '../../domain/longWork.ts'
import { recordedRule } from '../../events/rulebook/authoredRule.ts'
import type { DraftFlowInput, DraftRecipeInput } from './evaluationPart.ts'

/** Long work. Throws `invalid_request` when the draft holds more rules than a flow may run, `invalid_rule` with every mistake of every rule. */
export async function compileDraft(
  { recipes }: DraftFlowInput,
  lists: Compiling['lists'],
): Promise<DraftFlow> {
  const given = recipes.filter((recipe) => typeof recipe !== 'string')
  if (given.reduce((sum, recipe) => sum + recipe.rules.length, 0) > flowRulesMax) {
    const message = `A flow runs at most ${flowRulesMax} rules.`
    throw invalidRequest([{ path: 'draft.recipes', message }])
  }
  const compiling: Compiling = { details: [], lists }
  const compiled: (string | DraftRecipe)[] = []
  for (const [index, recipe] of recipes.entries()) {
    compiled.push(
      typeof recipe === 'string' ? recipe : await compileRecipe(recipe, index, compiling),
    )
  }
  const { details } = compiling
  if (details.length > 0) throw invalidRule('draft', details.slice(0, detailsMax))
  return { recipes: compiled }
}

const detailsMax = 100

interface Compiling {
  readonly details: FailureDetail[]
  /** Those that the rules may ask, by name. */
  readonly lists: ReadonlyMap<string, ListKind>
}

async function compileRecipe(
  { status = 'LIVE', name = '', parameters, ...recipe }: DraftRecipeInput,
  index: number,
  { details, lists }: Compiling,
): Promise<DraftRecipe> {
  const rules: DraftRecipe['rules'][number][] = []
  for (const [at, member] of recipe.rules.entries()) {
    if (!('expression' in member)) {
      rules.push(member)
      continue
    }
    await pause()
    const id = draftRuleId(index, at)
    const compiled = compileAt(`${id}.expression`, member.expression, lists)
    if ('details' in compiled) details.push(...compiled.details)
    else rules.push(recordedRule({ name: id, ...member }, compiled.expression))
  }
  return { ...recipe, ...(parameters && { parameters: textsOf(parameters) }), status, name, rules }
}
