/** Records plans in the log, each expression and rule list once, under its digest. */

import { LRUCache } from 'lru-cache'
import { pauseLongWork } from '../../domain/load/longWork.ts'
import { uuidV5 } from '../../domain/uuid.ts'
import type { Expression } from '../../engine/language/expression.ts'
import type { Plan, PlannedRecipe, PlannedRule } from '../../engine/run/plan.ts'
import type {
  EvaluationEvent,
  PinnedPlan,
  PinnedRecipe,
  PinnedRule,
  PinnedRuleChunk,
} from '../../events/evaluation/evaluationEvents.ts'
import {
  expressionDigest,
  expressionStream,
  pinnedPlanDigest,
  planStream,
  rulesDigest,
  rulesPerChunk,
  rulesStream,
} from '../../events/evaluation/planStreams.ts'
import type { EventContext } from '../../events/recording/event.ts'
import type { Append, EventStore, NewEvent } from '../../stores/eventStore.ts'

export interface PlanToRecord {
  readonly digest: string
  readonly plan: PinnedPlan
  /** By their digests, each once. */
  readonly parts: ReadonlyMap<string, readonly PinnedRule[]>
  readonly expressions: ReadonlyMap<string, Expression>
}

/** Digests of expressions that are known from before. */
export interface ExpressionDigestCache {
  readonly get: (rule: PlannedRule) => string | undefined
  readonly set: (rule: PlannedRule, digest: string) => void
}

const noneKnown: ExpressionDigestCache = { get: () => undefined, set: () => undefined }

interface Pinning {
  readonly account: string
  readonly known: ExpressionDigestCache
  readonly parts: Map<string, readonly PinnedRule[]>
  readonly expressions: Map<string, Expression>
}

/** Divides the account's plan into what is recorded of it: long work. */
export async function pinPlan(
  account: string,
  { recipes, ...flow }: Plan,
  known: ExpressionDigestCache = noneKnown,
): Promise<PlanToRecord> {
  const parts = new Map<string, readonly PinnedRule[]>()
  const expressions = new Map<string, Expression>()
  const pinning = { account, known, parts, expressions }
  const pinned: PinnedRecipe[] = []
  for (const recipe of recipes) pinned.push(await pinRecipe(recipe, pinning))
  const plan = { ...flow, recipes: pinned }
  return { digest: pinnedPlanDigest(account, plan), plan, parts, expressions }
}

async function pinRecipe(
  { rules, ...recipe }: PlannedRecipe,
  pinning: Pinning,
): Promise<PinnedRecipe> {
  const parts: PinnedRuleChunk[] = []
  for (let first = 0; first < rules.length; first += rulesPerChunk) {
    const part: PinnedRule[] = []
    for (const rule of rules.slice(first, first + rulesPerChunk)) {
      part.push(pinRule(rule, pinning))
      await pauseLongWork()
    }
    const digest = rulesDigest(pinning.account, part)
    pinning.parts.set(digest, part)
    parts.push([digest, part.length])
  }
  return { ...recipe, parts }
}

function pinRule(rule: PlannedRule, { account, known, expressions }: Pinning): PinnedRule {
  const { expression, ...place } = rule
  if (!expression) return place
  const digest = known.get(rule) ?? expressionDigest(account, expression)
  known.set(rule, digest)
  expressions.set(digest, expression)
  return { ...place, expression: digest }
}

/** Namespace of the command ids under which plans are recorded. */
const planNamespace = '2f0f5a34-6f0b-5c62-8a3c-0d9a5c1e7b42'

/** Streams that are remembered to be there: some hundred bytes each. */
const rememberedMax = 20_000

/** Streams that are written at a time. */
const atOnce = 8

interface PlanRecording {
  readonly store: Pick<EventStore, 'append' | 'readStream'>
  readonly encode: (
    events: readonly EvaluationEvent[],
    context: EventContext,
  ) => readonly NewEvent[]
  readonly nowMs: () => number
}

/**
 * Records a plan and settles when it is durable. The content of a stream decides its name and the id of its one event, so every instance
 * writes the same. What is named is written before what names it: a plan that is there is complete, and so is everything in it.
 */
export function openPlanRecorder(recording: PlanRecording) {
  const remembered = new LRUCache<string, true>({ max: rememberedMax })

  const isThere = async (stream: string): Promise<boolean> => {
    if (remembered.get(stream)) return true
    const found = await recording.store.readStream(stream, { from: 0, limit: 1 })
    if (found.length > 0) remembered.set(stream, true)
    return found.length > 0
  }

  const write = async (appends: readonly Append[]): Promise<void> => {
    const answers = await Promise.all(appends.map((one) => recording.store.append(one)))
    for (const [index, { ok }] of answers.entries()) {
      const stream = appends[index]?.stream ?? ''
      if (!ok) throw new Error(`stream ${stream} holds something else than its digest says`)
      remembered.set(stream, true)
    }
  }

  return async (account: string, pinned: PlanToRecord): Promise<void> => {
    const { digest, plan } = pinned
    const stream = planStream(digest)
    if (await isThere(stream)) return
    const job = { recording, account }
    for (const [part, rules] of pinned.parts) {
      if (await isThere(rulesStream(part))) continue
      await writeExpressions(job, { pinned, rules, isThere, write })
      const data = { digest: part, rules }
      await write([appendOf(job, rulesStream(part), { type: 'PlanRulesRecorded', data })])
    }
    await write([appendOf(job, stream, { type: 'FlowPlanRecorded', data: { digest, plan } })])
  }
}

interface Job {
  readonly recording: PlanRecording
  readonly account: string
}

interface PlanWrite {
  readonly pinned: PlanToRecord
  readonly rules: readonly PinnedRule[]
  readonly isThere: (stream: string) => Promise<boolean>
  readonly write: (appends: readonly Append[]) => Promise<void>
}

/** Those of the rules' expressions that are not there yet, a few at a time. */
async function writeExpressions(
  job: Job,
  { pinned, rules, isThere, write }: PlanWrite,
): Promise<void> {
  let appends: Append[] = []
  for (const digest of new Set(rules.map(({ expression }) => expression))) {
    const expression = digest === undefined ? undefined : pinned.expressions.get(digest)
    if (digest === undefined || !expression) continue
    const stream = expressionStream(digest)
    if (await isThere(stream)) continue
    const event = { type: 'ExpressionRecorded', data: { digest, expression } } as const
    appends.push(appendOf(job, stream, event))
    await pauseLongWork()
    if (appends.length < atOnce) continue
    await write(appends)
    appends = []
  }
  await write(appends)
}

function appendOf({ recording, account }: Job, stream: string, event: EvaluationEvent): Append {
  const context: EventContext = {
    account,
    actor: 'service',
    request: '',
    command: uuidV5(planNamespace, stream),
    time: recording.nowMs(),
  }
  return { stream, events: recording.encode([event], context), expected: 'no_stream' }
}
