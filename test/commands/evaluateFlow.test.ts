import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import {
  type EvaluationContext,
  evaluateAndRecord as evaluateIn,
} from '../../src/commands/evaluation/evaluateFlow.ts'
import { openPlanRecorder } from '../../src/commands/evaluation/recordPlan.ts'
import { Failure } from '../../src/domain/failure.ts'
import { deriveId } from '../../src/domain/ids.ts'
import type { Signals } from '../../src/domain/signals/signals.ts'
import { compilePlan } from '../../src/engine/compile/compilePlan.ts'
import type { EvidenceItem, ListAnswers } from '../../src/engine/run/evidence.ts'
import { decodeResult } from '../../src/engine/run/recordResult.ts'
import { buildEvaluateResponse } from '../../src/engine/run/result.ts'
import { noAccount } from '../../src/events/accounts/account.ts'
import { encode, openEvent } from '../../src/events/catalogue.ts'
import type { FlowEvaluated } from '../../src/events/evaluation/evaluationEvents.ts'
import {
  decodeEvidence,
  type RecordedEvidence,
} from '../../src/events/evaluation/evidenceRecord.ts'
import type { EventContext } from '../../src/events/recording/event.ts'
import { computeLookupDigest, type LookupValue } from '../../src/events/recording/lookupDigest.ts'
import { createManagedRulebook } from '../../src/events/rulebook/managedRulebook.ts'
import {
  createRulebook,
  evolveRulebook,
  type RulebookEvent,
  type RulebookState,
} from '../../src/events/rulebook/rulebook.ts'
import {
  type FlowPlans,
  openCompiledPlanCache,
  openFlowPlans,
} from '../../src/state/evaluation/flowPlanCache.ts'
import type { EvaluationRequest } from '../../src/state/evaluation/gatherEvidence.ts'
import {
  findEvaluationRecord,
  readRecordedPlan,
} from '../../src/state/evaluation/readEvaluationRecord.ts'
import { openStreamQueue } from '../../src/state/folding/streamQueue.ts'
import { flowDefinition } from '../../src/state/rulebook/flows.ts'
import { decideRecipePublication } from '../../src/state/rulebook/recipes.ts'
import { decidePublication } from '../../src/state/rulebook/resourceDecisions.ts'
import { ruleDefinition } from '../../src/state/rulebook/rules.ts'
import type { FoundDispatch } from '../../src/state/signals/findDispatch.ts'
import type { EventStore } from '../../src/stores/eventStore.ts'
import type { PooledKeyring } from '../../src/stores/keys/keyring.ts'
import { expressionOf } from '../engine/support/evaluate.ts'
import { sampleKeyring } from '../events/samples.ts'
import { draws } from '../support/draws.ts'
import { load } from '../support/load.ts'
import { type MemoryEventStore, memoryEventStore } from '../support/memoryEventStore.ts'

const phone = '+33612345678'
const email = 'ann@example.com'
const dispatchId = 'a3bb189e-8bf9-4888-9912-ace4e6543002'
const account = 'acc_01h455vb4pex5vsknk084sn02q'
const time = Date.UTC(2026, 10, 21, 9, 30)

// a rulebook whose rules read a little of everything

const texts = [
  'signal.ip.startsWith("203.")',
  'signal.device_platform == "ios"',
  'signal.is_trusted_user',
  'int(signal.ext.total) > 100',
  'target.email_address.endsWith("example.com")',
  'request.time > timestamp("2026-01-01T00:00:00Z") && list.block',
]

function rulebookOf(rules: readonly string[]) {
  const own = createRulebook()
  const managed = createManagedRulebook()
  const ids = rules.map((_, at) => `rul_${at}`)
  const mode = 'create'
  const decisions: readonly ((state: RulebookState) => readonly RulebookEvent[])[] = [
    ...rules.map(
      (text, at) => (state: RulebookState) =>
        decidePublication(ruleDefinition, state, {
          id: `rul_${at}`,
          versionId: `ver_${at}`,
          mode,
          name: `rule ${at}`,
          text,
          expression: expressionOf(text),
        }),
    ),
    (state) =>
      decideRecipePublication(
        { own: state, managed },
        {
          id: 'rcp_1',
          versionId: 'ver_r',
          mode,
          status: 'LIVE',
          name: 'a recipe',
          threshold: 40,
          rules: ids.map((rule_id) => ({ rule_id, weight: 20 })),
        },
      ),
    (state) =>
      decidePublication(flowDefinition, state, {
        id: 'flo_1',
        versionId: 'ver_f',
        mode,
        name: 'a flow',
        recipes: ['rcp_1'],
      }),
  ]
  for (const decide of decisions) decide(own).reduce(evolveRulebook, own)
  return { own, managed }
}

const rulebooks = rulebookOf(texts)

let keyring: PooledKeyring
let store: MemoryEventStore
let recorded: FlowEvaluated[]
let commands = 0

beforeAll(async () => {
  keyring = await sampleKeyring('evaluations')
})
afterAll(() => keyring.close())
beforeEach(() => {
  store = memoryEventStore()
  recorded = []
})

const encodeAll = (
  events: readonly Parameters<typeof encode>[0]['event'][],
  context: EventContext,
) => events.map((event, index) => encode({ event, context, index }, keyring))

function contextOf(change: Partial<EventContext> = {}): EventContext {
  commands += 1
  const command = `01890a5d-ac96-774b-bcce-${String(commands).padStart(12, '0')}`
  return { account, actor: 'tok_1', request: 'req_1', time, command, ...change }
}

const plansOf = () =>
  openFlowPlans(
    { ...load, compiledPlans: openCompiledPlanCache(load, 1e9) },
    openPlanRecorder({ store, encode: encodeAll, nowMs: () => time }),
  )

const digestOf = (of: string, looked: LookupValue) => computeLookupDigest(keyring, of, looked)

/** What other areas answer, in the place of their functions. */
interface Sources {
  readonly store: Pick<EventStore, 'append'>
  readonly plans: FlowPlans
  readonly dispatched: (asked: object) => Promise<FoundDispatch>
  readonly listed: () => ListAnswers | Promise<ListAnswers>
  readonly onRecorded: (data: FlowEvaluated) => void
}

const stubs = vi.hoisted(() => ({
  dispatched: undefined as unknown,
  listed: undefined as unknown,
}))
vi.mock('../../src/state/signals/findDispatch.ts', () => ({
  findDispatch: (_: unknown, asked: object) => (stubs.dispatched as Sources['dispatched'])(asked),
}))
vi.mock('../../src/state/lists/listLookups.ts', () => ({
  lookUpTarget: () => (stubs.listed as Sources['listed'])(),
  lookUpLists: async () => new Map(),
}))

/** A context in which everything that is configured is in memory. */
function contextWith(change: Partial<Sources>, trustedUser: boolean): EvaluationContext {
  const sources: Sources = {
    store,
    plans: plansOf(),
    dispatched: async () => ({ state: 'unknown', subject: 'of a dispatch', signals: {} }),
    listed: async () => ({ allow: { listed: false }, block: { listed: true } }),
    onRecorded: (data) => recorded.push(data),
    ...change,
  }
  Object.assign(stubs, sources)
  const folded = (state: object) => ({
    getFolded: () => ({ state }),
    catchUp: async () => ({ state }),
  })
  return {
    ...load,
    events: { ...store, append: sources.store.append },
    encode: encodeAll,
    keyring,
    streamQueue: openStreamQueue(),
    followed: { position: 170, asOfMs: undefined, heads: [] },
    pendingTallies: { keys: new Map(), countOf: new Map() },
    accounts: folded({ ...noAccount, trusted_user: trustedUser }),
    rulebooks: folded(rulebooks.own),
    managed: folded(rulebooks.managed),
    plans: sources.plans,
    compiledPlans: { cached: () => undefined },
    metrics: { evaluated: sources.onRecorded },
  } as unknown as EvaluationContext
}

interface Asked {
  readonly request?: Partial<EvaluationRequest>
  readonly sources?: Partial<Sources>
  readonly context?: EventContext
  readonly trusted?: boolean
}

function evaluate({ request, sources = {}, context = contextOf(), trusted = false }: Asked = {}) {
  const asked = { flow_id: 'flo_1', target: { phone_number: phone }, ...request }
  return evaluateIn(contextWith(sources, trusted), context, () => asked)
}

/** The record of an answer, read back from the log and opened. */
async function recordOf(body: string) {
  const { id } = JSON.parse(body) as { id: string }
  const record = await findEvaluationRecord(store, id)
  if (!record) throw new Error(`${id} is not on record`)
  const { event } = await openEvent(record.decoded, keyring)
  const data = event.data
  const plan = await readRecordedPlan({ ...load, events: store }, data.plan)
  const evidence = data.evidence as RecordedEvidence
  const items = [...decodeEvidence(data.arrived, evidence)]
  const arrived = items.map(([name, { value, source }]) => [name, value, source] as const)
  return { ...record, plan, data, evidence, arrived }
}

const dispatching = (signals: Signals | undefined): Partial<Sources> => ({
  dispatched: async () => ({
    subject: 'of a dispatch',
    state: signals ? 'found' : 'unknown',
    signals: signals ?? {},
  }),
})

describe('the answer of an evaluation', () => {
  test('waits for nothing but its record once all that it needs is in memory', async () => {
    const plans = plansOf()
    await evaluate({ sources: { plans } })
    const listed = { allow: { listed: false }, block: { listed: false } }
    const append = vi.fn(store.append)
    await new Promise(setImmediate)
    // however busy the machine is, the rules run within their slice
    const stopped = vi.spyOn(performance, 'now').mockReturnValue(performance.now())

    const evaluating = evaluate({ sources: { plans, listed: () => listed, store: { append } } })
    await new Promise(setImmediate)

    expect(append).toHaveBeenCalledOnce()
    stopped.mockRestore()
    await evaluating
  })

  test('is known by its hash, and is on record before it is given', async () => {
    const { body, position } = await evaluate()

    const { data, decoded } = await recordOf(body)
    expect(data.result_hash).toBe(createHash('sha256').update(body).digest('hex'))
    expect(decoded.position).toBe(position)
    expect(store.log.at(-1)?.position).toBe(position)
  })

  test('comes from a plan that is on record before it', async () => {
    const { body } = await evaluate()

    const { data, plan } = await recordOf(body)
    const order = store.log.map(({ type }) => type)
    expect(order).toEqual([
      ...texts.map(() => 'ExpressionRecorded'),
      'PlanRulesRecorded',
      'FlowPlanRecorded',
      'FlowEvaluated',
    ])
    expect(plan.flow_id).toBe('flo_1')
    expect(plan.recipes[0]?.rules).toHaveLength(texts.length)
    expect(data).toMatchObject({
      flow_id: 'flo_1',
      flow_version_id: 'ver_f',
      dispatch: 'none',
    })
  })
})

describe('what the evaluation is found by', () => {
  const of = (kind: LookupValue['kind'], value: string) => digestOf(account, { kind, value })

  test('is the address and the device that counted, and the correlation id', async () => {
    const { body } = await evaluate({
      request: {
        dispatch_id: dispatchId,
        correlation_id: 'signup-4711',
        signals: { ip: '203.0.113.9', device_id: 'of the request' },
      },
      sources: dispatching({ ip: '203.0.113.1', ja4_fingerprint: 't13d' }),
    })

    expect((await recordOf(body)).data).toMatchObject({
      counted: {
        ip: of('ip', '203.0.113.1'),
        network: of('network', '203.0.113.0/24'),
        device: of('device', 'of the request'),
        ja4: of('ja4', 't13d'),
        phone_prefix: of('phone_prefix', phone.slice(0, 7)),
      },
      sent: { ip: of('ip', '203.0.113.9'), network: of('network', '203.0.113.0/24') },
      correlation: of('correlation_id', 'signup-4711'),
      dispatch: 'found',
      evidence: { correlation_id: 'signup-4711', dispatch_id: dispatchId },
    })
  })

  test('tells what was merely sent from what counted', async () => {
    const signals = { ip: '2001:db8:1:2:3::4', device_id: 'a device' }
    const { body } = await evaluate({ request: { target: { email_address: email }, signals } })

    const { counted, sent } = (await recordOf(body)).data
    expect(counted).toEqual({
      mail_domain: of('mail_domain', email.slice(email.indexOf('@') + 1)),
      mailbox: of('mailbox', email),
    })
    expect(sent).toEqual({
      ip: of('ip', signals.ip),
      network: of('network', '2001:db8:1:2::/64'),
      device: of('device', 'a device'),
    })
  })
})

describe('the dispatch', () => {
  test('that cannot be read fails the evaluation: nothing is recorded without it', async () => {
    const dispatched = async () => {
      throw new Failure('unavailable', 'The log does not answer.')
    }

    const asked = evaluate({ sources: { dispatched }, request: { dispatch_id: dispatchId } })

    await expect(asked).rejects.toMatchObject({ code: 'unavailable' })
    expect(store.log.filter(({ type }) => type === 'FlowEvaluated')).toEqual([])
  })
})

describe('the record', () => {
  const text = fc.constantFrom('', 'x', '203.0.113.9', '150', '7', 'ios')
  const signals = fc.record<Signals>(
    {
      ip: text,
      device_id: text,
      user_agent: fc.constantFrom('', 'Mozilla/5.0 (iPhone; CPU iPhone OS 17_4 like Mac OS X)'),
      is_trusted_user: fc.boolean(),
      existing_user: fc.boolean(),
      ext: fc.dictionary(fc.constantFrom('total', 'other', 'é'), text),
    },
    { requiredKeys: [] },
  )
  const target = fc.constantFrom(
    { phone_number: phone },
    { email_address: email },
    { phone_number: phone, email_address: email },
  )
  const asked = fc.record({
    signals,
    target,
    dispatch: fc.option(signals, { nil: undefined }),
    named: fc.boolean(),
    trusted: fc.boolean(),
    block: fc.boolean(),
  })

  test('is all it takes to give the answer again, to the byte', () =>
    fc.assert(
      fc.asyncProperty(
        asked,
        async ({ signals: sent, dispatch, named, trusted, block, target: of }) => {
          store = memoryEventStore()
          const { body } = await evaluate({
            trusted,
            request: { target: of, signals: sent, ...(named && { dispatch_id: dispatchId }) },
            sources: {
              ...dispatching(dispatch),
              listed: async () => ({ allow: { listed: false }, block: { listed: block } }),
            },
          })

          const { plan, data, decoded, arrived: items } = await recordOf(body)
          const arrived = new Map<string, EvidenceItem>(
            items.map(([name, value, source]) => [name, { value, source }]),
          )
          for (const half of ['phone_number', 'email_address'] as const) {
            const value = data[half]
            if (typeof value === 'string')
              arrived.set(`target.${half}`, { value, source: 'request' })
          }
          arrived.set('request.time', { value: decoded.metadata.time, source: 'service' })
          const compiled = compilePlan(plan)
          const again = compiled.run(arrived)
          expect(compiled.renderResponse(data.evaluation_id, again)).toBe(body)
          expect(data).toMatchObject(compiled.encodeRun(again))
          const result = decodeResult(plan, data)
          const kept = buildEvaluateResponse(data.evaluation_id, result)
          expect(JSON.stringify(kept)).toBe(body)
        },
      ),
      { numRuns: draws(60) },
    ))
})

describe('an evaluation is refused', () => {
  const refused = async (asked: Promise<unknown>) => {
    const error = await asked.then(
      () => undefined,
      (reason: unknown) => reason,
    )
    if (!(error instanceof Failure)) throw new Error('it was not refused')
    return error
  }

  test('when its id is taken by something else: what is there stays', async () => {
    const context = contextOf()
    const stream = `evaluation-${deriveId('evl', context.command, 'evaluation')}`
    const [other] = encodeAll([{ type: 'AuthoringEnabled', data: {} }], contextOf())
    if (!other) throw new Error('nothing was encoded')
    await store.append({ stream, events: [other], expected: 'no_stream' })

    expect((await refused(evaluate({ context }))).code).toBe('conflict')
    expect(recorded).toEqual([])
    expect(store.log.filter((event) => event.stream === stream).map(({ type }) => type)).toEqual([
      'AuthoringEnabled',
    ])
  })

  test('when it cannot be recorded, and nobody is told of it', async () => {
    store.before = ({ stream }) => {
      if (stream.startsWith('evaluation-')) throw new Failure('unavailable', 'The disk is full.')
    }

    expect((await refused(evaluate())).code).toBe('unavailable')
    expect(recorded).toEqual([])
  })
})

describe('a record that is read', () => {
  test.each(['ExpressionRecorded', 'PlanRulesRecorded', 'FlowPlanRecorded'])(
    'is a fault, not an empty plan, when the log lacks its %s',
    async (type) => {
      const { body } = await evaluate()
      const at = store.log.findIndex((event) => event.type === type)
      store.log.splice(at, 1)

      await expect(recordOf(body)).rejects.toThrow(/plan/)
    },
  )
})
