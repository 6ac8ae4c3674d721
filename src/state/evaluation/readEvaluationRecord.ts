/** Reads evaluations and their plans from the log, and rebuilds the answer of an evaluation. */

import { type LoadContext, pauseLongWork } from '../../domain/load/scheduler.ts'
import type { Plan, PlannedRuleInfo } from '../../engine/run/plan.ts'
import { decodeResult } from '../../engine/run/recordResult.ts'
import { buildEvaluateResponse } from '../../engine/run/result.ts'
import { decode } from '../../events/catalogue.ts'
import {
  type EvaluationData,
  type EvaluationEvent,
  evaluationStream,
  type FlowEvaluated,
  type PinnedRule,
  type PinnedRuleChunk,
} from '../../events/evaluation/evaluationEvents.ts'
import { expressionStream, planStream, rulesStream } from '../../events/evaluation/planStreams.ts'
import type { DecodedEvent } from '../../events/recording/event.ts'
import type { EventStore } from '../../stores/eventStore.ts'

type Log = Pick<EventStore, 'readStream'>

export interface PlanLog extends LoadContext {
  readonly events: Log
}

export interface EvaluationRecord {
  readonly account: string
  /** Personal fields still sealed. */
  readonly decoded: DecodedEvent<{ readonly type: 'FlowEvaluated'; readonly data: FlowEvaluated }>
}

/** The record of the evaluation; undefined when there is none. */
export async function findEvaluationRecord(
  log: Log,
  id: string,
): Promise<EvaluationRecord | undefined> {
  const [recorded] = await log.readStream(evaluationStream(id), { from: 0, limit: 1 })
  if (!recorded) return undefined
  const decoded = decode(recorded) as EvaluationRecord['decoded']
  return { account: decoded.metadata.account, decoded }
}

/** Streams that are read at a time. */
const atOnce = 8

/** The plan of this digest with those of its expressions. Throws, naming the stream, when any is missing. */
export async function readPinnedPlan(
  context: PlanLog,
  planDigest: string,
): Promise<Plan<PinnedRule>> {
  const head = await readOnlyEvent(context, planStream(planDigest), 'FlowPlanRecorded')
  const { recipes, ...flow } = head.plan
  const digests = new Set(recipes.flatMap(({ parts }) => parts.map(([digest]) => digest)))
  const parts = await readAll([...digests], (digest) =>
    readOnlyEvent(context, rulesStream(digest), 'PlanRulesRecorded'),
  )
  const rulesOf = ([digest, count]: PinnedRuleChunk): readonly PinnedRule[] => {
    const { rules = [] } = parts.get(digest) ?? {}
    if (rules.length === count) return rules
    throw new Error(`stream ${rulesStream(digest)} has not the ${count} rules of its plan`)
  }
  return {
    ...flow,
    recipes: recipes.map(({ parts: named, ...recipe }) => ({
      ...recipe,
      rules: named.flatMap(rulesOf),
    })),
  }
}

/** The same with its expressions: long work. */
export async function readRecordedPlan(context: PlanLog, planDigest: string): Promise<Plan> {
  const plan = await readPinnedPlan(context, planDigest)
  const digests = new Set<string>()
  mapRules(plan, ({ expression }) => expression !== undefined && digests.add(expression))
  const recorded = await readAll([...digests], (digest) =>
    readOnlyEvent(context, expressionStream(digest), 'ExpressionRecorded'),
  )
  return mapRules(plan, ({ expression: digest = '', ...place }) => {
    const { expression } = recorded.get(digest) ?? {}
    return { ...place, ...(expression && { expression }) }
  })
}

/** The plan with each rule changed, in the plan's order. */
export function mapRules<Rule, Changed>(
  plan: Plan<Rule>,
  change: (rule: Rule) => Changed,
): Plan<Changed> {
  const recipes = plan.recipes.map((recipe) => ({ ...recipe, rules: recipe.rules.map(change) }))
  return { ...plan, recipes }
}

/** What is read for each of the digests, a few at a time. */
export async function readAll<Value>(
  digests: readonly string[],
  read: (digest: string) => Promise<Value>,
): Promise<ReadonlyMap<string, Value>> {
  const found = new Map<string, Value>()
  for (let first = 0; first < digests.length; first += atOnce) {
    const some = digests.slice(first, first + atOnce)
    const values = await Promise.all(some.map(read))
    for (const [index, value] of values.entries()) found.set(some[index] ?? '', value)
  }
  return found
}

/** The data of the event of a stream that has one. Throws when it is not there, or of another type. */
async function readOnlyEvent<Type extends EvaluationEvent['type']>(
  context: PlanLog,
  stream: string,
  type: Type,
): Promise<EvaluationData<Type>> {
  const [recorded] = await context.events.readStream(stream, { from: 0, limit: 1 })
  if (!recorded) throw new Error(`a plan is not complete: the log has no stream ${stream}`)
  const { event } = decode(recorded)
  await pauseLongWork(context)
  if (event.type === type) return event.data as EvaluationData<Type>
  throw new Error(`stream ${stream} does not begin with ${type}`)
}

/** The bytes that were answered (spec 2.4). Throws when record and plan do not match, `unknown_semantics`. */
export function rebuildAnswer({ decoded }: EvaluationRecord, plan: Plan<PlannedRuleInfo>): string {
  const { data } = decoded.event
  return JSON.stringify(buildEvaluateResponse(data.evaluation_id, decodeResult(plan, data)))
}
