/** Compiles what a backtest tries, with the flow of today beside it, and plans the scan. */

import type { Call } from '../../../domain/call.ts'
import { type FailureDetail, invalidRequest, requireExisting } from '../../../domain/failure.ts'
import {
  closedObject,
  inputLimits,
  optionalFields,
  type TypeOf,
} from '../../../domain/jsonSchema.ts'
import { type LoadContext, longWork, runInSlices } from '../../../domain/load/scheduler.ts'
import {
  type CounterCall,
  counterWindowsMs,
  countsEvaluations,
  listCounters,
} from '../../../engine/language/counters.ts'
import { semanticsVersion } from '../../../engine/language/semantics.ts'
import type { Plan } from '../../../engine/run/plan.ts'
import { pickRecipeContent } from '../../../events/rulebook/authoredContent.ts'
import {
  managedStream,
  type RulebookState,
  rulebookStream,
} from '../../../events/rulebook/rulebook.ts'
import { findWindowStart } from '../../../projections/evaluation/counterGrains.ts'
import { requireAuthoring } from '../../../state/accounts/requireAccess.ts'
import type { RetentionStreams } from '../../../state/audit/retentionStreamType.ts'
import { pinPlan } from '../../../state/evaluation/pinPlan.ts'
import { mapRules } from '../../../state/evaluation/readEvaluationRecord.ts'
import { compileRule } from '../../../state/rulebook/compileRule.ts'
import { findPinnedVersions } from '../../../state/rulebook/earlierVersions.ts'
import { indexListKinds } from '../../../state/rulebook/namedListDecisions.ts'
import { outlineFlow, readOutline } from '../../../state/rulebook/outlineFlow.ts'
import { membershipFields, recipeFields } from '../../../state/rulebook/recipes.ts'
import type { Rulebooks } from '../../../state/rulebook/rulebookStreams.ts'
import { ruleFields } from '../../../state/rulebook/rules.ts'
import { buildDraftRulebooks, draftRecipeId, draftSchema } from '../../evaluation/draftFlow.ts'
import { addDraft, buildPlanOfRule, type FlowTestContext } from '../../evaluation/dryRun.ts'
import type { BacktestOrder, BacktestPlan } from '../scan/foldBacktest.ts'
import { prepareScan, type ScanContext, type ScanPlan, type ScanRange } from '../scan/scan.ts'
import { aheadMs, type TallyScan } from './countingScan.ts'

const id = { type: 'string', minLength: 1, maxLength: inputLimits.id } as const

/** What is tried: a rule, the draft of a flow, or other weights of a recipe. */
export const backtestSchema = closedObject(
  'BacktestRequest',
  optionalFields({
    expression: ruleFields.expression,
    flow_id: { ...id, description: 'The flow of the draft, or of the recipe.' },
    draft: draftSchema,
    recipe_id: {
      ...id,
      description: 'A recipe of the flow that is to have another threshold or other weights.',
    },
    threshold: recipeFields.threshold,
    weights: {
      type: 'array',
      minItems: 1,
      maxItems: recipeFields.rules.maxItems,
      items: closedObject('ChangedWeight', { rule_id: id, weight: membershipFields.weight }),
    },
  }),
  { description: 'One of expression, draft with flow_id, and recipe_id with flow_id.' },
)
export type BacktestInput = TypeOf<typeof backtestSchema>

export interface BacktestQuery extends Pick<ScanRange, 'where' | 'fromMs' | 'toMs'> {
  /** `then`: what lists and calls answered is taken from the records. `now`: they are asked anew. */
  readonly lists: 'then' | 'now'
}

/** A backtest that can be run. */
export interface PreparedBacktest {
  readonly scan: ScanPlan
  readonly order: BacktestOrder
  readonly flowId: string | undefined
  /** In which lists have their names. */
  readonly rulebook: RulebookState
  /** The scan of what counters count; absent where no rule has any. */
  readonly tallies?: TallyScan
}

export type BacktestContext = FlowTestContext & ScanContext & RetentionStreams

/**
 * Throws `access_not_enabled`, `not_found` for an unknown flow, `invalid_rule`, `invalid_request` with the path of
 * everything that cannot be used.
 */
export async function prepareBacktest(
  context: BacktestContext,
  call: Call,
  { input, lists, ...range }: BacktestQuery & { readonly input: BacktestInput },
): Promise<PreparedBacktest> {
  const account = call.principal.accountId
  await requireAuthoring(context, call)
  checkForm(input, lists)
  const plans = await longWork(context, account, async () => {
    const { state: own } = await context.rulebooks.catchUp(rulebookStream(account))
    const { state: managed } = await context.managed.catchUp(managedStream)
    const tried = await planTried(context, { account, input, current: { own, managed } })
    return { ...tried, rulebook: own }
  })
  const isReweighed = input.recipe_id !== undefined
  return preparePlans(context, call, { ...plans, flowId: input.flow_id, isReweighed, lists, range })
}

interface TriedPlans
  extends Pick<BacktestOrder, 'draft' | 'unchanged'>,
    Pick<PreparedBacktest, 'flowId' | 'rulebook'>,
    Pick<BacktestQuery, 'lists'> {
  readonly isReweighed: boolean
  readonly range: Pick<ScanRange, 'where' | 'fromMs' | 'toMs'>
}

/** Plans the scans of what is tried, over the evaluations of its flow, or of all. Throws as `prepareScan`. */
export async function preparePlans(
  context: BacktestContext,
  call: Call,
  { flowId, rulebook, isReweighed, lists, range, ...plans }: TriedPlans,
): Promise<PreparedBacktest> {
  const account = call.principal.accountId
  const counters = isReweighed
    ? []
    : await longWork(context, account, async () => listAskedCounters(plans))
  const run = counters.length > 0 ? 'count' : 'run'
  const method = isReweighed ? 'record' : lists === 'now' ? 'ask' : run
  const order = { account, ...plans, method } as const
  const counted = counters.filter(({ series }) => countsEvaluations(series))
  // counters are counted in the order of time
  const ordered = counted.length > 0 ? { ...range, order: 'oldest' as const } : range
  const fold = { kind: 'backtest', ...order } as const
  const scan = await prepareScan(context, call, { range: ordered, fold })
  const ofFlow = { name: 'flow', operator: '=', value: flowId ?? '' } as const
  const where = flowId === undefined ? scan.request.where : [...scan.request.where, ofFlow]
  const tallies = await prepareTallies(context, call, { counted, scan })
  const limited = { ...scan, request: { ...scan.request, where } }
  return { scan: limited, order, flowId, rulebook, ...(tallies && { tallies }) }
}

/** The counters of the plans. */
function listAskedCounters({
  draft,
  unchanged,
}: Pick<BacktestOrder, 'draft' | 'unchanged'>): readonly CounterCall[] {
  const counters = new Map<string, CounterCall>()
  for (const { plan } of [draft, ...(unchanged ? [unchanged] : [])]) {
    mapRules(plan, ({ expression }) => {
      for (const counter of expression ? listCounters(expression) : []) {
        counters.set(counter.name, counter)
      }
    })
  }
  return [...counters.values()]
}

/** The scan of all that counts in them: of every flow, from the longest window before the first evaluation on. */
async function prepareTallies(
  context: BacktestContext,
  call: Call,
  { counted, scan }: { readonly counted: readonly CounterCall[]; readonly scan: ScanPlan },
): Promise<TallyScan | undefined> {
  const lengthOf = ({ window }: CounterCall) => counterWindowsMs[window]
  const [longest] = counted.toSorted((one, other) => lengthOf(other) - lengthOf(one))
  if (!longest) return undefined
  const { window } = longest
  const fromMs = Math.max(0, findWindowStart(window, scan.fromMs))
  const range = { fromMs, toMs: scan.toMs + aheadMs, order: 'oldest' as const }
  const series = [...new Map(counted.map((one) => [one.series.id, one.series])).values()]
  const plan = await prepareScan(context, call, { range, fold: { kind: 'tallies', series } })
  return { ...plan, window }
}

/** Throws `invalid_request` unless the fields are those of one thing that can be tried. */
function checkForm(input: BacktestInput, lists: BacktestQuery['lists']): void {
  const { expression, draft, recipe_id, flow_id, threshold, weights } = input
  const tried = [expression, draft, recipe_id].filter((one) => one !== undefined)
  const isReweighed = recipe_id !== undefined
  const problems: FailureDetail[] = []
  const refuse = (path: string, message: string) => problems.push({ path, message })
  if (tried.length !== 1) refuse('expression', 'Give one of expression, draft and recipe_id.')
  if ((expression === undefined) !== (flow_id !== undefined)) {
    refuse('flow_id', 'Must be given with draft or recipe_id, and not with expression.')
  }
  if (isReweighed !== (threshold !== undefined || weights !== undefined)) {
    refuse('threshold', 'Must stand with recipe_id: threshold, weights, or both.')
  }
  if (isReweighed && lists === 'now') {
    refuse('lists', 'Must be then: other weights are tried on recorded outcomes.')
  }
  if (problems.length > 0) throw invalidRequest(problems)
}

interface Tried {
  readonly account: string
  readonly input: BacktestInput
  readonly current: Rulebooks
}

async function planTried(
  context: BacktestContext,
  { account, input, current }: Tried,
): Promise<Pick<BacktestOrder, 'draft' | 'unchanged'>> {
  const { expression, flow_id: flowId = '', draft, recipe_id: recipeId } = input
  const pin = (plan: Plan) => pinForBacktest(context, account, plan)
  if (expression !== undefined) {
    const rule = compileRule(expression, { lists: indexListKinds(current.own) })
    return { draft: { ...(await pin(buildPlanOfRule(rule))), isRule: true } }
  }
  const planOf = async (rulebooks: Rulebooks) =>
    requireExisting(await planFlow(context, rulebooks, flowId))
  const unchanged = await pin(await planOf(current))
  if (draft) {
    const drafted = await addDraft(context, current, { account, flowId, draft })
    return { draft: await pin(await planOf(drafted)), unchanged }
  }
  const { rulebooks, index } = await reweigh(context, { account, input, current })
  const { recipes, ...flow } = await planOf(rulebooks)
  // under its own id it is found in the records
  const renamed = recipes.map((recipe) =>
    recipe.recipe_id === draftRecipeId(index) ? { ...recipe, recipe_id: recipeId ?? '' } : recipe,
  )
  return { draft: await pin({ ...flow, recipes: renamed }), unchanged }
}

/** The plan of the flow in these rulebooks; undefined where it is in none. */
export async function planFlow(
  context: LoadContext,
  rulebooks: Rulebooks,
  flowId: string,
): Promise<Plan | undefined> {
  const outline = outlineFlow(rulebooks, flowId, semanticsVersion)
  return outline && runInSlices(context, readOutline(outline))
}

export async function pinForBacktest(
  context: LoadContext,
  account: string,
  plan: Plan,
): Promise<BacktestPlan> {
  const { digest } = await runInSlices(context, pinPlan(account, plan))
  return { plan, digest }
}

/** The rulebooks with a draft of the recipe, live, at this place of the flow. */
async function reweigh(
  context: BacktestContext,
  { account, input, current }: Tried,
): Promise<{ readonly rulebooks: Rulebooks; readonly index: number }> {
  const { flow_id: flowId = '', recipe_id: recipeId = '', threshold, weights = [] } = input
  const { recipes } = requireExisting(current.own.flows.get(flowId)?.current)
  const index = recipes.indexOf(recipeId)
  const version = current.own.recipes.get(recipeId)?.current
  if (index < 0 || !version) {
    throw invalidRequest([{ path: 'recipe_id', message: 'Must be a recipe of the flow.' }])
  }
  const members = new Set(version.rules.map(({ rule_id }) => rule_id))
  const message = 'Must be a rule that the recipe names.'
  const unknown = weights.flatMap(({ rule_id }, at) =>
    members.has(rule_id) ? [] : [{ path: `weights.${at}.rule_id`, message }],
  )
  if (unknown.length > 0) throw invalidRequest(unknown)
  const changed = new Map(weights.map(({ rule_id, weight }) => [rule_id, weight]))
  const rules = version.rules.map((member) => ({
    ...member,
    weight: changed.get(member.rule_id) ?? member.weight,
  }))
  const content = { ...pickRecipeContent(version), rules, status: 'LIVE' } as const
  const recipe = { ...content, threshold: threshold ?? version.threshold }
  const known = await findPinnedVersions(context, { account, state: current.own }, rules)
  const draft = { recipes: recipes.map((one) => (one === recipeId ? recipe : one)), known }
  return { rulebooks: buildDraftRulebooks(current, flowId, draft), index }
}
