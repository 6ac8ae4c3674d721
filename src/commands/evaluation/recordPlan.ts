/** Records plans in the log: expressions, and chunks of 32 rules, once under their digests. */

import { setImmediate as nextTurn } from 'node:timers/promises'
import { LRUCache } from 'lru-cache'
import { uuidV5 } from '../../domain/uuid.ts'
import type {
  EvaluationData,
  EvaluationEvent,
  PinnedRule,
} from '../../events/evaluation/evaluationEvents.ts'
import { expressionStream, planStream, rulesStream } from '../../events/evaluation/planStreams.ts'
import type { EventContext } from '../../events/recording/event.ts'
import type { PlanToRecord } from '../../state/evaluation/pinPlan.ts'
import type { EventStore, NewEvent } from '../../stores/eventStore.ts'

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
 * Records a plan and settles when it is durable. The content of a stream decides its name and the id of its one event,
 * so every instance writes the same. What is named is written before what names it: a plan that is there is complete,
 * and so is everything in it.
 */
export function openPlanRecorder({ store, encode, nowMs }: PlanRecording) {
  const remembered = new LRUCache<string, true>({ max: rememberedMax })

  const isThere = async (stream: string): Promise<boolean> => {
    if (remembered.get(stream)) return true
    const found = await store.readStream(stream, { from: 0, limit: 1 })
    if (found.length > 0) remembered.set(stream, true)
    return found.length > 0
  }

  const write = async (account: string, stream: string, event: EvaluationEvent): Promise<void> => {
    const command = uuidV5(planNamespace, stream)
    const context = { account, actor: 'service', request: '', command, time: nowMs() }
    const events = encode([event], context)
    const { ok } = await store.append({ stream, events, expected: 'no_stream' })
    if (!ok) throw new Error(`stream ${stream} holds something else than its digest says`)
    remembered.set(stream, true)
  }

  const writeExpressions = async (
    account: string,
    rules: readonly PinnedRule[],
    expressions: PlanToRecord['expressions'],
  ): Promise<void> => {
    const missing: EvaluationData<'ExpressionRecorded'>[] = []
    for (const [digest, type] of new Map(rules.map((rule) => [rule.expression ?? '', rule.type]))) {
      const expression = expressions.get(digest)
      if (expression && !(await isThere(expressionStream(digest))))
        missing.push({ digest, expression, ...(type === 'MANAGED' && { managed: true }) })
    }
    for (let first = 0; first < missing.length; first += atOnce) {
      const writes = missing
        .slice(first, first + atOnce)
        .map((data) =>
          write(account, expressionStream(data.digest), { type: 'ExpressionRecorded', data }),
        )
      await Promise.all(writes)
      // a batch of writes has a turn of the event loop, also where the store answers at once
      await nextTurn()
    }
  }

  return async (account: string, pinned: PlanToRecord): Promise<void> => {
    const { digest, plan, parts, expressions } = pinned
    const stream = planStream(digest)
    if (await isThere(stream)) return
    for (const [part, rules] of parts) {
      if (await isThere(rulesStream(part))) continue
      await writeExpressions(account, rules, expressions)
      const data = { digest: part, rules }
      await write(account, rulesStream(part), { type: 'PlanRulesRecorded', data })
    }
    await write(account, stream, { type: 'FlowPlanRecorded', data: { digest, plan } })
  }
}
