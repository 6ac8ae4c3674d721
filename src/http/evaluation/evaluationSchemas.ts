/** A recorded evaluation, and what computing it again gives. */

import { evidenceSources } from '../../engine/run/evidence.ts'
import { notCountedReasons } from '../../engine/run/notCounted.ts'
import { answeredObject, type Schema } from '../request/schema.ts'
import { namedRecipeResult, nameSchema, verdictSchema } from './evaluateResponseSchema.ts'

/** What has been erased together with the person it was about. */
const forgotten: Schema = answeredObject('Forgotten', { forgotten: { const: true } })

const value: Schema = { type: ['string', 'boolean', 'number'] }

const name: Schema = {
  type: 'string',
  description: 'As rules name it: signal.ip, target.phone_number, …',
}

export const evidenceItem: Schema = answeredObject('EvidenceItem', {
  name,
  value,
  source: { type: 'string', enum: evidenceSources },
})

const sent = {
  value: { type: ['string', 'boolean'], description: 'As it was sent; never an empty text.' },
  source: { type: 'string', enum: ['request', 'dispatch'] },
  reason: {
    type: 'string',
    enum: [...notCountedReasons],
    description:
      'needs_dispatch: signals of the device and the network count only with a dispatch. dispatch_value_wins: the dispatch brought another value. trusted_user_not_agreed: the operator has not agreed is_trusted_user with the account. front_end_cannot_vouch: the caller’s own word counts from the request alone.',
  },
}

/** A signal that was sent and is no evidence. */
export const notCountedSignal: Schema = answeredObject('NotCountedSignal', {
  name,
  ...sent,
})

/** The same below its name. */
export const notCountedValue: Schema = answeredObject('NotCountedValue', sent)

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
      name: nameSchema,
      status: { type: 'string', enum: ['LIVE', 'SHADOW'] },
      rules: { type: 'array', items: { type: 'object' } },
    },
    ['recipe_id', 'status', 'rules'],
  ),
  additionalProperties: true,
}

/** In every answer. */
const recorded: Readonly<Record<string, Schema>> = {
  id: { type: 'string' },
  flow_id: { type: 'string' },
  flow_version_id: { type: 'string' },
  evaluated_at: { type: 'string', description: 'ISO 8601 UTC; the clock that the rules saw.' },
  verdict: verdictSchema,
  recipes: { type: 'array', items: namedRecipeResult },
  shadow_recipes: { type: 'array', items: namedRecipeResult },
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
}

const notCounted: Schema = {
  anyOf: [{ type: 'array', items: notCountedSignal }, forgotten],
  description:
    'Signals that were sent and did not count. Absent when it is not known: from evaluations recorded before it was noted.',
}

export const evaluationSchema: Schema = answeredObject(
  'Evaluation',
  { ...recorded, flow_name: nameSchema, not_counted: notCounted },
  Object.keys(recorded),
)

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
