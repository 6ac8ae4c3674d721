/** A recorded evaluation, and what computing it again gives. */

import { evidenceSources } from '../../engine/run/evidence.ts'
import { answeredObject, type Schema } from '../request/schema.ts'
import { recipeResult, verdictSchema } from './evaluateResponseSchema.ts'

/** What has been erased together with the person it was about. */
const forgotten: Schema = answeredObject('Forgotten', { forgotten: { const: true } })

const value: Schema = { type: ['string', 'boolean', 'number'] }

export const evidenceItem: Schema = answeredObject('EvidenceItem', {
  name: { type: 'string', description: 'As rules name it: signal.ip, target.phone_number, …' },
  value,
  source: { type: 'string', enum: evidenceSources },
})

const pin: Schema = answeredObject('RecipePin', {
  recipe_id: { type: 'string' },
  version_id: { type: 'string' },
  status: { type: 'string', enum: ['LIVE', 'SHADOW'] },
})

/** The fields of a recipe result, its status, and for every rule what it read; it grows with the rule language. */
export const explainedRecipe: Schema = {
  ...answeredObject(
    'ExplainedRecipe',
    {
      recipe_id: { type: 'string' },
      status: { type: 'string', enum: ['LIVE', 'SHADOW'] },
      rules: { type: 'array', items: { type: 'object' } },
    },
    ['recipe_id', 'status', 'rules'],
  ),
  additionalProperties: true,
}

export const evaluationSchema: Schema = answeredObject('Evaluation', {
  id: { type: 'string' },
  flow_id: { type: 'string' },
  flow_version_id: { type: 'string' },
  evaluated_at: { type: 'string', description: 'ISO 8601 UTC; the clock that the rules saw.' },
  verdict: verdictSchema,
  recipes: { type: 'array', items: recipeResult },
  shadow_recipes: { type: 'array', items: recipeResult },
  dispatch: { type: 'string', enum: ['none', 'found', 'unknown'] },
  evidence: { anyOf: [{ type: 'array', items: evidenceItem }, forgotten] },
  explanation: { anyOf: [{ type: 'array', items: explainedRecipe }, forgotten] },
  plan: answeredObject('PlanPins', {
    digest: { type: 'string' },
    recipes: { type: 'array', items: pin },
  }),
  semantics_version: { type: 'integer' },
  result_hash: { type: 'string', description: 'SHA-256 of the answered body, hexadecimal.' },
  position: { type: 'string' },
})

const difference: Schema = answeredObject(
  'ReplayDifference',
  {
    path: { type: 'string' },
    recorded: { description: 'Absent when the record has nothing at the path.' },
    recomputed: { description: 'Absent when the computation gave nothing at the path.' },
  },
  ['path'],
)

export const replaySchema: Schema = answeredObject('Replay', {
  result: { type: 'string', enum: ['MATCH', 'MISMATCH'] },
  differences: { type: 'array', items: difference },
})
