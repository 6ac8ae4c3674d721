/** The evaluation family: streams `evaluation-{id}`, `plan-{digest}`, `plan_rules-{digest}` and `expression-{digest}`. */

import type { Expression } from '../../engine/language/expression.ts'
import type { EvidenceSource } from '../../engine/run/evidence.ts'
import type { NotCounted, NotCountedReason } from '../../engine/run/notCounted.ts'
import type { Plan, PlannedPlace, PlannedRecipe } from '../../engine/run/plan.ts'
import type { RecordedRecipe } from '../../engine/run/record.ts'
import type { Verdict } from '../../engine/run/result.ts'
import type { Clear } from '../recording/definition.ts'
import type { DomainEvent } from '../recording/event.ts'
import type { Personal } from '../recording/sealing.ts'

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
