/** Declares the events of evaluations and of the plans that they ran. */

import { asSchemaOf, type TypeOf } from '../../domain/jsonSchema.ts'
import { missingReasons } from '../../engine/run/missingNames.ts'
import type { EventMetadata } from '../recording/event.ts'
import {
  type ClearData,
  type DataSubject,
  defineNonPersonalEvent,
  type EventOf,
} from '../recording/eventDefinition.ts'
import {
  epochMs,
  integer,
  integerFrom,
  list,
  nonEmptyString,
  object,
  oneOf,
  tuple,
} from '../recording/eventSchema.ts'
import { expressionRef } from '../recording/expressionSchema.ts'
import { signalDigestFields, targetDigestFields } from '../recording/lookupDigest.ts'
import { talliesField } from '../recording/tallies.ts'
import { recordedEvidence, recordedNames } from './evidenceRecord.ts'

export function evaluationStream(id: string): string {
  return `evaluation-${id}`
}

const verdict = oneOf(['PASS', 'FLAG'])
const place = {
  rule_id: nonEmptyString,
  type: oneOf(['MANAGED', 'CUSTOM']),
  name: nonEmptyString,
  version_id: nonEmptyString,
  weight: integer,
}
/** A rule of a plan with the digest of its expression, where it has one. */
const pinnedRule = object(place, { preempts: verdict, expression: nonEmptyString })
const recipe = {
  recipe_id: nonEmptyString,
  version_id: nonEmptyString,
  status: oneOf(['LIVE', 'SHADOW']),
  threshold: integer,
}
/** A chunk of a recipe's rules: the digest of the event that contains them, and their number. */
const pinnedPart = tuple(nonEmptyString, integerFrom(1))
/** A recipe of a plan with the chunks that contain its rules, in order. */
const pinnedRecipe = object({ ...recipe, parts: list(pinnedPart) })
const flow = { flow_id: nonEmptyString, flow_version_id: nonEmptyString, semantics: integer }
/** A plan whose rules and expressions are in events of their own. */
const pinnedPlan = object({ ...flow, recipes: list(pinnedRecipe) })

export type PinnedRule = TypeOf<typeof pinnedRule>
export type PinnedRuleChunk = TypeOf<typeof pinnedPart>
export type PinnedRecipe = TypeOf<typeof pinnedRecipe>
export type PinnedPlan = TypeOf<typeof pinnedPlan>

const recordedRecipe = object(
  {
    recipe_id: nonEmptyString,
    score: integer,
    verdict,
    outcomes: asSchemaOf<string>({ type: 'string', pattern: '^[TNMUS]*$' }),
  },
  {
    determined_by: nonEmptyString,
    skipped: asSchemaOf<string>({ type: 'string', pattern: '^[TNMU]+$' }),
    blocked_by: list(list(integer)),
    // see `Assessment`
    bounds: tuple(integer, integer),
    fragile: asSchemaOf<true>({ type: 'boolean', const: true }),
    alone: list(integerFrom(0)),
  },
)
/** A name for which rules were not evaluated, and why. */
const recordedName = tuple(nonEmptyString, oneOf(missingReasons))
const flowEvaluated = object(
  {
    evaluation_id: nonEmptyString,
    flow_id: nonEmptyString,
    flow_version_id: nonEmptyString,
    // digest of the plan that ran: the pins of every recipe and rule
    plan: nonEmptyString,
    semantics: integer,
    // whether a dispatch was named and known, and not too old by then
    dispatch: oneOf(['none', 'found', 'expired', 'unknown']),
    // of the evidence and of `ext`, whose values are sealed
    arrived: recordedNames,
    verdict,
    // live and shadow recipes, in the plan's order: see `RecordedRun`, as for `missing`, `missing_managed`
    // and `fragile`
    recipes: list(recordedRecipe),
    // SHA-256 of the answered body, hexadecimal
    result_hash: nonEmptyString,
    // position up to which the instance had followed the log before it gathered the evidence: of what came later it may
    // not have known
    as_of: integerFrom(0),
  },
  {
    missing: list(recordedName),
    missing_managed: list(recordedName),
    fragile: asSchemaOf<true>({ type: 'boolean', const: true }),
    // keyed digest of the request, where the caller gave an `Idempotency-Key`
    request_digest: nonEmptyString,
    // keyed digest of the id of the dispatch that was named: with the person its signals are erased, too
    dispatch_subject: nonEmptyString,
    // keyed digests of what became evidence, and of signals that were sent and did not count
    counted: object({}, { ...signalDigestFields, ...targetDigestFields }),
    sent: object({}, signalDigestFields),
    // keyed digest of `evidence.correlation_id`
    correlation: nonEmptyString,
    // whether it answered a prediction
    prediction: asSchemaOf<true>({ type: 'boolean', const: true }),
    // of one that was recorded later: when it occurred, which is the clock of its rules, in milliseconds since the Unix
    // epoch
    occurred_at: epochMs,
    imported: asSchemaOf<true>({ type: 'boolean', const: true }),
    // position up to which the counters that its rules read had counted; absent where they read none
    counted_to: integerFrom(0),
    ...talliesField,
  },
)

export const evaluationEvents = {
  /**
   * An expression that some plan of the account runs; the digest is of both. One of a managed rule says so: the account
   * does not see it.
   */
  ExpressionRecorded: defineNonPersonalEvent(
    { digest: nonEmptyString, expression: expressionRef },
    { managed: asSchemaOf<true>({ type: 'boolean', const: true }) },
  ),
  /** A part of the rules of a recipe in some plan of the account, in order. */
  PlanRulesRecorded: defineNonPersonalEvent({ digest: nonEmptyString, rules: list(pinnedRule) }),
  /** What a flow runs; the events that it names by their digests are in the log before it. */
  FlowPlanRecorded: defineNonPersonalEvent({ digest: nonEmptyString, plan: pinnedPlan }),
  FlowEvaluated: {
    schema: flowEvaluated,
    personal: {
      /**
       * The target: each under its own subject; a number that came with an address, and the evidence with it, are
       * erased with either.
       */
      phone_number: {
        subject: phoneSubject,
        also: alsoEmail,
        schema: nonEmptyString,
        optional: true,
      },
      email_address: { subject: emailSubject, schema: nonEmptyString, optional: true },
      /**
       * Everything else that arrived, the dispatch's id included, under the subject of the number, else of the address.
       */
      evidence: { subject: targetSubject, schema: recordedEvidence },
    },
  },
} as const

export type EvaluationEvent = EventOf<typeof evaluationEvents>
export type EvaluationData<Type extends EvaluationEvent['type']> = Extract<
  EvaluationEvent,
  { type: Type }
>['data']
export type FlowEvaluated = EvaluationData<'FlowEvaluated'>

/** An evaluation with its personal fields in clear. */
export type EvaluationToRecord = ClearData<FlowEvaluated>

interface Evaluated {
  readonly phone_number?: string
  readonly email_address?: string
}

function phoneSubject({ phone_number }: Evaluated): DataSubject {
  return { kind: 'phone', value: requireSubjectValue(phone_number) }
}

function emailSubject({ email_address }: Evaluated): DataSubject {
  return { kind: 'email', value: requireSubjectValue(email_address) }
}

function alsoEmail(data: Evaluated): readonly DataSubject[] {
  return data.email_address === undefined ? [] : [emailSubject(data)]
}

function targetSubject(data: Evaluated): DataSubject {
  return data.phone_number === undefined ? emailSubject(data) : phoneSubject(data)
}

function requireSubjectValue(value: string | undefined): string {
  if (value === undefined) throw new Error('an evaluation without a target has no subject')
  return value
}

/** The clock that the rules saw, in milliseconds since the Unix epoch. */
export function readClock({
  event,
  metadata,
}: {
  readonly event: { readonly data: Pick<FlowEvaluated, 'occurred_at'> }
  readonly metadata: Pick<EventMetadata, 'time'>
}): number {
  return event.data.occurred_at ?? metadata.time
}
