/** The table of contents of the system: one object of functions that the doors call. */

import type { Asking, Call, Page, PageRequest, Seen, Written } from './domain/call.ts'
import type { AccountPrincipal, Principal, Scope } from './domain/principal.ts'
import type { Signals } from './domain/signals.ts'
import type {
  ManagedRecipeContent,
  RecipeParameter,
  RuleParameter,
} from './events/rulebook/managedRulebook.ts'
import type { Membership, RecipeStatus } from './events/rulebook/rulebook.ts'
import type { Metrics } from './metrics/openMetrics.ts'
import type {
  ComparisonAsked,
  ComparisonView,
  EvaluationsAsked,
  EvaluationsFound,
} from './service/analysis/analysisViews.ts'
import type {
  ProjectionHealth,
  ProjectionView,
  RetryView,
} from './service/operations/projectionViews.ts'
import type {
  DraftFlowInput,
  RuleUsageView,
  SampleEvidence,
  SignalView,
  VersionView,
} from './service/rulebook/authorViews.ts'

export interface RuleInput {
  readonly name: string
  readonly expression: string
}

export interface RuleView extends RuleInput {
  readonly id: string
  readonly version_id: string
}

export interface RecipeInput {
  readonly name: string
  readonly status: RecipeStatus
  readonly threshold: number
  readonly rules: readonly Membership[]
  /** The managed recipe it extends. */
  readonly base_recipe_id?: string
  readonly parameters?: Readonly<Record<string, string | number | boolean>>
}

export interface RecipeView extends Omit<RecipeInput, 'parameters'> {
  readonly parameters?: Readonly<Record<string, string>>
  readonly id: string
  readonly version_id: string
}

export interface FlowInput {
  readonly name: string
  readonly recipes: readonly string[]
}

export interface FlowView extends FlowInput {
  readonly id: string
  readonly version_id: string
}

/**
 * One of rules, recipes, flows, seen by who keeps it: an author unless said otherwise. `remove` is idempotent. `replace`, `remove` and
 * `restore` throw `precondition_failed` when the call's `ifMatch` does not hold.
 */
export interface VersionedResource<Input, View, Caller extends Principal = AccountPrincipal> {
  readonly list: (call: Call<Caller>, page: PageRequest) => Promise<Seen<Page<View>>>
  readonly get: (call: Call<Caller>, id: string, asking: Asking) => Promise<Seen<View>>
  readonly create: (call: Call<Caller>, input: Input) => Promise<Written<View>>
  readonly replace: (call: Call<Caller>, id: string, input: Input) => Promise<Written<View>>
  readonly remove: (call: Call<Caller>, id: string) => Promise<Written<void>>
  /** Newest first. */
  readonly versions: (
    call: Call<Caller>,
    id: string,
    page: PageRequest,
  ) => Promise<Seen<Page<VersionView>>>
  /** Makes an earlier version current again. */
  readonly restore: (call: Call<Caller>, id: string, versionId: string) => Promise<Written<View>>
}

export interface ManagedRuleInput extends RuleInput {
  readonly description: string
  readonly parameters?: readonly RuleParameter[]
}

export interface ManagedRuleView extends Required<ManagedRuleInput> {
  readonly id: string
  readonly version_id: string
}

export interface ManagedRecipeInput extends Omit<ManagedRecipeContent, 'parameters'> {
  readonly parameters?: readonly (Omit<RecipeParameter, 'default_value'> & {
    readonly default_value: string | number | boolean
  })[]
}

export interface ManagedRecipeView extends ManagedRecipeContent {
  readonly id: string
  readonly version_id: string
}

/** Managed rules or recipes, seen by the operator. `remove` is refused while a recipe of anybody's uses the thing. */
export type ManagedResource<Input, View> = VersionedResource<Input, View, Principal>

/** The request of an evaluation after its checks: target and IP in canonical form. */
export interface EvaluationInput {
  readonly flow_id: string
  readonly target: { readonly phone_number?: string; readonly email_address?: string }
  readonly signals?: Signals
  readonly dispatch_id?: string
}

/** How far an explanation goes: what each rule read, or also the value of every sub-expression. */
export type ExplanationDetail = 'rules' | 'expressions'

/** An account as the operator sees it; times are ISO 8601 in UTC. */
export interface AccountView {
  readonly account_id: string
  readonly name: string
  readonly opened_at: string
  readonly authoring: boolean
  readonly management: boolean
  readonly trusted_user: boolean
  readonly tokens: readonly {
    readonly token_id: string
    readonly scopes: readonly Scope[]
    readonly issued_at: string
    readonly revoked_at?: string
  }[]
}

export interface Service {
  /** The principal behind a bearer token. Throws `invalid_api_token`. */
  readonly authenticate: (token: string) => Promise<Principal>
  readonly operator: {
    readonly listAccounts: (
      call: Call<Principal>,
      page: PageRequest,
    ) => Promise<Seen<Page<AccountView>>>
    readonly getAccount: (
      call: Call<Principal>,
      accountId: string,
      asking: Asking,
    ) => Promise<Seen<AccountView>>
    readonly openAccount: (
      call: Call<Principal>,
      input: { readonly name: string },
    ) => Promise<Written<{ readonly account_id: string }>>
    readonly setAccess: (
      call: Call<Principal>,
      accountId: string,
      input: {
        readonly authoring?: boolean
        readonly management?: boolean
        readonly trusted_user?: boolean
      },
    ) => Promise<
      Written<{
        readonly authoring: boolean
        readonly management: boolean
        readonly trusted_user: boolean
      }>
    >
    readonly issueToken: (
      call: Call<Principal>,
      accountId: string,
      input: { readonly scopes: readonly Scope[] },
    ) => Promise<Written<{ readonly token_id: string; readonly token: string }>>
    readonly revokeToken: (
      call: Call<Principal>,
      accountId: string,
      tokenId: string,
    ) => Promise<Written<void>>
    readonly recordDispatch: (
      call: Call<Principal>,
      accountId: string,
      input: { readonly dispatch_id: string; readonly signals: Signals },
    ) => Promise<Written<{ readonly dispatch_id: string }>>
    /** How far each projection is, and what it has parked. */
    readonly listProjections: (call: Call<Principal>) => Promise<Seen<readonly ProjectionView[]>>
    /** Applies the parked events of a projection again; again is no error. Throws `not_found`. */
    readonly retryProjection: (call: Call<Principal>, name: string) => Promise<RetryView>
  }
  readonly managed: {
    readonly rules: ManagedResource<ManagedRuleInput, ManagedRuleView>
    readonly recipes: ManagedResource<ManagedRecipeInput, ManagedRecipeView>
    /** What customers see: neither names nor expressions, nor the rules of recipes. */
    readonly offeredRules: (call: Call, page: PageRequest) => Promise<Seen<Page<object>>>
    readonly offeredRecipes: (call: Call, page: PageRequest) => Promise<Seen<Page<object>>>
  }
  readonly rules: VersionedResource<RuleInput, RuleView>
  readonly recipes: VersionedResource<RecipeInput, RecipeView>
  readonly flows: VersionedResource<FlowInput, FlowView>
  /** Every name that a rule can read. */
  readonly listSignals: (call: Call) => Promise<readonly SignalView[]>
  readonly findRuleUsage: (
    call: Call,
    ruleId: string,
    asking: Asking,
  ) => Promise<Seen<RuleUsageView>>
  /** What an unsaved rule makes of the evidence, and the value of each of its parts. Recorded nowhere. */
  readonly testRule: (
    call: Call,
    input: { readonly expression: string; readonly evidence: SampleEvidence },
  ) => Promise<object>
  /** What a flow, as it stands or as drafted, makes of the evidence, with its shadow recipes. Recorded nowhere. */
  readonly testFlow: (
    call: Call,
    flowId: string,
    input: {
      readonly evidence: SampleEvidence
      readonly draft?: DraftFlowInput
      readonly detail: ExplanationDetail
    },
  ) => Promise<object>
  /** The answer's body is already JSON text: these bytes are what was hashed into the record. */
  readonly evaluateFlow: (call: Call, input: EvaluationInput) => Promise<Written<string>>
  /** The recorded evaluation with its evidence, shadow recipes and explanation, as an answerable object. */
  readonly findEvaluation: (call: Call, id: string, detail: ExplanationDetail) => Promise<object>
  /** The account's evaluations behind a position, or the last ones. */
  readonly listEvaluations: (call: Call, asked: EvaluationsAsked) => Promise<Seen<EvaluationsFound>>
  /** How two recipes agreed in the evaluations in which both ran. */
  readonly compareRecipes: (
    call: Call,
    recipeId: string,
    asked: ComparisonAsked,
  ) => Promise<Seen<ComparisonView>>
  readonly replayEvaluation: (
    call: Call,
    id: string,
  ) => Promise<{
    readonly result: 'MATCH' | 'MISMATCH'
    readonly differences: readonly {
      readonly path: string
      /** Absent when the record, or the computation, has nothing at the path. */
      readonly recorded?: unknown
      readonly recomputed?: unknown
    }[]
  }>
  readonly readiness: () => Promise<Readiness>
  /** What the service counts about itself; the door counts its requests with it. */
  readonly metrics: Pick<Metrics, 'requests' | 'text'>
  /** Finishes what is under way, flushes, closes the stores. */
  readonly close: () => Promise<void>
}

export interface Readiness {
  readonly ready: boolean
  readonly stores: Readonly<Record<string, 'ok' | 'failing'>>
  readonly projections: readonly ProjectionHealth[]
}
