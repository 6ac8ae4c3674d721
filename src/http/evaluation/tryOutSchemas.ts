/** Declares the request and response schemas of rule and flow tests. */

import {
  membershipFields,
  type RecipeInput,
  recipeFields,
} from '../../commands/rulebook/recipes.ts'
import { type RuleInput, ruleFields } from '../../commands/rulebook/rules.ts'
import { limits, optional, optionalFields, type Schema } from '../../domain/schema.ts'
import { deviceSignalsSchema, signalsSchema } from '../../domain/signals/signalSchemas.ts'
import { warningsField } from '../../domain/warning.ts'
import type { DraftFlowInput } from '../../queries/evaluation/draftFlow.ts'
import type { FlowTestView, RuleTestView } from '../../queries/evaluation/evaluationView.ts'
import { type Fields, inputSchema, viewSchema } from '../request/schema/fields.ts'
import { targetSchema } from './evaluateRequestSchema.ts'
import { verdictSchema } from './evaluateResponseSchema.ts'
import {
  evidenceItem,
  explainedRead,
  explainedRecipe,
  expressionPart,
  namedRecipeResult,
  nameSchema,
  notCountedSignal,
} from './explanationSchemas.ts'
import type { GivenEvidence } from './sampleEvidence.ts'

/** The body of a rule test as validated by its schema. */
export interface GivenRuleTest {
  readonly expression: string
  readonly evidence: GivenEvidence
}

/** Same, for a flow; the target is required. */
export interface GivenFlowTest
  extends Omit<GivenEvidence, 'target'>,
    Required<Pick<GivenEvidence, 'target'>> {
  readonly draft?: DraftFlowInput
}

const flag: Schema = { type: 'boolean', default: false }

const evidenceFields = optionalFields({
  target: targetSchema,
  signals: signalsSchema,
  dispatch_signals: deviceSignalsSchema('SampleDispatchSignals', {
    description:
      'What the dispatch of a front end brought. Present, even empty: the request names a dispatch. Absent: it names none.',
  }),
  lists: inputSchema<NonNullable<GivenEvidence['lists']>>(
    'SampleLists',
    { allow: optional(flag), block: optional(flag) },
    { description: 'On which lists of the account the target stands; on none by default.' },
  ),
  time: {
    type: 'string',
    maxLength: 40,
    description: 'The clock of the rules, in ISO 8601 with a zone; now by default.',
  },
} satisfies Fields<Required<GivenEvidence>>)

export const ruleTestSchema: Schema = inputSchema<GivenRuleTest>('RuleTest', {
  expression: ruleFields.expression,
  evidence: inputSchema<GivenEvidence>('SampleEvidence', evidenceFields, {
    description: 'What an evaluation would be asked with; the target may be left out.',
  }),
})

type DraftRecipe = Exclude<DraftFlowInput['recipes'][number], string>
type Membership = RecipeInput['rules'][number]
type DraftMember = Partial<Membership & RuleInput> & Pick<Membership, 'weight'>

const draftMember: Schema = {
  ...inputSchema<DraftMember>(
    'DraftMembership',
    { ...optionalFields({ ...membershipFields, ...ruleFields }), weight: membershipFields.weight },
    { description: 'A rule by rule_id, or a rule of the draft by expression.' },
  ),
  anyOf: [{ required: ['rule_id'] }, { required: ['expression'] }],
  not: { required: ['rule_id', 'expression'] },
}

const draftRecipe: Schema = {
  ...inputSchema<DraftRecipe>(
    'DraftRecipe',
    {
      ...recipeFields,
      name: optional(recipeFields.name),
      status: optional({ type: 'string', enum: ['LIVE', 'SHADOW'], default: 'LIVE' }),
      rules: { ...recipeFields.rules, items: draftMember },
    },
    { description: 'The id of a recipe, or a recipe of the draft.' },
  ),
  type: ['string', 'object'],
  minLength: 1,
  maxLength: limits.id,
}

export const flowTestSchema: Schema = inputSchema<GivenFlowTest>('FlowTest', {
  ...evidenceFields,
  target: targetSchema,
  draft: optional(
    inputSchema<DraftFlowInput>(
      'DraftFlow',
      {
        recipes: {
          type: 'array',
          minItems: 1,
          maxItems: limits.recipesPerFlow,
          items: draftRecipe,
        },
      },
      { description: 'Runs in place of what the flow holds.' },
    ),
  ),
})

const notCounted: Schema = {
  type: 'array',
  items: notCountedSignal,
  description: 'Signals of the sample that did not count.',
}

export const ruleTestResultSchema: Schema = viewSchema<RuleTestView>('RuleTestResult', {
  outcome: { type: 'string', enum: ['TRIGGERED', 'NOT_TRIGGERED', 'NOT_EVALUATED'] },
  blocked_by: optional({ type: 'string' }),
  unavailable: optional({ type: 'boolean' }),
  expression: { type: 'string', description: 'The rule in canonical form.' },
  reads: { type: 'array', items: explainedRead },
  parts: expressionPart,
  not_counted: notCounted,
  warnings: warningsField,
})

export const flowTestResultSchema: Schema = viewSchema<FlowTestView>('FlowTestResult', {
  flow_id: { type: 'string' },
  flow_name: optional(nameSchema),
  verdict: verdictSchema,
  recipes: { type: 'array', items: namedRecipeResult },
  shadow_recipes: { type: 'array', items: namedRecipeResult },
  evidence: { type: 'array', items: evidenceItem },
  not_counted: notCounted,
  explanation: { type: 'array', items: explainedRecipe },
  semantics_version: { type: 'integer' },
  warnings: warningsField,
})
