/** The event types of the evaluation family, as the catalogue needs them. */

import { type Clear, type Definitions, plain, type SubjectOf } from '../recording/definition.ts'
import { expression } from '../recording/expressionSchema.ts'
import {
  integer,
  integerFrom,
  list,
  object,
  oneOf,
  orNull,
  type SchemaOf,
  scalar,
  schemaOf,
  time,
  tuple,
  word,
} from '../recording/schema.ts'
import type { ShapeOf } from '../recording/shapeOf.ts'
import type {
  EvaluationEvent,
  FlowEvaluated,
  RecordedEvidence,
  WrittenEvidence,
} from './evaluation.ts'
import { sourcesPattern } from './evidenceRecord.ts'

const verdict = oneOf(['PASS', 'FLAG'])
const place = {
  rule_id: word,
  type: oneOf(['MANAGED', 'CUSTOM']),
  name: word,
  version_id: word,
  weight: integer,
}
const plannedRule = object(place, { preempts: verdict })
const pinnedRule = object(place, { preempts: verdict, expression: word })
const recipe = {
  recipe_id: word,
  version_id: word,
  status: oneOf(['LIVE', 'SHADOW']),
  threshold: integer,
}
const plannedRecipe = object({ ...recipe, rules: list(plannedRule) })
const pinnedRecipe = object({ ...recipe, parts: list(tuple(word, integerFrom(1))) })
const flow = { flow_id: word, flow_version_id: word, semantics: integer }
const plan = object({ ...flow, recipes: list(plannedRecipe) })
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
/** Of what is written now, which has all that came with later versions; a box of an older version has not, and is not upcast. */
const evidence: SchemaOf<ShapeOf<WrittenEvidence>> = object(
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
  },
  { as_of: integerFrom(0), request_digest: word, ip: word, device: word, correlation: word },
)

/** The version of `FlowEvaluated` that is written, and by what its boxes are sealed. */
export const evaluationVersion = 8
export const evaluationBoxes = 'C20P'

export const evaluationEvents: Definitions<EvaluationEvent> = {
  ExpressionRecorded: plain(object({ digest: word, expression })),
  PlanRulesRecorded: plain(object({ digest: word, rules: list(pinnedRule) })),
  FlowPlanRecorded: plain(object({ digest: word, plan: pinnedPlan })),
  PlanRecorded: plain(object({ digest: word, plan })),
  PlanExpressionsRecorded: plain(
    object({
      digest: word,
      first: integerFrom(0),
      expressions: list(orNull(expression)),
    }),
  ),
  FlowEvaluated: {
    // how the data reads is the same: from version 2 on, what is one subject's lies in one box; from version 3 on, what did not
    // count lies there too, and of older evaluations it is not known; from version 4 on it says by which digests it is found,
    // from version 5 on of which revision the lists were, and from version 6 on whether a dispatch was known but had expired; from
    // version 7 on the evidence stands in the order of the plan's names, boxes say by what they are sealed, and the record says up to
    // where the log was known; from version 8 on addresses that are not public and unknown fields are among what did not count
    version: evaluationVersion,
    schema: flowEvaluated,
    upcasters: new Array(7).fill((data: object) => data),
    boxes: evaluationBoxes,
    personal: {
      phone_number: { subject: phoneSubject, schema: word, optional: true },
      email_address: { subject: emailSubject, schema: word, optional: true },
      evidence: { subject: targetSubject, schema: schemaOf<ShapeOf<RecordedEvidence>>(evidence) },
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
