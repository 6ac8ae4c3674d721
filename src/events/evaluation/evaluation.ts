/** Declares the streams of evaluations and of the plans, rules and expressions they ran. */

import type { Expression } from '../../engine/language/expression.ts'
import type { EvidenceSource, NotCounted, NotCountedReason } from '../../engine/run/evidence.ts'
import type { Plan, PlannedPlace, PlannedRecipe } from '../../engine/run/plan.ts'
import type { RecordedRecipe } from '../../engine/run/record.ts'
import type { Verdict } from '../../engine/run/result.ts'
import { type Clear, type Definitions, plain, type SubjectOf } from '../recording/definition.ts'
import type { DomainEvent } from '../recording/event.ts'
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
import type { Personal } from '../recording/sealing.ts'
import type { ShapeOf } from '../recording/shapeOf.ts'
import { sourcesPattern } from './evidenceRecord.ts'

/** The stream of an evaluation. */
export function evaluationStream(id: string): string {
  return `evaluation-${id}`
}

/** Something of the evidence of one evaluation: name, value, source. */
export type RecordedItem = readonly [
  name: string,
  value: string | boolean | number,
  source: EvidenceSource,
]

/** A signal that was sent and did not count: name, value, source, reason. */
export type RecordedNotCounted = readonly [
  name: string,
  value: NotCounted['value'],
  source: NotCounted['source'],
  reason: NotCountedReason,
]

/** Up to which position of the log a list was read for its answer, by the name under which the answer is evidence. */
export type RecordedRevision = readonly [name: string, revision: number]

/**
 * What arrived. What the plan's rules read stands in the order in which they name it, see `namesRead`; the target under keys of its own
 * and the clock as the evaluation's time stand elsewhere in the record.
 */
export interface RecordedEvidence {
  readonly dispatch_id?: string
  /** What the caller knows a prediction by. */
  readonly correlation_id?: string
  /**
   * For each name that the plan's rules read where its value comes from: `D`ispatch, `R`equest, `U`ser agent, `L`ist, `S`ervice; `-`
   * where it did not arrive or stands elsewhere, `-12` for twelve of these behind one another.
   */
  readonly sources: string
  /** The values of those that arrived, in the same order. */
  readonly values: readonly RecordedItem[1][]
  /** What arrived beside it. */
  readonly items: readonly RecordedItem[]
  /** Absent where no list was read. */
  readonly lists?: readonly RecordedRevision[]
  /** Apart from the evidence, which rules never saw it in. */
  readonly not_counted: readonly RecordedNotCounted[]
}

export interface FlowEvaluated {
  readonly evaluation_id: string
  readonly flow_id: string
  readonly flow_version_id: string
  /** Digest of the plan that ran: the pins of every recipe and rule. */
  readonly plan: string
  readonly semantics: number
  /** Whether a dispatch was named and known, and not too old by then. */
  readonly dispatch: 'none' | 'found' | 'expired' | 'unknown'
  /** Keyed digest of the id of the dispatch that was named: with the person its signals are erased, too. */
  readonly dispatch_subject?: string
  /** `target.phone_number`, under the subject of the number. */
  readonly phone_number?: Personal<string>
  /** `target.email_address`, under the subject of the address. */
  readonly email_address?: Personal<string>
  /** Everything else that arrived, the dispatch's id included, under the subject of the number, else of the address. */
  readonly evidence: Personal<RecordedEvidence>
  /**
   * Keyed digests of the address and the device's id, by which the evaluation is found: of those that counted, else of those that the
   * request sent.
   */
  readonly ip?: string
  readonly device?: string
  /** Keyed digest of `evidence.correlation_id`. */
  readonly correlation?: string
  /** The clock the rules saw: milliseconds since the Unix epoch. */
  readonly time: number
  /** Position up to which the instance had followed the log before it gathered the evidence: of what came later it may not have known. */
  readonly as_of: number
  readonly verdict: Verdict
  /** Live and shadow recipes, in the plan's order. */
  readonly recipes: readonly RecordedRecipe[]
  /** SHA-256 of the answered body, hexadecimal. */
  readonly result_hash: string
  /** Keyed digest of the request, where the caller gave an `Idempotency-Key`. */
  readonly request_digest?: string
}

/** An evaluation with its personal fields in clear. */
export type WrittenEvaluation = Clear<FlowEvaluated>

/** A rule of a plan with the digest of its expression, where it has one. */
export interface PinnedRule extends PlannedPlace {
  readonly expression?: string
}

/** A part of a recipe's rules: the digest of the event that they stand in, and how many they are. */
export type PinnedPart = readonly [digest: string, rules: number]

/** A recipe of a plan with the parts that its rules stand in, in order. */
export interface PinnedRecipe extends Omit<PlannedRecipe, 'rules'> {
  readonly parts: readonly PinnedPart[]
}

/** A plan whose rules and expressions stand in events of their own. */
export interface PinnedPlan extends Omit<Plan, 'recipes'> {
  readonly recipes: readonly PinnedRecipe[]
}

export type EvaluationEvent =
  /** An expression that some plan of the account runs; the digest is of both. */
  | DomainEvent<'ExpressionRecorded', { readonly digest: string; readonly expression: Expression }>
  /** A part of the rules of a recipe in some plan of the account, in order. */
  | DomainEvent<
      'PlanRulesRecorded',
      { readonly digest: string; readonly rules: readonly PinnedRule[] }
    >
  /** What a flow runs; the events that it names by their digests are in the log before it. */
  | DomainEvent<'FlowPlanRecorded', { readonly digest: string; readonly plan: PinnedPlan }>
  | DomainEvent<'FlowEvaluated', FlowEvaluated>

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
  { request_digest: word, dispatch_subject: word, ip: word, device: word, correlation: word },
)

export const evaluationEvents: Definitions<EvaluationEvent> = {
  ExpressionRecorded: plain(object({ digest: word, expression })),
  PlanRulesRecorded: plain(object({ digest: word, rules: list(pinnedRule) })),
  FlowPlanRecorded: plain(object({ digest: word, plan: pinnedPlan })),
  FlowEvaluated: {
    schema: flowEvaluated,
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
