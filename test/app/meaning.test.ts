import { hash } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { openPlanRecorder } from '../../src/commands/evaluation/recordPlan.ts'
import { runAtOnce } from '../../src/domain/load/steps.ts'
import { compilePlan } from '../../src/engine/compile/compilePlan.ts'
import { semanticsVersion } from '../../src/engine/language/semantics.ts'
import type { Plan } from '../../src/engine/run/plan.ts'
import { decode } from '../../src/events/catalogue.ts'
import {
  evaluationStream,
  type FlowEvaluated,
} from '../../src/events/evaluation/evaluationEvents.ts'
import { encodeEvidence } from '../../src/events/evaluation/evidenceRecord.ts'
import type { EventContext } from '../../src/events/recording/event.ts'
import { openRecordReplayer } from '../../src/queries/audit/replays/replayRecords.ts'
import { openRecordedPlanCache } from '../../src/state/evaluation/flowPlanCache.ts'
import { pinPlan } from '../../src/state/evaluation/pinPlan.ts'
import { evidenceOf, planOf, recipeOf, ruleOf, type Values } from '../engine/support/evaluate.ts'
import { everyScope, ids, memoryService } from '../http/support/memoryService.ts'
import { load } from '../support/load.ts'
import { memoryEventStore } from '../support/memoryEventStore.ts'
import { openDoorOfFile } from '../support/openOfFile.ts'

const guarded = 'has(signal.ext.coupon) && signal.ext.coupon == "X"'
const phone = '+33612345678'
const timeMs = Date.parse('2026-03-04T05:06:07Z')

const events = memoryEventStore()
const service = memoryService({ events, expression: guarded })
const { encode } = service.context

const door = await openDoorOfFile(service)

const send = (method: string, path: string, body?: unknown) =>
  door.request(method, path, { token: everyScope, body })

interface Earlier {
  readonly semantics: number
  /** The version that the record says. */
  readonly said?: number
  readonly text?: string
  readonly signals?: Values
  /** Of one that was imported. */
  readonly occurredMs?: number
}

/** Records an evaluation as a release did that knew this version of the meaning of rules. */
async function record(id: string, earlier: Earlier): Promise<void> {
  const { semantics, said = semantics, text = guarded, signals, occurredMs } = earlier
  const plan: Plan = { ...planOf(recipeOf([ruleOf('rul_1', text)])), semantics }
  const pinned = runAtOnce(pinPlan(ids.account, plan))
  // what an unknown version makes of the plan does not matter: nobody may look at it
  const compiled = compilePlan({ ...plan, semantics: Math.min(semantics, semanticsVersion) })
  const fixed = {
    'target.phone_number': phone,
    'request.time': occurredMs ?? timeMs,
    'list.block': false,
  }
  const arrived = { ...fixed, ...signals }
  const evidence = evidenceOf(arrived)
  const run = compiled.run(evidence)
  const { arrived: names, ...values } = encodeEvidence(evidence, new Set())
  const evaluated: FlowEvaluated = {
    evaluation_id: id,
    flow_id: plan.flow_id,
    flow_version_id: plan.flow_version_id,
    plan: pinned.digest,
    semantics: said,
    dispatch: 'none',
    phone_number: phone,
    arrived: names,
    evidence: values,
    ...(occurredMs !== undefined && { occurred_at: occurredMs, imported: true }),
    as_of: 0,
    verdict: run.verdict,
    ...compiled.encodeRun(run),
    result_hash: hash('sha256', compiled.renderResponse(id, run), 'hex'),
  }
  await openPlanRecorder({ ...load, store: events, encode, nowMs: () => timeMs })(
    ids.account,
    pinned,
  )
  const context: EventContext = {
    account: ids.account,
    actor: 'a test',
    request: 'a request',
    command: `0b1f5c0e-8a52-4c0f-9d0a-6f3f0e6e9d${id.slice(-2)}`,
    time: timeMs,
  }
  const encoded = encode([{ type: 'FlowEvaluated', data: evaluated }], context)
  await events.append({ stream: evaluationStream(id), events: encoded, expected: 'no_stream' })
}

test('an evaluation of today is made, explained and replayed under the version of today', async () => {
  const evaluated = await send('POST', '/v2/watch/eval', {
    flow_id: ids.flow,
    target: { phone_number: phone },
  })
  const path = `/v2/watch/evaluations/${evaluated.body['id']}`

  const shown = await send('GET', `${path}?explain=expressions`)
  const replayed = await send('POST', `${path}/replay`)

  expect(evaluated.body).toMatchObject({
    recipes: [{ partial_evidence: false, rules: [{ outcome: 'NOT_TRIGGERED' }] }],
  })
  expect(shown.body).toMatchObject({
    semantics_version: semanticsVersion,
    explanation: [
      {
        rules: [
          {
            outcome: 'NOT_TRIGGERED',
            reads: [
              { use: 'has', arrived: false },
              { use: 'read', needed: false, arrived: false },
            ],
            parts: { state: 'value', value: false },
          },
        ],
      },
    ],
  })
  expect(replayed.body).toEqual({ result: 'MATCH', differences: [] })
})

test('a flow is tried under the version of today', async () => {
  const { body } = await send('POST', `/v2/watch/management/flows/${ids.flow}/test`, {
    target: { phone_number: phone },
  })

  expect(body).toMatchObject({
    semantics_version: semanticsVersion,
    recipes: [{ rules: [{ outcome: 'NOT_TRIGGERED' }] }],
  })
})

describe('an evaluation of a version that this release does not know', () => {
  const id = 'evl_01h455vb4pex5vsknk084sn022'
  beforeAll(() => record(id, { semantics: 2 }))

  test.each([
    ['GET', ''],
    ['GET', '?explain=expressions'],
    ['POST', '/replay'],
  ])('is refused by name: %s %s', async (method, rest) => {
    const { status, body } = await send(method, `/v2/watch/evaluations/${id}${rest}`)

    expect(status).toBe(501)
    expect(body).toMatchObject({
      code: 'unknown_semantics',
      type: 'not_implemented',
      message: 'This is of version 2 of the meaning of rules; this release of Vigil knows 1.',
    })
  })
})

test('a record that says another version than its plan does not match', async () => {
  const id = 'evl_01h455vb4pex5vsknk084sn023'
  await record(id, { semantics: 1, said: 2 })

  const { body } = await send('POST', `/v2/watch/evaluations/${id}/replay`)

  expect(body).toEqual({
    result: 'MISMATCH',
    differences: [{ path: 'semantics_version', recorded: 2, recomputed: 1 }],
  })
})

test('an evaluation whose user agent was read otherwise at its time replays from its record', async () => {
  const id = 'evl_01h455vb4pex5vsknk084sn024'
  const signals = {
    'signal.user_agent': 'Mozilla/5.0 (Windows NT 10.0; Win64; x64) Gecko/20100101 Firefox/127.0',
    'signal.os_version': 'NT 10.0',
  }
  await record(id, { semantics: 1, text: 'signal.os_version == "NT 10.0"', signals })

  const { body: shown } = await send('GET', `/v2/watch/evaluations/${id}`)
  const { body: replayed } = await send('POST', `/v2/watch/evaluations/${id}/replay`)

  expect(shown).toMatchObject({ explanation: [{ rules: [{ outcome: 'TRIGGERED' }] }] })
  expect(replayed).toEqual({ result: 'MATCH', differences: [] })
})

describe('an evaluation that occurred long before it was recorded', () => {
  const id = 'evl_01h455vb4pex5vsknk084sn029'
  const occurredMs = Date.parse('2019-03-04T05:06:07Z')
  const text = 'request.time < timestamp("2020-01-01T00:00:00Z")'
  beforeAll(() => record(id, { semantics: 1, text, occurredMs }))

  test('has its own clock, and is replayed by it', async () => {
    const path = `/v2/watch/evaluations/${id}`

    const shown = await send('GET', path)
    const replayed = await send('POST', `${path}/replay`)

    expect(shown.body).toMatchObject({
      imported: true,
      evaluated_at: '2019-03-04T05:06:07.000Z',
      recipes: [{ rules: [{ outcome: 'TRIGGERED' }] }],
    })
    expect(replayed.body).toEqual({ result: 'MATCH', differences: [] })
  })

  test('is found by a replay of all at the time at which it was written', async () => {
    const recorded = events.log.filter(({ stream }) => stream === evaluationStream(id))
    const replay = openRecordReplayer({
      ...load,
      events,
      keys: service.context.keyring.keys,
      compiledPlans: openRecordedPlanCache(load),
    })
    const between = (from: string, to: string) =>
      replay(recorded, { from_ms: Date.parse(from), to_ms: Date.parse(to) })

    expect(await between('2020-01-01', '2030-01-01')).toMatchObject({ match: 1, mismatch: 0 })
    expect(await between('2019-01-01', '2020-01-01')).toMatchObject({ match: 0, mismatch: 0 })
    expect(recorded.map((event) => decode(event).metadata.time)).toEqual([timeMs])
  })
})
