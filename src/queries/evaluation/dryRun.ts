/** Tests rules and flows before they are saved, with warnings; records nothing. */

import type { Call } from '../../domain/call.ts'
import { requireExisting } from '../../domain/failure.ts'
import { longWork, runInSlices } from '../../domain/load/scheduler.ts'
import type { Steps } from '../../domain/load/steps.ts'
import type { EvaluatedTarget, Signals } from '../../domain/signals/signals.ts'
import type { SaveWarning } from '../../domain/warning.ts'
import { type CompiledPlan, compilePlan } from '../../engine/compile/compilePlan.ts'
import { explain } from '../../engine/explain/explain.ts'
import type { Expression } from '../../engine/language/expression.ts'
import { semanticsVersion } from '../../engine/language/semantics.ts'
import type { NotCounted } from '../../engine/run/evidence.ts'
import type { Plan } from '../../engine/run/plan.ts'
import type { RecipeResult } from '../../engine/run/result.ts'
import { accountStream } from '../../events/accounts/account.ts'
import {
  managedStream,
  type RulebookState,
  rulebookStream,
} from '../../events/rulebook/rulebook.ts'
import { type AccountStreams, requireAuthoring } from '../../state/accounts/requireAccess.ts'
import { answerCounters } from '../../state/evaluation/countEvaluation.ts'
import type { CompiledPlanCache } from '../../state/evaluation/flowPlanCache.ts'
import {
  addCounterAnswers,
  addListAnswers,
  answerCalls,
  type GatheredEvidence,
  gatherEvidence,
} from '../../state/evaluation/gatherEvidence.ts'
import { pinPlan } from '../../state/evaluation/pinPlan.ts'
import type { CounterContext } from '../../state/evaluation/readCounters.ts'
import {
  findListAnswers,
  findPossibleAnswers,
  type ListLookupContext,
} from '../../state/lists/listLookups.ts'
import { findArrivedKeyWarnings } from '../../state/rulebook/arrivedKeyWarnings.ts'
import { compileRule } from '../../state/rulebook/compileRule.ts'
import { findPinnedVersions, type VersionContext } from '../../state/rulebook/earlierVersions.ts'
import { indexListKinds } from '../../state/rulebook/namedListDecisions.ts'
import { type OutlinedRule, outlineFlow, readOutline } from '../../state/rulebook/outlineFlow.ts'
import type { RulebookStreams, Rulebooks } from '../../state/rulebook/rulebookStreams.ts'
import {
  analyseRules,
  buildOutcomeWarnings,
  findFlowWarnings,
  findRuleWarnings,
  findVerdictWarnings,
} from '../../state/rulebook/rulebookWarnings.ts'
import type { RuleInput } from '../../state/rulebook/rules.ts'
import { buildDraftRulebooks, compileDraft, type DraftFlowInput, isDraftId } from './draftFlow.ts'
import { addAssessments, type FlowTestView, type RuleTestView } from './evaluationView.ts'
import { type ExplanationDetail, toEvidenceViews } from './findEvaluation.ts'
import { addRecipeNames, createNameLookup } from './resultNames.ts'

/** Sample evidence for a test; canonical, empty signals left out. */
export interface SampleEvidence {
  readonly target: EvaluatedTarget
  readonly signals: Signals
  /** Of the dispatch; undefined when none is named. */
  readonly dispatchSignals?: Signals
  /** What was given and can be no evidence, whatever else arrives. */
  readonly notCounted: readonly NotCounted[]
  /** On which of the account's lists the target is. */
  readonly lists: { readonly allow: boolean; readonly block: boolean }
  /** The clock of the rules, in milliseconds since the Unix epoch; the service's own when undefined. */
  readonly timeMs?: number
}

/** A flow, or a draft of it, and what it is tried with. */
interface FlowTest {
  readonly flowId: string
  readonly draft?: DraftFlowInput
  readonly evidence: SampleEvidence
  readonly detail: ExplanationDetail
}

type RuleTestContext = AccountStreams &
  Pick<RulebookStreams, 'rulebooks'> &
  Pick<VersionContext, 'documents' | 'projections'> &
  ListLookupContext &
  CounterContext

/** What trying the draft of a flow takes of a context. */
export type FlowTestContext = RuleTestContext &
  RulebookStreams &
  VersionContext & { readonly compiledPlans: CompiledPlanCache }

/** Runs an unsaved rule, with the value of each sub-expression. Throws `access_not_enabled`, `invalid_rule`. */
export function testRule(
  context: RuleTestContext,
  call: Call,
  {
    expression: text,
    evidence: sample,
  }: Pick<RuleInput, 'expression'> & Pick<FlowTest, 'evidence'>,
): Promise<RuleTestView> {
  const account = call.principal.accountId
  return longWork(context, account, async () => {
    await requireAuthoring(context, call)
    const { state } = await context.rulebooks.catchUp(rulebookStream(account))
    const compiledRule = compileRule(text, { lists: indexListKinds(state) })
    const ofKeys = await findArrivedKeyWarnings(context, account, compiledRule)
    const warnings = [...findRuleWarnings(compiledRule), ...ofKeys]
    const compiled = compilePlan(buildPlanOfRule(compiledRule))
    const gathering = { account, sample, compiled, rulebook: state }
    const { evidence, notCounted, unanswered } = await gatherSample(context, gathering)
    const [recipe] = await runInSlices(
      context,
      explain(compiled, evidence, { parts: true, notCounted, unanswered }),
    )
    const [rule] = recipe?.rules ?? []
    const { outcome, blocked_by, unavailable, problem, expression, reads, counters, parts } =
      rule ?? {}
    if (!outcome || expression === undefined || !reads || !parts) {
      throw new Error('a plan of one rule has not explained it whole')
    }
    return {
      outcome,
      ...(blocked_by !== undefined && { blocked_by }),
      ...(unavailable && { unavailable }),
      ...(problem !== undefined && { problem }),
      expression,
      reads,
      ...(counters && { counters }),
      parts,
      not_counted: notCounted,
      ...(warnings.length > 0 && { warnings }),
    }
  })
}

/** Runs a flow as it is or as drafted. Throws `access_not_enabled`, `not_found`, `invalid_rule`, `invalid_request`. */
export function testFlow(
  context: FlowTestContext,
  call: Call,
  { flowId, draft, evidence: sample, detail }: FlowTest,
): Promise<FlowTestView> {
  const account = call.principal.accountId
  return longWork(context, account, async () => {
    await requireAuthoring(context, call)
    const { state } = await context.rulebooks.catchUp(rulebookStream(account))
    const managed = await context.managed.catchUp(managedStream)
    const current = { own: state, managed: managed.state }
    const rulebooks = draft ? await addDraft(context, current, { account, flowId, draft }) : current
    const outline = requireExisting(outlineFlow(rulebooks, flowId, semanticsVersion))
    const findName = createNameLookup(rulebooks)
    const plan = await runInSlices(context, readOutline(outline))
    const { digest } = await runInSlices(context, pinPlan(account, plan))
    const { compiled } = await context.compiledPlans.getOrCompile({ account, digest, plan })
    const gathering = { account, sample, compiled, rulebook: state, flowId }
    const { evidence, notCounted, unanswered } = await gatherSample(context, gathering)
    const run = await runInSlices(context, compiled.runSteps(evidence))
    const { recipes: recorded, fragile } = compiled.encodeRun(run)
    const show = <Recipe extends RecipeResult>(results: readonly Recipe[]) =>
      addAssessments(addRecipeNames(results, plan, findName), recorded)
    const warnings = await runInSlices(context, listPlanWarnings(outline))
    const flowName = findName(flowId, plan.flow_version_id)
    const options = { parts: detail === 'expressions', run, notCounted, unanswered }
    const explanation = await runInSlices(context, explain(compiled, evidence, options))
    return {
      flow_id: flowId,
      ...(flowName !== undefined && { flow_name: flowName }),
      verdict: run.verdict,
      ...(fragile && { fragile }),
      recipes: show(run.recipes),
      shadow_recipes: show(run.shadowRecipes),
      evidence: toEvidenceViews(evidence, plan),
      not_counted: notCounted,
      explanation: show(explanation),
      semantics_version: plan.semantics,
      ...(warnings.length > 0 && { warnings }),
    }
  })
}

/** The rulebooks of a draft, with the versions that it pins. */
export async function addDraft(
  context: FlowTestContext,
  current: Rulebooks,
  test: Required<Pick<FlowTest, 'flowId' | 'draft'>> & { readonly account: string },
): Promise<Rulebooks> {
  const { account, flowId } = test
  const draft = await runInSlices(context, compileDraft(test.draft, indexListKinds(current.own)))
  const members = draft.recipes.flatMap((one) => (typeof one === 'string' ? [] : one.rules))
  const pinning = members.flatMap((member) => ('expression' in member ? [] : [member]))
  const known = await findPinnedVersions(context, { account, state: current.own }, pinning)
  return buildDraftRulebooks(current, flowId, { ...draft, known })
}

interface EvidenceContext {
  readonly account: string
  readonly sample: SampleEvidence
  readonly compiled: CompiledPlan
  readonly rulebook: RulebookState
  /** Undefined where a rule is tried alone. */
  readonly flowId?: string
}

/** What would have arrived of the sample in an evaluation. */
async function gatherSample(
  context: RuleTestContext,
  { account, sample, compiled, rulebook, flowId }: EvidenceContext,
): Promise<GatheredEvidence> {
  const { state } = await context.accounts.getFolded(accountStream(account))
  const { target, signals, dispatchSignals, notCounted, lists } = sample
  const { timeMs = context.clock.nowMs() } = sample
  const arrived = gatherEvidence(
    {
      request: { target, signals, notCounted, ...(flowId !== undefined && { flow_id: flowId }) },
      time: timeMs,
      dispatch: dispatchSignals,
      lists: { allow: { listed: lists.allow }, block: { listed: lists.block } },
      isTrustedUserAgreed: state.trusted_user,
    },
    new Set(compiled.reads),
  )
  // lists with names answer as they stand now, and counters too
  const asked = answerCalls(arrived, compiled)
  const looking = { account, rulebook, lookups: asked.lookups, timeMs }
  const possible = await runInSlices(context, findPossibleAnswers(context, looking))
  const listed = addListAnswers(asked, await findListAnswers(context, looking, possible))
  const request = flowId === undefined ? {} : { flow_id: flowId }
  const counting = {
    account,
    request,
    kept: rulebook.counters,
    asked,
    timeMs: context.clock.nowMs(),
  }
  return addCounterAnswers(listed, (await answerCounters(context, counting)).answers)
}

/** A plan that flags where the rule triggers. */
export function buildPlanOfRule(expression: Expression): Plan {
  const type = 'CUSTOM'
  const rules = [{ rule_id: '', type, name: '', version_id: '', weight: 1, expression }] as const
  const recipe = { recipe_id: '', version_id: '', status: 'LIVE', threshold: 1, rules } as const
  return { flow_id: '', flow_version_id: '', semantics: semanticsVersion, recipes: [recipe] }
}

/**
 * Warnings of a flow as it would run: of its recipes, and of the rules of the draft only, whose ids are their paths in
 * the request. A recipe that is not of the draft is named by its id.
 */
export function* listPlanWarnings({ recipes }: Plan<OutlinedRule>): Steps<readonly SaveWarning[]> {
  const warnings = [...findFlowWarnings(recipes.map(({ status }) => status))]
  for (const { recipe_id, threshold, rules } of recipes) {
    const members = yield* analyseRules(rules)
    warnings.push(...prefixPaths(recipe_id, findVerdictWarnings(threshold, members)))
    for (const [index, { rule_id }] of rules.entries()) {
      if (!isDraftId(rule_id)) continue
      const { outcome, impossibleValues: impossible = [] } = members[index] ?? {}
      warnings.push(...prefixPaths(rule_id, buildOutcomeWarnings(outcome, impossible)))
    }
  }
  return warnings
}

function prefixPaths(path: string, warnings: readonly SaveWarning[]): readonly SaveWarning[] {
  return warnings.map((warning) => ({ ...warning, path: `${path}.${warning.path}` }))
}
