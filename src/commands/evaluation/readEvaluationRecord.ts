/** Reads an evaluation's record and its plan from the log, and rebuilds its answer from both. */

import { pauseLongWork } from '../../domain/load/longWork.ts'
import type { Expression } from '../../engine/language/expression.ts'
import type { Plan, PlannedRuleInfo } from '../../engine/run/plan.ts'
import { decodeResult } from '../../engine/run/recordResult.ts'
import { buildEvaluateResponse } from '../../engine/run/result.ts'
import {
  type EvaluationEvent,
  evaluationStream,
  type FlowEvaluated,
  type PinnedPlan,
  type PinnedRule,
  type PinnedRuleChunk,
} from '../../events/evaluation/evaluationEvents.ts'
import {
  expressionStream,
  mapRules,
  planStream,
  rulesStream,
} from '../../events/evaluation/planStreams.ts'
import type { DecodedEvent } from '../../events/recording/event.ts'
import type { EventStore, RecordedEvent } from '../../stores/eventStore.ts'

export interface EvaluationRecord {
  readonly account: string
  /** Personal fields still sealed. */
  readonly decoded: DecodedEvent<{ readonly type: 'FlowEvaluated'; readonly data: FlowEvaluated }>
}

/** The record of the evaluation; undefined when there is none. */
export async function findEvaluationRecord(
  reader: RecordReader,
  id: string,
): Promise<EvaluationRecord | undefined> {
  const [recorded] = await reader.store.readStream(evaluationStream(id), { from: 0, limit: 1 })
  if (!recorded) return undefined
  const decoded = reader.decode(recorded) as EvaluationRecord['decoded']
  return { account: decoded.metadata.account, decoded }
}

/** Streams that are read at a time. */
const atOnce = 8

export interface RecordReader {
  readonly store: Pick<EventStore, 'readStream'>
  readonly decode: (recorded: RecordedEvent) => DecodedEvent
}

export interface RecordedPlan {
  /** Without what its rules say. */
  readonly plan: Plan<PinnedRule>
  /** The plan with its expressions: long work. Throws when one is missing. */
  readonly readFullPlan: () => Promise<Plan>
}

/** The plan of this digest. Throws, by the name of the stream, when any of it is missing. */
export async function readRecordedPlan(
  reader: RecordReader,
  digest: string,
): Promise<RecordedPlan> {
  const head = await onlyEvent(reader, planStream(digest))
  if (head.type !== 'FlowPlanRecorded') {
    throw new Error(`stream ${planStream(digest)} does not begin with its plan`)
  }
  const plan = await readRules(reader, head.data.plan)
  return { plan, readFullPlan: () => readExpressions(reader, plan) }
}

async function readRules(
  reader: RecordReader,
  { recipes, ...flow }: PinnedPlan,
): Promise<Plan<PinnedRule>> {
  const digests = [...new Set(recipes.flatMap(({ parts }) => parts.map(([digest]) => digest)))]
  const parts = await readAll(digests, async (digest) => {
    const event = await onlyEvent(reader, rulesStream(digest))
    if (event.type === 'PlanRulesRecorded') return event.data.rules
    throw new Error(`stream ${rulesStream(digest)} holds no rules`)
  })
  const rulesOf = ([digest, count]: PinnedRuleChunk): readonly PinnedRule[] => {
    const rules = parts.get(digest) ?? []
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

async function readExpressions(reader: RecordReader, plan: Plan<PinnedRule>): Promise<Plan> {
  const digests = new Set<string>()
  mapRules(plan, ({ expression }) => expression !== undefined && digests.add(expression))
  const expressions = await readAll([...digests], async (digest): Promise<Expression> => {
    const event = await onlyEvent(reader, expressionStream(digest))
    if (event.type === 'ExpressionRecorded') return event.data.expression
    throw new Error(`stream ${expressionStream(digest)} holds no expression`)
  })
  return mapRules(plan, ({ expression: digest, ...place }) => {
    const expression = digest === undefined ? undefined : expressions.get(digest)
    return { ...place, ...(expression && { expression }) }
  })
}

/** What is read for each of the digests, a few at a time. */
async function readAll<Value>(
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

/** The event of a stream that has one. Throws when it is not there. */
async function onlyEvent(
  { store, decode }: RecordReader,
  stream: string,
): Promise<EvaluationEvent> {
  const [recorded] = await store.readStream(stream, { from: 0, limit: 1 })
  if (!recorded) throw new Error(`a plan is not complete: the log has no stream ${stream}`)
  const { event } = decode(recorded)
  await pauseLongWork()
  return event as EvaluationEvent
}

/** The bytes that were answered (spec 2.4). Throws when the record and its plan do not belong together, `unknown_semantics`. */
export function rebuildAnswer({ decoded }: EvaluationRecord, plan: Plan<PlannedRuleInfo>): string {
  const { evaluation_id: id, recipes } = decoded.event.data
  return JSON.stringify(buildEvaluateResponse(id, decodeResult(plan, recipes)))
}
