/** Recomputes a recorded evaluation under the configuration of another position or time. */

import type { Call } from '../../../domain/call.ts'
import { invalidRequest } from '../../../domain/failure.ts'
import { openObject, type TypeOf, text } from '../../../domain/jsonSchema.ts'
import { type ListAddress, phoneLists, subjectKindByListKind } from '../../../domain/lists/lists.ts'
import { longWork, pauseLongWork, runInSlices } from '../../../domain/load/scheduler.ts'
import { opensPersons } from '../../../domain/shownPersons.ts'
import type { Evidence } from '../../../engine/run/evidence.ts'
import type { Plan } from '../../../engine/run/plan.ts'
import { decodeResult } from '../../../engine/run/recordResult.ts'
import { type RecipeResult, verdictSchema } from '../../../engine/run/result.ts'
import { readClock } from '../../../events/evaluation/evaluationEvents.ts'
import { findListByName, type NamedList } from '../../../events/rulebook/namedListEvents.ts'
import { managedStream, rulebookStream } from '../../../events/rulebook/rulebook.ts'
import type { RunnablePlan } from '../../../state/evaluation/flowPlanCache.ts'
import { answerNewCalls, gatherUserAgent } from '../../../state/evaluation/gatherEvidence.ts'
import { pinPlan } from '../../../state/evaluation/pinPlan.ts'
import { findActiveEntry } from '../../../state/lists/findActiveEntry.ts'
import {
  deriveEntryStream,
  type ListLookupContext,
  toMatchingListValues,
} from '../../../state/lists/listLookups.ts'
import { outlineFlow, readOutline } from '../../../state/rulebook/outlineFlow.ts'
import {
  type PointInTimeContext,
  type PositionOrTime,
  resolvePoint,
} from '../../reading/pointInTime.ts'
import { decryptEvaluation } from '../decryptEvaluation.ts'
import { namedRecipesSchema } from '../evaluationView.ts'
import { addRecipeNames, listNamedVersions, loadNames } from '../resultNames.ts'
import {
  assertComparable,
  compareSides,
  type DifferenceContext,
  evaluationComparisonFields,
  toComparedEvaluation,
} from './evaluationDifference.ts'
import type { ComparedEvaluation } from './inputDifferences.ts'

/** What was answered, or would have been. */
const answeredSchema = openObject('ReplayAnswer', {
  verdict: verdictSchema,
  flow_version_id: text,
  recipes: namedRecipesSchema,
})

/** The differences are from what is on record (`a`) to what would have been (`b`). */
export const replayAsOfSchema = openObject('ReplayAsOf', {
  as_of: { type: 'string', description: 'Position in the log.' },
  recorded: answeredSchema,
  recomputed: answeredSchema,
  ...evaluationComparisonFields,
})
export type ReplayAsOfView = TypeOf<typeof replayAsOfSchema>

type ReplayContext = DifferenceContext &
  PointInTimeContext &
  Pick<ListLookupContext, 'listEntries' | 'keyring' | 'events' | 'clock'>

/**
 * The recorded evidence and clock, with rules, recipes, flow and lists as of then. Throws `not_found`,
 * `evidence_forgotten`, `unknown_semantics`, `invalid_request` for a point that is none or at which there was no such
 * flow, `unavailable`.
 */
export async function replayAsOf(
  context: ReplayContext,
  call: Call,
  asked: { readonly id: string; readonly asOf: PositionOrTime },
): Promise<ReplayAsOfView> {
  const account = call.principal.accountId
  const { position } = await resolvePoint(context, { account, path: 'as_of', point: asked.asOf })
  return longWork(context, account, async () => {
    const record = await decryptEvaluation(context, call, asked.id)
    const a = toComparedEvaluation(record)
    const point = { account, position, timeMs: readClock(record.decoded) }
    const { runnablePlan, lists } = await compilePlanAsOf(context, point, a.plan)
    assertComparable(runnablePlan)
    const { plan, reads, compiled } = runnablePlan
    const recorded = a.evidence
    const gathering = { recorded, asked: a.reads, runnablePlan, lists }
    const evidence = await gatherEvidenceAsOf(context, point, gathering)
    const run = await runInSlices(context, compiled.runSteps(evidence))
    const b = { plan, evidence, reads, compiled, verdict: run.verdict }
    const findName = await loadNames(context, account, [a.plan, plan].flatMap(listNamedVersions))
    const toAnswer = (of: ComparedEvaluation, recipes: readonly RecipeResult[]) => ({
      verdict: of.verdict,
      flow_version_id: of.plan.flow_version_id,
      recipes: addRecipeNames(recipes, of.plan, findName),
    })
    const opens = opensPersons(call.principal)
    return {
      as_of: String(position),
      recorded: toAnswer(a, decodeResult(a.plan, record.data).recipes),
      recomputed: toAnswer(b, run.recipes),
      ...(await runInSlices(context, compareSides(a, b, { findName, opens }))),
    }
  })
}

interface PointOfReplay {
  readonly account: string
  readonly position: number
  /** The clock of the evaluation, by which entries expire. */
  readonly timeMs: number
}

interface PlanAsOf {
  readonly runnablePlan: RunnablePlan
  readonly lists: ReadonlyMap<string, NamedList>
}

/** The flow as it ran then, with the meaning of rules that the record has. */
async function compilePlanAsOf(
  context: ReplayContext,
  { account, position }: PointOfReplay,
  { flow_id, semantics }: Plan,
): Promise<PlanAsOf> {
  const managed = await context.managed.stateAt(managedStream, position)
  const own = await context.rulebooks.stateAt(rulebookStream(account), position)
  const outline = outlineFlow({ own, managed }, flow_id, semantics)
  // the state may be folded on meanwhile
  const lists = new Map(own.lists)
  if (!outline) throw invalidRequest([{ path: 'as_of', message: 'There was no such flow then.' }])
  const plan = await runInSlices(context, readOutline(outline))
  const { digest } = await runInSlices(context, pinPlan(account, plan))
  const runnablePlan = await context.compiledPlans.getOrCompile({ account, digest, plan })
  return { runnablePlan, lists }
}

interface GatheringAsOf extends PlanAsOf {
  readonly recorded: Evidence
  /** The names that the plan on record reads. */
  readonly asked: ReadonlySet<string>
}

/** What arrived, with what the lists would have answered. */
async function gatherEvidenceAsOf(
  context: ReplayContext,
  point: PointOfReplay,
  { recorded, asked, runnablePlan, lists }: GatheringAsOf,
): Promise<Evidence> {
  const arrived = new Map([...recorded].filter(([, { source }]) => source !== 'list'))
  gatherUserAgent({ evidence: arrived }, runnablePlan.reads)
  const { evidence: answered, lookups } = answerNewCalls(arrived, asked, runnablePlan.compiled)
  const evidence = new Map(answered)
  const setAnswer = (name: string, value: boolean) =>
    evidence.set(name, { value, source: 'list', revision: point.position })
  const phone = evidence.get('target.phone_number')?.value
  for (const list of phoneLists) {
    const looking = { address: { list, kind: 'phone_number' }, value: String(phone) } as const
    setAnswer(
      `list.${list}`,
      phone !== undefined && (await wasListed(context, point, looking)) === true,
    )
  }
  for (const { name, list: listName, value } of lookups) {
    await pauseLongWork(context)
    const list = findListByName(lists, listName)
    const address = list && { list: list.id, kind: list.kind }
    const isListed = address && (await wasListed(context, point, { address, value }))
    if (isListed !== undefined) setAnswer(name, isListed)
  }
  return evidence
}

/** Undefined for a value that cannot be on the list. */
async function wasListed(
  context: ReplayContext,
  { account, position, timeMs }: PointOfReplay,
  { address, value }: { readonly address: ListAddress; readonly value: string },
): Promise<boolean | undefined> {
  // by now other sizes of networks may be on it
  const values = toMatchingListValues({ address, value }, undefined)
  if (!values) return undefined
  for (const one of values) {
    const subject = context.keyring.subject(account, subjectKindByListKind[address.kind], one)
    const stream = deriveEntryStream(context, { account, list: address.list, subject })
    const state = await context.listEntries.stateAt(stream, position)
    if (await findActiveEntry(context, { stream, state, timeMs })) return true
  }
  return false
}
