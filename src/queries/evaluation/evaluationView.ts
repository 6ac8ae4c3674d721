/** Declares the views of evaluations, recorded or tested. */

import {
  asSchemaOf,
  int64,
  type ObjectOf,
  openObject,
  optional,
  type Schema,
  type TypeOf,
  text,
  timeSchema,
} from '../../domain/jsonSchema.ts'
import { personal } from '../../domain/shownPersons.ts'
import { warningsField } from '../../domain/warning.ts'
import { explainedReadSchema, problemSchema } from '../../engine/explain/explain.ts'
import { explainedCounterSchema } from '../../engine/explain/explainCounters.ts'
import { type Trace, traceSchema } from '../../engine/explain/traceNodes.ts'
import type { Assessment } from '../../engine/run/assessVerdict.ts'
import { evidenceFields, notCountedFields } from '../../engine/run/evidence.ts'
import type { RecordedRecipe } from '../../engine/run/recordResult.ts'
import {
  type Outcome,
  recipeResultFields,
  ruleResultFields,
  verdictSchema,
} from '../../engine/run/result.ts'
import type { ForgottenValue } from '../../events/recording/sealing.ts'

/** What the rules of a recipe that were not evaluated leave open. */
export const assessmentFields = {
  score_bounds: optional(
    openObject(
      'ScoreBounds',
      { min: int64, max: int64 },
      {
        description:
          'The smallest and largest score that the rules not evaluated allow; absent where the score is certain, and where a rule decided in its place.',
      },
    ),
  ),
  fragile: optional({ const: true, description: 'Missing evidence could turn the verdict.' }),
} as const

/** What is open of a recipe: no more than who sees the outcomes and weights of its rules could compute. */
export function showAssessment({ bounds, fragile }: Assessment): ObjectOf<typeof assessmentFields> {
  return {
    ...(bounds && { score_bounds: { min: bounds[0], max: bounds[1] } }),
    ...(fragile && { fragile }),
  }
}

/** Adds to results of recipes what is open of each. */
export function addAssessments<Recipe extends { readonly recipe_id: string }>(
  results: readonly Recipe[],
  recorded: readonly RecordedRecipe[],
) {
  const byId = new Map(recorded.map((one) => [one.recipe_id, showAssessment(one)]))
  return results.map((one) => ({ ...one, ...byId.get(one.recipe_id) }))
}

export const nameSchema = {
  type: 'string',
  description: 'Name in the version that ran; absent where there is none.',
} as const

/** A rule's result with what customers are told of a managed rule. */
const namedRuleFields = {
  ...ruleResultFields,
  description: optional({
    type: 'string',
    description: 'For MANAGED rules, in the version that ran.',
  }),
} as const

const namedRecipeFields = {
  ...recipeResultFields,
  name: optional(nameSchema),
  ...assessmentFields,
} as const

const namedRecipeSchema = openObject('NamedRecipeResult', {
  ...namedRecipeFields,
  rules: { type: 'array', items: openObject('NamedRuleResult', namedRuleFields) },
})
export const namedRecipesSchema = { type: 'array', items: namedRecipeSchema } as const

const evidenceName = {
  type: 'string',
  description: 'Name used in rules: signal.ip, target.phone_number, …',
} as const

/** Something that arrived, as rules name it; times in ISO 8601. */
const evidenceSchema = openObject('EvidenceItem', {
  name: evidenceName,
  ...evidenceFields,
  value: personal(evidenceFields.value),
})
export type EvidenceView = TypeOf<typeof evidenceSchema>

/** A signal or field that was sent and did not count. */
const notCountedSchema = openObject('NotCountedSignal', {
  name: { ...evidenceName, description: 'Name used in rules; for an unknown field its path.' },
  ...notCountedFields,
  value: personal(notCountedFields.value),
  suggestion: optional({
    type: 'string',
    description: 'The field that was most likely meant by an unknown one.',
  }),
})
export type NotCountedView = TypeOf<typeof notCountedSchema>

const explainedRecipeSchema = openObject('ExplainedRecipe', {
  ...namedRecipeFields,
  status: { type: 'string', enum: ['LIVE', 'SHADOW'] },
  rules: {
    type: 'array',
    items: openObject('ExplainedRule', {
      ...namedRuleFields,
      problem: optional(personal(problemSchema)),
      expression: optional({ type: 'string', description: 'The rule in canonical form.' }),
      reads: optional({
        type: 'array',
        items: explainedReadSchema,
        description:
          'Absent of managed rules. `value` and `source` are left out once 50,000 values are shown.',
      }),
      counters: optional({ type: 'array', items: explainedCounterSchema }),
      parts: optional(asSchemaOf<Trace>(personal(traceSchema))),
    }),
  },
})
export type ExplainedRecipeView = TypeOf<typeof explainedRecipeSchema>

/** A list of what was erased together with the person it was about, in whose place stands `{"forgotten": true}`. */
function listOrForgotten<Item extends Schema>(items: Item, facts: Schema = {}) {
  const forgotten = openObject('Forgotten', { forgotten: { const: true } })
  return asSchemaOf<readonly TypeOf<Item>[] | ForgottenValue>({
    anyOf: [{ type: 'array', items }, forgotten],
    ...facts,
  })
}

const planSchema = openObject('PlanPins', {
  digest: text,
  recipes: {
    type: 'array',
    items: openObject('RecipePin', {
      recipe_id: text,
      version_id: text,
      status: { type: 'string', enum: ['LIVE', 'SHADOW'] },
    }),
  },
})

/** A recorded evaluation. What has been erased with the person it was about is marked so. */
export const evaluationSchema = openObject('Evaluation', {
  id: text,
  flow_id: text,
  flow_name: optional(nameSchema),
  flow_version_id: text,
  evaluated_at: { ...timeSchema, description: 'ISO 8601 UTC; the clock that the rules saw.' },
  prediction: optional({ const: true, description: 'For one that answered a prediction.' }),
  imported: optional({
    const: true,
    description: 'For one that was recorded later: evaluated_at is when it occurred.',
  }),
  verdict: verdictSchema,
  fragile: assessmentFields.fragile,
  recipes: namedRecipesSchema,
  shadow_recipes: namedRecipesSchema,
  dispatch: { type: 'string', enum: ['none', 'found', 'expired', 'unknown'] },
  correlation_id: optional(
    personal({
      type: 'string',
      description: 'For evaluations and predictions that were sent with one.',
    }),
  ),
  evidence: listOrForgotten(evidenceSchema),
  not_counted: listOrForgotten(notCountedSchema, {
    description: 'Signals that were sent and did not count.',
  }),
  explanation: listOrForgotten(explainedRecipeSchema),
  plan: planSchema,
  semantics_version: { type: 'integer' },
  result_hash: { type: 'string', description: 'SHA-256 of the answered body, hexadecimal.' },
  position: text,
  as_of: {
    type: 'string',
    description:
      'Log position up to which the evidence was gathered; later changes may not be included.',
  },
  counted_to: optional({
    type: 'string',
    description: 'Log position up to which its counters were counted; absent where none was read.',
  }),
})
export type EvaluationView = TypeOf<typeof evaluationSchema>

const sampleNotCounted = {
  type: 'array',
  items: notCountedSchema,
  description: 'Signals of the sample that did not count.',
} as const

/** What an unsaved rule made of the evidence. */
export const ruleTestResultSchema = openObject('RuleTestResult', {
  outcome: asSchemaOf<Outcome>({
    type: 'string',
    enum: ['TRIGGERED', 'NOT_TRIGGERED', 'NOT_EVALUATED'],
  }),
  blocked_by: optional(text),
  unavailable: optional(asSchemaOf<true>({ type: 'boolean' })),
  problem: optional(problemSchema),
  expression: { type: 'string', description: 'The rule in canonical form.' },
  reads: { type: 'array', items: explainedReadSchema },
  counters: optional({ type: 'array', items: explainedCounterSchema }),
  parts: traceSchema,
  not_counted: sampleNotCounted,
  warnings: warningsField,
})
export type RuleTestView = TypeOf<typeof ruleTestResultSchema>

/** What a flow, or a draft of it, made of the evidence. */
export const flowTestResultSchema = openObject('FlowTestResult', {
  flow_id: text,
  flow_name: optional(nameSchema),
  verdict: verdictSchema,
  fragile: assessmentFields.fragile,
  recipes: namedRecipesSchema,
  shadow_recipes: namedRecipesSchema,
  evidence: { type: 'array', items: evidenceSchema },
  not_counted: sampleNotCounted,
  explanation: { type: 'array', items: explainedRecipeSchema },
  semantics_version: { type: 'integer' },
  warnings: warningsField,
})
export type FlowTestView = TypeOf<typeof flowTestResultSchema>
