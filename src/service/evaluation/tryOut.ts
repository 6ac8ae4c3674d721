/** Rules and flows tried before they are saved: nothing of it is recorded. */

import { assertAuthoring } from '../../commands/accounts/assertAccess.ts'
import type { CompiledPlans } from '../../commands/evaluation/compiledPlans.ts'
import { type DraftFlow, draftRulebooks, isDraftId } from '../../commands/evaluation/draftFlow.ts'
import {
  type Gathered,
  gatherEvidence,
  withAnswers,
} from '../../commands/evaluation/gatherEvidence.ts'
import { pinPlan } from '../../commands/evaluation/pinPlan.ts'
import { compileRule } from '../../commands/rulebook/compileRule.ts'
import { completeRulebook, knownPins } from '../../commands/rulebook/earlierVersions.ts'
import { listKindsIn } from '../../commands/rulebook/namedLists.ts'
import { type OutlinedRule, outlineFlow, readOutline } from '../../commands/rulebook/planFlow.ts'
import type { Rulebooks } from '../../commands/rulebook/rulebookStreams.ts'
import {
  flowWarnings,
  outcomeWarnings,
  partWarnings,
  reachWarnings,
  readMembers,
  ruleWarnings,
} from '../../commands/rulebook/saveWarnings.ts'
import type { Call } from '../../domain/call.ts'
import { mustExist } from '../../domain/failure.ts'
import { longWork } from '../../domain/longWork.ts'
import type { Warning } from '../../domain/warning.ts'
import type { CompiledPlan } from '../../engine/compile/compilePlan.ts'
import { engineOf } from '../../engine/engineOf.ts'
import type { Expression } from '../../engine/language/expression.ts'
import { semanticsVersion } from '../../engine/language/semantics.ts'
import type { Plan } from '../../engine/run/plan.ts'
import { managedStream } from '../../events/rulebook/managedRulebook.ts'
import type { RulebookState } from '../../events/rulebook/rulebook.ts'
import { listsAskedInSlices } from '../lists/askedLists.ts'
import { accountStream, rulebookStream, type ServiceContext } from '../opening/serviceContext.ts'
import { compileDraft } from './compileDraft.ts'
import type { EvaluationPart, SampleEvidence } from './evaluationPart.ts'
import { evidenceView } from './findEvaluation.ts'
import { namedRecipes } from './namedRecipes.ts'
import { namesIn } from './namesIn.ts'

type Part = EvaluationPart

/** Runs one unsaved rule. Throws `access_not_enabled`, `invalid_rule`. */
export function openTestRule(context: ServiceContext): Part['testRule'] {
  return (call, asked) => longWork(call.principal.accountId, () => testRule(context, call, asked))
}

async function testRule(
  context: ServiceContext,
  call: Call,
  { expression: text, evidence: sample }: Parameters<Part['testRule']>[1],
): ReturnType<Part['testRule']> {
  await assertAuthoring(context, call)
  const account = call.principal.accountId
  const { state } = await context.rulebooks.catchUp(rulebookStream(account))
  const compiledRule = compileRule(text, listKindsIn(state))
  const warnings = ruleWarnings(compiledRule)
  const plan = planOfRule(compiledRule)
  const engine = engineOf(plan.semantics)
  const compiled = engine.compile(plan)
  const gathering = { call, sample, compiled, rulebook: state }
  const { evidence, notCounted } = await gather(context, gathering)
  const options = { managed: 'hidden', parts: true, notCounted } as const
  const [recipe] = await engine.explain(compiled, evidence, options)
  const [rule] = recipe?.rules ?? []
  const { outcome, blocked_by, unavailable, expression, reads, parts } = rule ?? {}
  if (!outcome || expression === undefined || !reads || !parts) {
    throw new Error('a plan of one rule has not explained it whole')
  }
  return {
    outcome,
    ...(blocked_by !== undefined && { blocked_by }),
    ...(unavailable && { unavailable }),
    expression,
    reads,
    parts,
    not_counted: notCounted,
    ...(warnings.length > 0 && { warnings }),
  }
}

/** Runs a flow as it stands or as drafted. Throws `access_not_enabled`, `not_found`, `invalid_rule`, `invalid_request`. */
export function openTestFlow(
  context: ServiceContext,
  compiledPlans: CompiledPlans,
): Part['testFlow'] {
  return (call, flowId, asked) =>
    longWork(call.principal.accountId, () =>
      testFlow({ context, compiledPlans, call, flowId }, asked),
    )
}

interface TestingFlow {
  readonly context: ServiceContext
  readonly compiledPlans: CompiledPlans
  readonly call: Call
  readonly flowId: string
}

async function testFlow(
  { context, compiledPlans, call, flowId }: TestingFlow,
  { draft, evidence: sample, detail }: Parameters<Part['testFlow']>[2],
): ReturnType<Part['testFlow']> {
  await assertAuthoring(context, call)
  const account = call.principal.accountId
  const { state } = await context.rulebooks.catchUp(rulebookStream(account))
  const managed = await context.managed.catchUp(managedStream)
  const standing = { own: state, managed: managed.state }
  const rulebooks = draft
    ? await drafted(
        context,
        { account, standing, flowId },
        await compileDraft(draft, listKindsIn(standing.own)),
      )
    : standing
  const outline = mustExist(outlineFlow(rulebooks, flowId, semanticsVersion))
  const names = namesIn(rulebooks)
  const plan = await readOutline(outline)
  const { digest } = await pinPlan(account, plan)
  const ready = await compiledPlans.ready({ account, digest, plan })
  const { compiled } = ready
  const { evidence, notCounted } = await gather(context, {
    call,
    sample,
    compiled,
    rulebook: state,
  })
  const run = await compiled.runInSlices(evidence)
  const { verdict, recipes, shadow } = run
  const warnings = await planWarnings(outline)
  const flowName = names.flow(flowId, plan.flow_version_id)
  const parts = detail === 'expressions'
  const options = { managed: 'hidden', parts, run, notCounted } as const
  const explanation = await engineOf(plan.semantics).explain(compiled, evidence, options)
  return {
    flow_id: flowId,
    ...(flowName !== undefined && { flow_name: flowName }),
    verdict,
    recipes: namedRecipes(recipes, plan, names),
    shadow_recipes: namedRecipes(shadow, plan, names),
    evidence: evidenceView(evidence, ready.names),
    not_counted: notCounted,
    explanation: namedRecipes(explanation, plan, names),
    semantics_version: plan.semantics,
    ...(warnings.length > 0 && { warnings }),
  }
}

interface Drafting {
  readonly account: string
  readonly standing: Rulebooks
  readonly flowId: string
}

/** The rulebooks of a draft, with the versions that it pins. */
async function drafted(
  context: ServiceContext,
  { account, standing, flowId }: Drafting,
  draft: DraftFlow,
): Promise<Rulebooks> {
  const members = draft.recipes.flatMap((recipe) =>
    typeof recipe === 'string' ? [] : recipe.rules,
  )
  const pinning = members.flatMap((member) => ('expression' in member ? [] : [member]))
  const known = await knownPins(context, { account, state: standing.own }, pinning)
  const rulebooks = draftRulebooks(standing, flowId, { ...draft, known })
  await completeRulebook(context.versionLog, rulebookStream(account), rulebooks.own)
  return rulebooks
}

interface Gathering {
  readonly call: Call
  readonly sample: SampleEvidence
  readonly compiled: CompiledPlan
  readonly rulebook: RulebookState
}

/** What would have arrived of the sample in an evaluation. */
async function gather(
  context: ServiceContext,
  { call, sample, compiled, rulebook }: Gathering,
): Promise<Gathered> {
  const account = call.principal.accountId
  const { state } = await context.accounts.folded(accountStream(account))
  const { target, signals, dispatchSignals, notCounted, lists } = sample
  const { timeMs = context.clock.nowMs() } = sample
  const arrived = gatherEvidence(
    {
      target,
      signals,
      dispatch: dispatchSignals,
      notCounted,
      lists: { allow: { listed: lists.allow }, block: { listed: lists.block } },
      trustedUserAgreed: state.trustedUser,
      time: timeMs,
    },
    new Set(compiled.reads),
  )
  // lists with names answer as they stand now
  const lookups = compiled.asks(arrived.evidence)
  return withAnswers(
    arrived,
    await listsAskedInSlices(context, { account, rulebook, lookups, timeMs }),
  )
}

function planOfRule(expression: Expression): Plan {
  const rule = { rule_id: '', type: 'CUSTOM', name: '', version_id: '', weight: 0 } as const
  return {
    flow_id: '',
    flow_version_id: '',
    semantics: semanticsVersion,
    recipes: [
      {
        recipe_id: '',
        version_id: '',
        status: 'LIVE',
        threshold: 0,
        rules: [{ ...rule, expression }],
      },
    ],
  }
}

/**
 * Of a flow as it would run: its recipes, and the rules that stand in the draft only, whose ids are their places in the request. A
 * recipe that is not of the draft is named by its id.
 */
export async function planWarnings({ recipes }: Plan<OutlinedRule>): Promise<readonly Warning[]> {
  const warnings = [...flowWarnings(recipes.map(({ status }) => status))]
  for (const { recipe_id, threshold, rules } of recipes) {
    const members = await readMembers(rules)
    warnings.push(...below(recipe_id, reachWarnings(threshold, members)))
    for (const [index, { rule_id }] of rules.entries()) {
      if (!isDraftId(rule_id)) continue
      const { outcome, unmeant = [] } = members[index] ?? {}
      warnings.push(...below(rule_id, [...outcomeWarnings(outcome), ...partWarnings(unmeant)]))
    }
  }
  return warnings
}

function below(path: string, warnings: readonly Warning[]): readonly Warning[] {
  return warnings.map((warning) => ({ ...warning, path: `${path}.${warning.path}` }))
}
