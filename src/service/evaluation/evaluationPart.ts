/** The evaluation's part of the service: verdicts given, seen again and computed again, and rules and flows tried. */

import type { RecipeInput } from '../../commands/rulebook/recipes.ts'
import type { RuleInput } from '../../commands/rulebook/rules.ts'
import type { Call, Written } from '../../domain/call.ts'
import type { Difference } from '../../domain/differences.ts'
import type { Signals } from '../../domain/signals.ts'
import type { Target } from '../../domain/target.ts'
import type { NotCounted } from '../../engine/run/evidence.ts'
import type { Membership } from '../../events/rulebook/rulebook.ts'
import type { EvaluationView, FlowTestView, RuleTestView } from './evaluationView.ts'

/** The request of an evaluation after its checks: target and IP in canonical form. */
export interface EvaluationInput {
  readonly flow_id: string
  readonly target: Target
  readonly signals?: Signals
  readonly dispatch_id?: string
  /** What was sent and can be no evidence, whatever else arrives. */
  readonly notCounted?: readonly NotCounted[]
}

/** The request of a prediction after its checks. */
export interface PredictionInput extends Omit<EvaluationInput, 'flow_id'> {
  readonly correlation_id?: string
}

/** What a flow predicts of an end user: `suspicious` is its `FLAG`, `legitimate` its `PASS`. */
export interface PredictionView {
  /** Of the evaluation, which is on record like any other. */
  readonly id: string
  readonly prediction: 'legitimate' | 'suspicious'
  /** Of the request that recorded it. */
  readonly request_id: string
}

/** Which flow answers the predictions of an account. */
export interface PredictionFlow {
  readonly flow_id: string
}

/** Each throws `access_not_enabled` when the account may not author. */
interface PredictionFlows {
  /** Throws `not_found` when none is set. */
  readonly get: (call: Call) => Promise<PredictionFlow>
  /** Throws `invalid_request` when the account has no such flow. */
  readonly set: (call: Call, input: PredictionFlow) => Promise<Written<PredictionFlow>>
  /** Again is no error. */
  readonly clear: (call: Call) => Promise<Written<void>>
}

/** How far an explanation goes: what each rule read, or also the value of every sub-expression. */
export type ExplanationDetail = 'rules' | 'expressions'

/** What computing an evaluation again gave. */
export interface Replay {
  readonly result: 'MATCH' | 'MISMATCH'
  readonly differences: readonly Difference[]
}

/** What is to be taken for arrived when something is tried; canonical, empty signals left out. */
export interface SampleEvidence {
  readonly target: Target
  readonly signals: Signals
  /** Of the dispatch; undefined when none is named. */
  readonly dispatchSignals?: Signals
  /** What was given and can be no evidence, whatever else arrives. */
  readonly notCounted: readonly NotCounted[]
  /** On which of the account's lists the target stands. */
  readonly lists: { readonly allow: boolean; readonly block: boolean }
  /** The clock of the rules, in milliseconds since the Unix epoch; the service's own when undefined. */
  readonly timeMs?: number
}

/** A rule that is not saved, and what it is tried with. */
interface RuleTest extends Pick<RuleInput, 'expression'> {
  readonly evidence: SampleEvidence
}

/** A rule that stands in a draft only. */
interface DraftRuleInput extends Pick<Membership, 'weight' | 'preempts'>, Partial<RuleInput> {
  readonly expression: string
}

/** A recipe that stands in a draft only; live unless it says otherwise. */
export interface DraftRecipeInput
  extends Omit<RecipeInput, 'status' | 'name' | 'rules'>,
    Partial<Pick<RecipeInput, 'name'>> {
  readonly status?: 'LIVE' | 'SHADOW'
  readonly rules: readonly (Membership | DraftRuleInput)[]
}

export interface DraftFlowInput {
  readonly recipes: readonly (string | DraftRecipeInput)[]
}

/** What a flow, or a draft of it, is tried with. */
interface FlowTest {
  readonly evidence: SampleEvidence
  readonly draft?: DraftFlowInput
  readonly detail: ExplanationDetail
}

/** One evaluation throws `not_found` also when it is another account's. */
export interface EvaluationPart {
  /** The answer's body is already JSON text: these bytes are what was hashed into the record. */
  readonly evaluateFlow: (call: Call, input: EvaluationInput) => Promise<Written<string>>
  /**
   * Evaluates the flow that the account has set for it. Throws `invalid_request` when none is set, or the one that was set is deleted, and
   * what evaluating throws.
   */
  readonly predict: (call: Call, input: PredictionInput) => Promise<Written<PredictionView>>
  readonly predictionFlow: PredictionFlows
  /** The recorded evaluation with its evidence, shadow recipes and explanation. */
  readonly findEvaluation: (
    call: Call,
    id: string,
    detail: ExplanationDetail,
  ) => Promise<EvaluationView>
  /** Computes an evaluation again from its record. Throws `evidence_forgotten`. */
  readonly replayEvaluation: (call: Call, id: string) => Promise<Replay>
  /** What an unsaved rule makes of the evidence, and the value of each of its parts. Recorded nowhere. Throws `invalid_rule`. */
  readonly testRule: (call: Call, input: RuleTest) => Promise<RuleTestView>
  /**
   * What a flow, as it stands or as drafted, makes of the evidence, with its shadow recipes. Recorded nowhere. Throws `not_found`,
   * `invalid_rule`, `invalid_request`.
   */
  readonly testFlow: (call: Call, flowId: string, input: FlowTest) => Promise<FlowTestView>
}
