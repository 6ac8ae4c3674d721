/** Recomputes a recorded evaluation under the configuration of another position or time. */

import type { RunnablePlan } from '../../../commands/evaluation/flowPlanCache.ts'
import { gatherUserAgent } from '../../../commands/evaluation/gatherEvidence.ts'
import { pinPlan } from '../../../commands/evaluation/recordPlan.ts'
import { findActiveEntry } from '../../../commands/lists/findActiveEntry.ts'
import {
  deriveEntryStream,
  type ListLookupContext,
  toMatchingListValues,
} from '../../../commands/lists/listLookups.ts'
import { outlineFlow, readOutline } from '../../../commands/rulebook/outlineFlow.ts'
import type { Call } from '../../../domain/call.ts'
import { invalidRequest } from '../../../domain/failure.ts'
import { openObject, type TypeOf, text } from '../../../domain/jsonSchema.ts'
import { type ListAddress, phoneLists, subjectKindByListKind } from '../../../domain/lists/lists.ts'
import { pauseLongWork, runLongWork } from '../../../domain/load/longWork.ts'
import type { Evidence, EvidenceItem } from '../../../engine/run/evidence.ts'
import { decodeResult } from '../../../engine/run/recordResult.ts'
import { verdictSchema } from '../../../engine/run/result.ts'
import { findListByName, type NamedList } from '../../../events/rulebook/namedListEvents.ts'
import { managedStream, rulebookStream } from '../../../events/rulebook/rulebook.ts'
import {
  type PointInTimeContext,
  type PositionOrTime,
  resolvePoint,
} from '../../reading/pointInTime.ts'
import { decryptEvaluation } from '../decryptEvaluation.ts'
import { namedRecipesSchema } from '../evaluationView.ts'
import { addRecipeNames, findNames, listNamedVersions } from '../resultNames.ts'
import {
  compareSides,
  type DifferenceContext,
  evaluationComparisonFields,
  toComparedEvaluation,
} from './evaluationDifference.ts'

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
 * The recorded evidence and clock, with rules, recipes, flow and lists as of then. Throws `not_found`, `evidence_forgotten`,
 * `unknown_semantics`, `invalid_request` for a point that is none or at which there was no such flow, `unavailable`.
 */
export async function replayAsOf(
  context: ReplayContext,
  call: Call,
  asked: { readonly id: string; readonly asOf: PositionOrTime },
): Promise<ReplayAsOfView> {
  const account = call.principal.accountId
  const { position } = await resolvePoint(context, { account, path: 'as_of', point: asked.asOf })
  return runLongWork(account, async () => {
    const record = await decryptEvaluation(context, call, asked.id)
    const a = toComparedEvaluation(record)
    const { data, plan } = record
    const of = { account, position, timeMs: data.time }
    const { ready, lists } = await compilePlanAsOf(context, of, plan)
    const evidence = await gatherEvidenceAsOf(context, of, { recorded: a.evidence, ready, lists })
    const run = await ready.compiled.runInSlices(evidence)
    const names = await findNames(context, account, [plan, ready.plan].flatMap(listNamedVersions))
    const opens = call.principal.scopes.includes('analyse')
    const b = { plan: ready.plan, evidence, reads: ready.reads, verdict: run.verdict }
    const { recipes } = decodeResult(plan, data.recipes)
    return {
      as_of: String(position),
      recorded: {
        verdict: data.verdict,
        flow_version_id: plan.flow_version_id,
        recipes: addRecipeNames(recipes, plan, names),
      },
      recomputed: {
        verdict: run.verdict,
        flow_version_id: ready.plan.flow_version_id,
        recipes: addRecipeNames(run.recipes, ready.plan, names),
      },
      ...(await compareSides(a, b, { names, opens })),
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
  readonly ready: RunnablePlan
  readonly lists: ReadonlyMap<string, NamedList>
}

/** The flow as it ran then, with the meaning of rules that the record has. */
async function compilePlanAsOf(
  context: ReplayContext,
  { account, position }: PointOfReplay,
  { flow_id, semantics }: Pick<RunnablePlan['plan'], 'flow_id' | 'semantics'>,
): Promise<PlanAsOf> {
  const managed = await context.managed.stateAt(managedStream, position)
  const own = await context.rulebooks.stateAt(rulebookStream(account), position)
  const outline = outlineFlow({ own, managed }, flow_id, semantics)
  // as it is held it may go on
  const lists = new Map(own.lists)
  if (!outline) throw invalidRequest([{ path: 'as_of', message: 'There was no such flow then.' }])
  const plan = await readOutline(outline)
  const { digest } = await pinPlan(account, plan)
  return { ready: await context.compiledPlans.getOrCompile({ account, digest, plan }), lists }
}

/** What arrived, with what the lists would have answered. */
async function gatherEvidenceAsOf(
  context: ReplayContext,
  of: PointOfReplay,
  { recorded, ready, lists }: PlanAsOf & { readonly recorded: Evidence },
): Promise<Evidence> {
  const evidence = new Map([...recorded].filter(([, { source }]) => source !== 'list'))
  gatherUserAgent({ evidence, notCounted: [] }, ready.reads)
  const phone = evidence.get('target.phone_number')?.value
  for (const list of phoneLists) {
    const address = { list, kind: 'phone_number' } as const
    const value =
      typeof phone === 'string' && (await wasListed(context, of, { address, value: phone }))
    evidence.set(`list.${list}`, buildListAnswer(value === true, of))
  }
  for (const { name, list: called, value } of ready.compiled.computeLookups(evidence)) {
    await pauseLongWork()
    const list = findListByName(lists, called)
    const address = list && { list: list.id, kind: list.kind }
    const found = address && (await wasListed(context, of, { address, value }))
    if (found !== undefined) evidence.set(name, buildListAnswer(found, of))
  }
  return evidence
}

function buildListAnswer(value: boolean, { position: revision }: PointOfReplay): EvidenceItem {
  return { value, source: 'list', revision }
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
