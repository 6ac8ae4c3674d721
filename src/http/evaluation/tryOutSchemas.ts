/** Rules and flows tried before they are saved. */

import { answeredObject, limits, type Schema, strictObject } from '../request/schema.ts'
import { membershipFields, recipeFields, ruleFields } from '../rulebook/authoringSchemas.ts'
import { deviceProperties, signalsSchema } from '../signals/signalSchemas.ts'
import { targetSchema } from './evaluateRequestSchema.ts'
import { namedRecipeResult, nameSchema, verdictSchema } from './evaluateResponseSchema.ts'
import {
  evidenceItem,
  explainedRecipe,
  notCountedSignal,
  notCountedValue,
} from './evaluationSchemas.ts'

const flag: Schema = { type: 'boolean', default: false }

const evidenceFields = {
  target: targetSchema,
  signals: signalsSchema,
  dispatch_signals: {
    title: 'SampleDispatchSignals',
    description:
      'What the dispatch of a front end brought. Present, even empty: the request names a dispatch. Absent: it names none.',
    ...strictObject(deviceProperties, []),
  },
  lists: {
    title: 'SampleLists',
    description: 'On which lists of the account the target stands; on none by default.',
    ...strictObject({ allow: flag, block: flag }, []),
  },
  time: {
    type: 'string',
    maxLength: 40,
    description: 'The clock of the rules, in ISO 8601 with a zone; now by default.',
  },
}

export const ruleTestSchema: Schema = {
  title: 'RuleTest',
  ...strictObject(
    {
      expression: ruleFields.expression,
      evidence: {
        title: 'SampleEvidence',
        description: 'What an evaluation would be asked with; the target may be left out.',
        ...strictObject(evidenceFields, []),
      },
    },
    ['expression', 'evidence'],
  ),
}

const draftMember: Schema = {
  title: 'DraftMembership',
  description: 'A rule by rule_id, or a rule of the draft by expression.',
  ...strictObject({ ...membershipFields, ...ruleFields }, ['weight']),
  anyOf: [{ required: ['rule_id'] }, { required: ['expression'] }],
  not: { required: ['rule_id', 'expression'] },
}

const draftRecipe: Schema = {
  title: 'DraftRecipe',
  description: 'The id of a recipe, or a recipe of the draft.',
  type: ['string', 'object'],
  minLength: 1,
  maxLength: limits.id,
  properties: {
    ...recipeFields,
    status: { type: 'string', enum: ['LIVE', 'SHADOW'], default: 'LIVE' },
    rules: { ...recipeFields.rules, items: draftMember },
  },
  required: ['threshold', 'rules'],
  additionalProperties: false,
}

export const flowTestSchema: Schema = {
  title: 'FlowTest',
  ...strictObject(
    {
      ...evidenceFields,
      draft: {
        title: 'DraftFlow',
        description: 'Runs in place of what the flow holds.',
        ...strictObject(
          {
            recipes: {
              type: 'array',
              minItems: 1,
              maxItems: limits.recipesPerFlow,
              items: draftRecipe,
            },
          },
          ['recipes'],
        ),
      },
    },
    ['target'],
  ),
}

const notCounted: Schema = {
  type: 'array',
  items: notCountedSignal,
  description: 'Signals of the sample that did not count.',
}

const read: Schema = answeredObject(
  'ExplainedRead',
  {
    name: { type: 'string' },
    use: { type: 'string', enum: ['read', 'has'] },
    convert: { type: 'string', description: 'The conversion that belongs to the reading.' },
    arrived: { type: 'boolean' },
    value: { type: ['string', 'boolean', 'number'] },
    source: { type: 'string' },
    not_counted: {
      type: 'array',
      items: notCountedValue,
      description: 'What was sent under the name and did not count; absent when nothing was.',
    },
  },
  ['name', 'use', 'arrived'],
)

/** A tree; its branches are described by the same words. */
const parts: Schema = {
  title: 'ExpressionPart',
  type: 'object',
  properties: {
    text: { type: 'string' },
    line: { type: 'integer' },
    column: { type: 'integer' },
    state: { type: 'string', enum: ['value', 'missing', 'failed', 'not_evaluated'] },
    value: { description: 'What the part gave; times as text.' },
    needed: {
      type: 'boolean',
      description: 'False when the rule came to its result without this part.',
    },
    parts: { type: 'array', items: { type: 'object' } },
  },
  required: ['text', 'line', 'column', 'state'],
}

export const ruleTestResultSchema: Schema = answeredObject(
  'RuleTestResult',
  {
    outcome: { type: 'string', enum: ['TRIGGERED', 'NOT_TRIGGERED', 'NOT_EVALUATED'] },
    blocked_by: { type: 'string' },
    unavailable: { type: 'boolean' },
    expression: { type: 'string', description: 'The rule in canonical form.' },
    reads: { type: 'array', items: read },
    parts,
    not_counted: notCounted,
  },
  ['outcome', 'expression', 'reads', 'parts', 'not_counted'],
)

export const flowTestResultSchema: Schema = answeredObject('FlowTestResult', {
  flow_id: { type: 'string' },
  flow_name: nameSchema,
  verdict: verdictSchema,
  recipes: { type: 'array', items: namedRecipeResult },
  shadow_recipes: { type: 'array', items: namedRecipeResult },
  evidence: { type: 'array', items: evidenceItem },
  not_counted: notCounted,
  explanation: { type: 'array', items: explainedRecipe },
  semantics_version: { type: 'integer' },
})
