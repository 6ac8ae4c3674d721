/** The event types of the evaluation family, as the catalogue needs them. */

import { type Clear, type Definitions, plain, type SubjectOf } from '../recording/definition.ts'
import { expression } from '../recording/expressionSchema.ts'
import {
  integer,
  integerFrom,
  list,
  object,
  oneOf,
  type SchemaOf,
  scalar,
  schemaOf,
  time,
  tuple,
  word,
} from '../recording/schema.ts'
import type { ShapeOf } from '../recording/shapeOf.ts'
import type { EvaluationEvent, FlowEvaluated, RecordedEvidence } from './evaluation.ts'
import { sourcesPattern } from './evidenceRecord.ts'

const verdict = oneOf(['PASS', 'FLAG'])
const place = {
  rule_id: word,
  type: oneOf(['MANAGED', 'CUSTOM']),
  name: word,
  version_id: word,
  weight: integer,
}
const pinnedRule = object(place, { preempts: verdict, expression: word })
const recipe = {
  recipe_id: word,
  version_id: word,
  status: oneOf(['LIVE', 'SHADOW']),
  threshold: integer,
}
const pinnedRecipe = object({ ...recipe, parts: list(tuple(word, integerFrom(1))) })
const flow = { flow_id: word, flow_version_id: word, semantics: integer }
const pinnedPlan = object({ ...flow, recipes: list(pinnedRecipe) })
const recordedRecipe = object(
  {
    recipe_id: word,
    score: integer,
    verdict,
    outcomes: schemaOf<string>({ type: 'string', pattern: '^[TNMUS]*$' }),
    blocked_by: list(word),
  },
  { determined_by: word },
)
const recordedItem = tuple(
  word,
  scalar,
  oneOf(['dispatch', 'request', 'user_agent', 'list', 'service']),
)
const recordedNotCounted = tuple(
  word,
  schemaOf<string | boolean>({ type: ['string', 'boolean'] }),
  oneOf(['request', 'dispatch']),
  oneOf([
    'needs_dispatch',
    'dispatch_value_wins',
    'trusted_user_not_agreed',
    'front_end_cannot_vouch',
    'address_not_public',
    'unknown_field',
  ]),
)
const evidence: SchemaOf<ShapeOf<RecordedEvidence>> = object(
  {
    sources: schemaOf<string>({ type: 'string', pattern: sourcesPattern }),
    values: list(scalar),
    items: list(recordedItem),
    not_counted: list(recordedNotCounted),
  },
  { dispatch_id: word, correlation_id: word, lists: list(tuple(word, integerFrom(0))) },
)
const flowEvaluated = object(
  {
    evaluation_id: word,
    flow_id: word,
    flow_version_id: word,
    plan: word,
    semantics: integer,
    dispatch: oneOf(['none', 'found', 'expired', 'unknown']),
    time,
    verdict,
    recipes: list(recordedRecipe),
    result_hash: word,
    as_of: integerFrom(0),
  },
  { request_digest: word, ip: word, device: word, correlation: word },
)

/** The version of `FlowEvaluated` that is written. */
export const evaluationVersion = 1

export const evaluationEvents: Definitions<EvaluationEvent> = {
  ExpressionRecorded: plain(object({ digest: word, expression })),
  PlanRulesRecorded: plain(object({ digest: word, rules: list(pinnedRule) })),
  FlowPlanRecorded: plain(object({ digest: word, plan: pinnedPlan })),
  FlowEvaluated: {
    version: evaluationVersion,
    schema: flowEvaluated,
    upcasters: [],
    personal: {
      phone_number: { subject: phoneSubject, schema: word, optional: true },
      email_address: { subject: emailSubject, schema: word, optional: true },
      evidence: { subject: targetSubject, schema: evidence },
    },
  },
}

type Evaluated = Clear<FlowEvaluated>

function phoneSubject({ phone_number }: Evaluated): SubjectOf {
  return { kind: 'phone', value: given(phone_number) }
}

function emailSubject({ email_address }: Evaluated): SubjectOf {
  return { kind: 'email', value: given(email_address) }
}

function targetSubject(data: Evaluated): SubjectOf {
  return data.phone_number === undefined ? emailSubject(data) : phoneSubject(data)
}

function given(value: string | undefined): string {
  if (value === undefined) throw new Error('an evaluation without a target has no subject')
  return value
}
