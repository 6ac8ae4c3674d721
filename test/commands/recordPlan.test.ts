/** What recording a plan writes: each thing once, and of a small change little. */

import fc from 'fast-check'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { openPlanRecorder } from '../../src/commands/evaluation/recordPlan.ts'
import { runAtOnce } from '../../src/domain/load/steps.ts'
import type { Expression } from '../../src/engine/language/expression.ts'
import type { Plan, PlannedRule } from '../../src/engine/run/plan.ts'
import { encode } from '../../src/events/catalogue.ts'
import type { EvaluationEvent } from '../../src/events/evaluation/evaluationEvents.ts'
import type { EventContext } from '../../src/events/recording/event.ts'
import { createManagedRulebook } from '../../src/events/rulebook/managedRulebook.ts'
import {
  createRulebook,
  evolveRulebook,
  type RulebookEvent,
  type RulebookState,
} from '../../src/events/rulebook/rulebook.ts'
import { openCompiledPlanCache, openFlowPlans } from '../../src/state/evaluation/flowPlanCache.ts'
import { type PlanToRecord, pinPlan } from '../../src/state/evaluation/pinPlan.ts'
import { readRecordedPlan } from '../../src/state/evaluation/readEvaluationRecord.ts'
import type { PooledKeyring } from '../../src/stores/keys/keyring.ts'
import { sampleKeyring } from '../events/samples.ts'
import { draws } from '../support/draws.ts'
import { everyPauseYields, turnsDuring } from '../support/everyPauseYields.ts'
import { load } from '../support/load.ts'
import { type MemoryEventStore, memoryEventStore } from '../support/memoryEventStore.ts'
import { after } from './support/outcome.ts'
import { flowEvent, recipeEvent, ruleEvent } from './support/rulebookEvents.ts'

const account = 'acc_1'
let keyring: PooledKeyring
let store: MemoryEventStore

beforeAll(async () => {
  keyring = await sampleKeyring('plans')
})
afterAll(() => keyring.close())
afterEach(() => void vi.restoreAllMocks())
beforeEach(() => {
  store = memoryEventStore()
})

/** About `count` nodes that say `value`. */
function expressionOf(value: string, count = 2): Expression {
  const item: Expression = { kind: 'literal', type: 'string', value, at: [1, 1] }
  return { kind: 'list', items: Array.from({ length: count - 1 }, () => item), at: [1, 1] }
}

const ruleOf = (id: string, expression?: Expression): PlannedRule => ({
  rule_id: id,
  type: 'CUSTOM',
  name: `rule ${id}`,
  version_id: `ver_${id}`,
  weight: 1,
  ...(expression && { expression }),
})

const planOf = (...recipes: readonly (readonly PlannedRule[])[]): Plan => ({
  flow_id: 'flo_1',
  flow_version_id: 'ver_1',
  semantics: 2,
  recipes: recipes.map((rules, index) => ({
    recipe_id: `rcp_${index}`,
    version_id: 'ver_2',
    status: 'LIVE',
    threshold: 50,
    rules,
  })),
})

const encodeAll = (events: readonly EvaluationEvent[], context: EventContext) =>
  events.map((event, index) => encode({ event, context, index }, keyring))

/** Of an instance that has just started. */
const openRecorder = (nowMs = () => 1) => openPlanRecorder({ store, encode: encodeAll, nowMs })

const typesFrom = (index: number) => store.log.slice(index).map(({ type }) => type)
const bytesFrom = (index: number) =>
  store.log.slice(index).reduce((sum, { data, metadata }) => sum + data.length + metadata.length, 0)

describe('a plan on record', () => {
  const rules = fc.array(fc.tuple(fc.nat(80), fc.option(fc.nat(20), { nil: undefined })), {
    maxLength: 80,
  })
  const planned = fc.array(rules, { maxLength: 3 }).map((recipes) =>
    planOf(
      ...recipes.map((some) =>
        some.map(([id, said]) =>
          // the same id says the same, and several may
          ruleOf(`r${id}-${said}`, said === undefined ? undefined : expressionOf(`says ${said}`)),
        ),
      ),
    ),
  )

  test('is read as it was, and has the digest that it was recorded under', () =>
    fc.assert(
      fc.asyncProperty(planned, async (plan) => {
        store = memoryEventStore()
        const pinned = runAtOnce(pinPlan(account, plan))
        await openRecorder()(account, pinned)

        const whole = await readRecordedPlan({ ...load, events: store }, pinned.digest)

        expect(whole).toEqual(plan)
        expect(runAtOnce(pinPlan(account, whole)).digest).toBe(pinned.digest)
        expect(new Set(store.log.map(({ stream }) => stream)).size).toBe(store.log.length)
      }),
      { numRuns: draws(40) },
    ))

  test('has another digest when an expression in the log is not what it was', async () => {
    const pinned = runAtOnce(pinPlan(account, planOf([ruleOf('a', expressionOf('said'))])))
    await openRecorder()(account, pinned)
    store.log.splice(0, store.log.length, ...store.log.map(altered))

    const recorded = await readRecordedPlan({ ...load, events: store }, pinned.digest)

    expect(runAtOnce(pinPlan(account, recorded)).digest).not.toBe(pinned.digest)
  })

  test('that lacks one rule of a part is a fault', async () => {
    const rulesOfIt = [ruleOf('a', expressionOf('a')), ruleOf('b')]
    const pinned = runAtOnce(pinPlan(account, planOf(rulesOfIt)))
    await openRecorder()(account, pinned)
    const without = ({ type, data, ...event }: (typeof store.log)[number]) => {
      const said = JSON.parse(data) as { rules?: unknown[] }
      if (type === 'PlanRulesRecorded') said.rules?.pop()
      return { ...event, type, data: JSON.stringify(said) }
    }
    store.log.splice(0, store.log.length, ...store.log.map(without))

    await expect(readRecordedPlan({ ...load, events: store }, pinned.digest)).rejects.toThrow(
      /plan_rules-/,
    )
  })

  const altered = ({ data, ...event }: (typeof store.log)[number]) => ({
    ...event,
    data: data.replace('"said"', '"sait"'),
  })
})

describe('recording', () => {
  const many = (changed: string): Plan =>
    planOf(
      Array.from({ length: 400 }, (_, at) =>
        at === 200
          ? { ...ruleOf(`r${at}`, expressionOf(changed, 400)), version_id: `ver_${changed}` }
          : ruleOf(`r${at}`, expressionOf(`says ${at}`, 40)),
      ),
    )

  test('a change of one rule of four hundred writes that rule, its part and the list of parts', async () => {
    const record = openRecorder()
    await record(account, runAtOnce(pinPlan(account, many('one'))))
    const before = store.log.length

    await record(account, runAtOnce(pinPlan(account, many('other'))))

    expect(before).toBe(400 + 13 + 1)
    expect(typesFrom(before)).toEqual([
      'ExpressionRecorded',
      'PlanRulesRecorded',
      'FlowPlanRecorded',
    ])
    expect(bytesFrom(before)).toBeLessThan(48 * 1024)
  })

  test('the same change after a restart writes no more, and asks little', async () => {
    await openRecorder()(account, runAtOnce(pinPlan(account, many('one'))))
    const before = store.log.length
    const asked = countReads()

    await openRecorder()(account, runAtOnce(pinPlan(account, many('other'))))

    expect(store.log.length - before).toBe(3)
    // the plan, its parts, and the expressions of one part
    expect(asked()).toBe(1 + 13 + 32)
  })

  test('what is on record costs a restarted instance one read', async () => {
    const pinned = runAtOnce(pinPlan(account, many('one')))
    await openRecorder()(account, pinned)
    const before = store.log.length
    const asked = countReads()

    await openRecorder()(account, pinned)

    expect(store.log.length).toBe(before)
    expect(asked()).toBe(1)
  })

  test('two instances that record the same at once write it once', async () => {
    const pinned = runAtOnce(pinPlan(account, many('one')))
    let time = 0
    const nowMs = () => {
      time += 1
      return time
    }

    await Promise.all([openRecorder(nowMs)(account, pinned), openRecorder(nowMs)(account, pinned)])

    expect(store.log.length).toBe(400 + 13 + 1)
    expect(await readRecordedPlan({ ...load, events: store }, pinned.digest)).toEqual(many('one'))
  })

  test('nothing of one account is named by another, though they say the same', async () => {
    const record = openRecorder()
    await record('acc_1', runAtOnce(pinPlan('acc_1', many('one'))))
    const streams = new Set(store.log.map(({ stream }) => stream))
    const before = store.log.length
    const asked = readStreams()

    await record('acc_2', runAtOnce(pinPlan('acc_2', many('one'))))

    expect(store.log.length).toBe(2 * before)
    expect(store.log.slice(before).filter(({ stream }) => streams.has(stream))).toEqual([])
    expect(asked().filter((stream) => streams.has(stream))).toEqual([])
  })

  test('one that breaks off is taken up where it stopped', async () => {
    const pinned = runAtOnce(pinPlan(account, many('one')))
    const record = openRecorder()
    store.before = () => {
      if (store.log.length >= 100) throw new Error('the store is away')
    }
    await expect(record(account, pinned)).rejects.toThrow('the store is away')
    store.before = undefined
    await expect(readRecordedPlan({ ...load, events: store }, pinned.digest)).rejects.toThrow(
      /no stream plan-/,
    )

    await openRecorder()(account, pinned)

    expect(store.log.length).toBe(400 + 13 + 1)
  })

  const readStreams = (): (() => readonly string[]) => {
    const { readStream } = store
    const streams: string[] = []
    store = {
      ...store,
      readStream: (stream, page) => {
        streams.push(stream)
        return readStream(stream, page)
      },
    }
    return () => streams
  }
  const countReads = (): (() => number) => {
    const streams = readStreams()
    return () => streams().length
  }
})

describe('a large flow', () => {
  const ruleCount = 60
  const nodes = 400
  const published = (id: string, version_id: string, value: string) =>
    ruleEvent(id, { version_id, expression: expressionOf(value, nodes) })
  const ids = Array.from({ length: ruleCount }, (_, at) => `rul_${at}`)
  const rulebooks = () => ({
    own: after<RulebookState, RulebookEvent>(createRulebook(), evolveRulebook, [
      ...ids.map((id) => published(id, `ver_${id}`, id)),
      recipeEvent('rcp_1', ids),
      flowEvent('flo_1', ['rcp_1']),
    ]),
    managed: createManagedRulebook(),
  })

  test('lets others have their turn while it is read, digested, compiled and recorded', async () => {
    const state = rulebooks()
    const plans = openFlowPlans(
      { ...load, compiledPlans: openCompiledPlanCache(load, 1e9) },
      openRecorder(),
    )

    everyPauseYields()
    const turns = await turnsDuring(async () => plans.preparePlan(account, state, 'flo_1'))

    // reading, digesting, compiling and recording each go from rule to rule
    expect(turns).toBeGreaterThanOrEqual(4 * ruleCount)
  })

  test('lets them when its record is read', async () => {
    const plans = openFlowPlans(
      { ...load, compiledPlans: openCompiledPlanCache(load, 1e9) },
      openRecorder(),
    )
    const ready = await plans.preparePlan(account, rulebooks(), 'flo_1')

    everyPauseYields()
    const turns = await turnsDuring(() =>
      readRecordedPlan({ ...load, events: store }, ready?.digest ?? ''),
    )

    expect(turns).toBeGreaterThanOrEqual(ruleCount)
  })

  test('is made once for all who ask meanwhile, and of a change only what is new is recorded', async () => {
    const state = rulebooks()
    const recorded: PlanToRecord[] = []
    const record = openRecorder()
    const plans = openFlowPlans(
      { ...load, compiledPlans: openCompiledPlanCache(load, 1e9) },
      async (of, pinned) => {
        recorded.push(pinned)
        await record(of, pinned)
      },
    )
    await Promise.all([1, 2, 3].map(async () => plans.preparePlan(account, state, 'flo_1')))
    expect(recorded).toHaveLength(1)
    const before = store.log.length

    evolveRulebook(state.own, published('rul_7', 'ver_new', 'new'))
    await plans.preparePlan(account, state, 'flo_1')

    expect(typesFrom(before)).toEqual([
      'ExpressionRecorded',
      'PlanRulesRecorded',
      'FlowPlanRecorded',
    ])
  })

  test('that changes while it is made is given as it was asked for, to each', async () => {
    const state = rulebooks()
    const plans = openFlowPlans(
      { ...load, compiledPlans: openCompiledPlanCache(load, 1e9) },
      openRecorder(),
    )
    const first = plans.preparePlan(account, state, 'flo_1')

    evolveRulebook(state.own, published('rul_7', 'ver_new', 'new'))
    const second = plans.preparePlan(account, state, 'flo_1')

    const versions = await Promise.all(
      [first, second].map(async (ready) => (await ready)?.plan.recipes[0]?.rules[7]?.version_id),
    )
    expect(versions).toEqual(['ver_rul_7', 'ver_new'])
  })
})
