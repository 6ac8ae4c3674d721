/** Counters in rules, through the front door: what they answer, what is on record, and what is refused. */

import { randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { notePendingTallies } from '../../src/state/evaluation/pendingTallies.ts'
import { openVigilOfFile } from '../support/openOfFile.ts'
import { type Customer, openCustomer, operatorToken, sendAs } from '../support/openVigil.ts'
import { projectedHead } from '../support/projectedHead.ts'

type Body = Record<string, unknown>

const vigil = await openVigilOfFile()
const start = Date.UTC(2026, 10, 21, 9)
const minute = 60_000

let now = start
/** Moves the clock, once what was recorded before is counted. */
const pass = async (ms: number) => {
  await projectedHead(vigil)
  now += ms
  vigil.setTime(now)
}

let shop: Customer
beforeEach(async () => {
  now += 40 * 24 * 60 * minute
  vigil.setTime(now)
  shop = await openCustomer(vigil)
})

const device = 'count(evaluations, by(signal.device_id), "10m")'

const signUp = async (flow: string, change: Body = {}): Promise<Body> => {
  const dispatch_id = await shop.dispatch({ device_id: 'dev-1', ip: '203.0.113.7' })
  // a busy machine would be behind
  await projectedHead(vigil)
  const { status, body, text } = await shop.evaluate(flow, { dispatch_id, ...change })
  if (status !== 200) throw new Error(text)
  return body
}
const ruleOf = (answer: Body) => (answer['recipes'] as { rules: Body[] }[])[0]?.rules[0] ?? {}
const show = async (id: unknown, of = shop) =>
  (await of.send('GET', `/v2/watch/evaluations/${id}?explain=expressions`)).body
const explained = async (id: unknown) =>
  (((await show(id))['explanation'] as { rules: Body[] }[])[0]?.rules[0] ?? {}) as Body
const replay = async (id: unknown) =>
  (await shop.send('POST', `/v2/watch/evaluations/${id}/replay`)).body
const tryRule = async (expression: string, evidence: Body = {}) =>
  (
    await shop.send('POST', '/v2/watch/management/rules/test', {
      expression,
      evidence: { target: { phone_number: '+33612345678' }, ...evidence },
    })
  ).body
const publish = (expression: string) =>
  shop.send('POST', '/v2/watch/management/rules', { name: 'a rule', expression })

/** A flow whose rule has been in force for long enough. */
const warmFlow = async (...expressions: readonly string[]) => {
  const flow = await shop.flowOf(...expressions)
  await pass(25 * 60 * minute)
  return flow
}

describe('a rule that counts', () => {
  test('triggers on what came before, not on the present evaluation', async () => {
    const flow = await warmFlow(`${device} > 1`)

    const outcomes: unknown[] = []
    for (let at = 0; at < 4; at += 1) {
      outcomes.push(ruleOf(await signUp(flow))['outcome'])
      await pass(1_000)
    }

    expect(outcomes).toEqual(['NOT_TRIGGERED', 'NOT_TRIGGERED', 'TRIGGERED', 'TRIGGERED'])
  })

  test('forgets what is older than its window', async () => {
    const flow = await warmFlow(`${device} == 1`)
    await signUp(flow)
    await pass(9 * minute)
    const within = await signUp(flow, { dispatch_id: await shop.dispatch({ device_id: 'dev-2' }) })
    const still = await tryRule(`${device} == 1`, {
      dispatch_signals: { device_id: 'dev-1' },
    })
    await pass(2 * minute)
    const beyond = await signUp(flow)

    expect(ruleOf(within)['outcome']).toBe('NOT_TRIGGERED')
    expect(still).toMatchObject({ outcome: 'TRIGGERED' })
    expect(ruleOf(beyond)['outcome']).toBe('NOT_TRIGGERED')
  })

  test('counts by a clock that is set back five minutes, and by one that is set back more has no answer', async () => {
    const flow = await warmFlow(`${device} == 2`)
    for (let at = 0; at < 2; at += 1) await signUp(flow)
    await pass(-3 * minute)
    const soon = ruleOf(await signUp(flow))
    await pass(-7 * minute)
    const late = ruleOf(await signUp(flow))
    const dispatch_id = await shop.dispatch({ device_id: 'dev-2' })
    const other = ruleOf(await signUp(flow, { dispatch_id }))
    await pass(10 * minute)

    expect(soon['outcome']).toBe('TRIGGERED')
    expect(late).toMatchObject({ outcome: 'NOT_EVALUATED', unavailable: true })
    expect(other['outcome']).toBe('NOT_TRIGGERED')
  })

  test('has its value, window and key in the explanation, and replays from the record', async () => {
    const flow = await warmFlow(`${device} >= 1 && flow.id != "x"`)
    await signUp(flow)
    await pass(1_000)
    const { id } = await signUp(flow)
    for (let at = 0; at < 3; at += 1) await signUp(flow)
    await pass(1_000)

    const { counters, outcome } = await explained(id)
    const { evidence } = await show(id)

    expect(outcome).toBe('TRIGGERED')
    expect(counters).toEqual([
      {
        name: device,
        window: '10m',
        key: [{ name: 'signal.device_id', value: 'dev-1' }],
        value: 1,
      },
    ])
    expect(evidence).toContainEqual({ name: device, value: 1, source: 'counter' })
    expect(evidence).toContainEqual({ name: 'flow.id', value: flow, source: 'service' })
    expect(await replay(id)).toEqual({ result: 'MATCH', differences: [] })
  })

  test('is blocked by a part of its key that did not arrive, and by its name', async () => {
    const flow = await warmFlow(`${device} > 1`)

    const { body } = await shop.evaluate(flow)

    expect(ruleOf(body)).toMatchObject({
      outcome: 'NOT_EVALUATED',
      blocked_by: 'signal.device_id',
    })
    expect(ruleOf(body)).not.toHaveProperty('unavailable')
  })

  test('has a true 0 for a key that was never seen', async () => {
    const flow = await warmFlow(`${device} == 0`)

    expect(ruleOf(await signUp(flow))['outcome']).toBe('TRIGGERED')
  })

  test('is unavailable until it is kept for as long as its window', async () => {
    const flow = await shop.flowOf(`${device} >= 0`)
    await pass(9 * minute)
    const early = await signUp(flow)
    await pass(2 * minute)
    const late = await signUp(flow)

    expect(ruleOf(early)).toMatchObject({ outcome: 'NOT_EVALUATED', unavailable: true })
    expect(ruleOf(early)).not.toHaveProperty('blocked_by')
    expect(await explained(early['id'])).toMatchObject({
      counters: [{ name: device, reason: 'warming' }],
    })
    expect(await replay(early['id'])).toEqual({ result: 'MATCH', differences: [] })
    expect(ruleOf(late)['outcome']).toBe('TRIGGERED')
  })

  test('keeps its series through new versions, and begins anew after its rule was deleted', async () => {
    const id = await shop.rule(`${device} >= 0`)
    await pass(11 * minute)
    const put = { name: 'a rule', expression: `${device} >= 0 && !has(signal.ext.a)` }
    await shop.send('PUT', `/v2/watch/management/rules/${id}`, put)
    const edited = await tryRule(`${device} >= 0`, { dispatch_signals: { device_id: 'd' } })
    await shop.send('DELETE', `/v2/watch/management/rules/${id}`)
    await shop.rule(`${device} >= 0`)
    const anew = await tryRule(`${device} >= 0`, { dispatch_signals: { device_id: 'd' } })

    expect(edited).toMatchObject({ outcome: 'TRIGGERED', counters: [{ value: 0 }] })
    expect(anew).toMatchObject({ unavailable: true, counters: [{ reason: 'warming' }] })
  })

  test('sees the events of its own account alone', async () => {
    const flow = await warmFlow(`${device} > 0`)
    const other = await openCustomer(vigil)
    const theirs = await other.flowOf(`${device} > 0`)
    await pass(11 * minute)
    const dispatch_id = await other.dispatch({ device_id: 'dev-1' })
    for (let at = 0; at < 3; at += 1) await other.evaluate(theirs, { dispatch_id })
    await pass(1_000)

    expect(ruleOf(await signUp(flow))['outcome']).toBe('NOT_TRIGGERED')
  })

  test('counts different values and sums, leaving out what is no integer', async () => {
    const people = 'distinct(evaluations, target.phone_number, by(network(signal.ip)), "1h")'
    const spent =
      'sum(evaluations, int(signal.ext.total), by(prefix(target.phone_number, 4)), "1h")'
    const flow = await warmFlow(`${people} == 2 && ${spent} == 30`)
    const totals = ['10', '20', 'much', undefined]
    for (const [at, total] of totals.entries()) {
      await signUp(flow, {
        target: { phone_number: `+3361234567${at % 2}` },
        ...(total !== undefined && { signals: { ext: { total } } }),
      })
    }
    await pass(1_000)

    const { id, ...answer } = await signUp(flow)

    expect((await explained(id))['counters']).toMatchObject([
      { name: people, key: [{ name: 'network(signal.ip)', value: '203.0.113.7/32' }], value: 2 },
      { name: spent, value: 30, left_out: 1 },
    ])
    expect(ruleOf(answer)['outcome']).toBe('TRIGGERED')
    expect(await replay(id)).toEqual({ result: 'MATCH', differences: [] })
  })

  test('counts verdicts, dispatches and feedback', async () => {
    const counters = [
      'count(flagged, by(target.phone_number), "1h")',
      'count(dispatches, by(signal.device_id), "1h")',
      'count(verification.completed, by(target.phone_number), "1h")',
    ]
    const flow = await warmFlow('true', ...counters.map((counter) => `${counter} >= 1`))
    const first = await signUp(flow)
    const target = { type: 'phone_number', value: '+33612345678' }
    await shop.send('POST', '/v2/watch/feedback', {
      feedbacks: [{ target, type: 'verification.completed' }],
    })
    await pass(1_000)
    const second = await signUp(flow)
    const outcomesOf = (answer: Body) =>
      (answer['recipes'] as { rules: Body[] }[])[0]?.rules.map(({ outcome }) => outcome)

    expect(outcomesOf(first)?.slice(1)).toContain('NOT_TRIGGERED')
    expect(outcomesOf(second)).toEqual(['TRIGGERED', 'TRIGGERED', 'TRIGGERED', 'TRIGGERED'])
  })

  test('counts every entry of a batch of feedback', async () => {
    const counter = 'count(verification.completed, by(target.phone_number), "1h")'
    const flow = await warmFlow(`${counter} >= 3`)
    const target = { type: 'phone_number', value: '+33612345678' }
    const feedbacks = Array.from({ length: 3 }, () => ({ target, type: 'verification.completed' }))
    await shop.send('POST', '/v2/watch/feedback', { feedbacks })

    expect(ruleOf(await signUp(flow))['outcome']).toBe('TRIGGERED')
  })

  test('holds back evaluations and feedback of an account whose keys the read models lack by thousands, and of no other', async () => {
    const flow = await warmFlow(`${device} > 1`)
    const other = await openCustomer(vigil)
    const target = { type: 'phone_number', value: '+33612345678' }
    const feedback = { feedbacks: [{ target, type: 'verification.started' }] }
    const { context } = vigil.service
    const tallies = Array.from({ length: 6_001 }, (_, at) => ['series', `key ${at}`, 1] as const)
    // a position that they never reach: each waits for as long as it may
    const position = Number.MAX_SAFE_INTEGER
    notePendingTallies(context, shop.accountId, { tallies, position })
    const waits = vi.spyOn(context.projections, 'waitFor')
    const countWaits = async (ask: () => Promise<{ status: number }>) => {
      waits.mockClear()
      expect((await ask()).status).toBe(200)
      return waits.mock.calls.filter(([, ms]) => ms === 50).length
    }
    const found = [
      await countWaits(() => shop.evaluate(flow, {})),
      await countWaits(() => shop.send('POST', '/v2/watch/feedback', feedback)),
      await countWaits(() => other.send('POST', '/v2/watch/feedback', feedback)),
    ]
    waits.mockRestore()
    context.pendingTallies.keys.clear()
    context.pendingTallies.countOf.clear()

    expect(found).toEqual([5, 5, 0])
  })

  test('answers predictions too, and their record says to which position it counted', async () => {
    const flow = await warmFlow(`${device} > 0`)
    await shop.send('PUT', '/v2/watch/management/predict', { flow_id: flow })
    await signUp(flow)
    await pass(1_000)
    const dispatch_id = await shop.dispatch({ device_id: 'dev-1' })
    const target = { phone_number: '+33612345678' }
    const { body } = await shop.send('POST', '/v2/watch/predict', { target, dispatch_id })

    const recorded = await show(body['id'])

    expect(body['prediction']).toBe('suspicious')
    expect(Number(recorded['counted_to'])).toBeGreaterThan(0)
    expect(Number(recorded['counted_to'])).toBeLessThan(Number(recorded['position']))
  })
})

describe('a trial', () => {
  test('says of a counter that no published rule has that it is not kept', async () => {
    const flow = await warmFlow('true')
    const dispatch_signals = { device_id: 'dev-1' }

    const answer = await tryRule(`${device} > 0`, { dispatch_signals })
    const draft = {
      recipes: [
        {
          name: 'a draft',
          status: 'LIVE',
          threshold: 50,
          rules: [{ name: 'counting', expression: `${device} > 0`, weight: 60 }],
        },
      ],
    }
    const drafted = await shop.send('POST', `/v2/watch/management/flows/${flow}/test`, {
      target: { phone_number: '+33612345678' },
      dispatch_signals,
      draft,
    })

    expect(answer).toMatchObject({
      outcome: 'NOT_EVALUATED',
      unavailable: true,
      counters: [{ name: device, window: '10m', reason: 'not_kept' }],
    })
    expect([drafted.status, drafted.text]).toEqual([
      200,
      expect.stringContaining('"reason":"not_kept"'),
    ])
  })

  test('counts as evaluations do, and is not counted', async () => {
    const flow = await warmFlow(`${device} > 0`)
    await signUp(flow)
    await pass(1_000)
    const dispatch_signals = { device_id: 'dev-1' }

    const once = await tryRule(`${device} > 0`, { dispatch_signals })
    const again = await tryRule(`${device} > 0`, { dispatch_signals })

    for (const answer of [once, again]) {
      expect(answer).toMatchObject({ outcome: 'TRIGGERED', counters: [{ name: device, value: 1 }] })
    }
  })
})

describe('what is published', () => {
  const counted = (at: number, window = '1h') =>
    `count(evaluations, by(signal.ext.k${at}), "${window}") > 1`

  test('has sixteen different counters at most, whatever their windows', async () => {
    const ids: string[] = []
    for (let at = 0; at < 16; at += 1) ids.push(await shop.rule(counted(at)))

    const other = await publish(counted(3, '24h'))
    const more = await publish(counted(16))
    const edited = await shop.send('PUT', `/v2/watch/management/rules/${ids[0]}`, {
      name: 'a rule',
      expression: counted(16),
    })
    const back = await publish(counted(0))

    expect(other.status).toBe(201)
    expect([more.status, more.body['code'], more.body['message']]).toEqual([
      409,
      'conflict',
      expect.stringContaining('An account may have 16 different counters'),
    ])
    expect(edited.status).toBe(200)
    expect(back.status).toBe(409)
  })

  test('counts what is pinned', async () => {
    const rule = await shop.rule(counted(0))
    const url = `/v2/watch/management/rules/${rule}`
    const { version_id } = (await shop.send('GET', url)).body
    for (let at = 1; at < 16; at += 1) await shop.rule(counted(at))
    await shop.send('PUT', url, { name: 'a rule', expression: 'true' })
    expect((await publish(counted(16))).status).toBe(201)

    const pinned = await shop.send('POST', '/v2/watch/management/recipes', {
      name: 'a recipe',
      status: 'LIVE',
      threshold: 50,
      rules: [{ rule_id: rule, weight: 60, version_id }],
    })

    expect([pinned.status, pinned.body['code']]).toEqual([409, 'conflict'])
  })

  test('is refused with the place and what was meant', async () => {
    const { status, body } = await publish('count(evaluation, by(signal.ip), "60m") > 5')

    expect([status, body['code']]).toEqual([400, 'invalid_rule'])
    expect(body['details']).toMatchObject([
      { path: 'expression', line: 1, column: 7, message: expect.stringContaining('evaluations') },
      { path: 'expression', line: 1, column: 34, message: expect.stringContaining("'1h'") },
    ])
  })

  test('is refused of the operator, whose rules are every account’s', async () => {
    const { status, body } = await sendAs(vigil, operatorToken)(
      'POST',
      '/v2/operator/managed/rules',
      { name: 'a rule', description: 'counting', expression: `${device} > 1`, parameters: [] },
    )

    expect([status, body['code']]).toEqual([400, 'invalid_rule'])
    expect(JSON.stringify(body['details'])).toContain('A managed rule cannot have counters')
  })
})

test('an imported evaluation reads no counters', async () => {
  const flow = await warmFlow(`${device} >= 0`)
  const line = {
    id: 'order 1',
    flow_id: flow,
    occurred_at: new Date(now - minute).toISOString(),
    target: { phone_number: '+33612345678' },
    signals: { device_id: 'dev-1' },
  }
  const type = { 'content-type': 'application/x-ndjson' }
  await shop.send('POST', '/v2/watch/evaluations/import', JSON.stringify(line), type)
  const position = await projectedHead(vigil)
  const listed = await shop.send('GET', `/v2/watch/evaluations?min_position=${position}`)
  const [found] = listed.body['evaluations'] as Body[]

  expect(await explained(found?.['id'])).toMatchObject({
    outcome: 'NOT_EVALUATED',
    unavailable: true,
    counters: [{ name: device, reason: 'imported' }],
  })
})

test('an event that cannot be read makes the counters of its account unavailable, and no others', async () => {
  const flow = await warmFlow(`${device} >= 0`)
  const other = await openCustomer(vigil)
  const metadata = JSON.stringify({ account: other.accountId, time: now, epoch: 1, version: 1_000 })
  await vigil.service.context.events.append({
    stream: 'evaluation-poison',
    events: [{ id: randomUUID(), type: 'FlowEvaluated', data: '{}', metadata }],
    expected: 'no_stream',
  })
  const theirs = await other.flowOf(`${device} >= 0`)
  await pass(25 * 60 * minute)
  const dispatch_id = await other.dispatch({ device_id: 'dev-1' })
  await projectedHead(vigil)

  const { body } = await other.evaluate(theirs, { dispatch_id })

  expect(ruleOf(body)).toMatchObject({ outcome: 'NOT_EVALUATED', unavailable: true })
  expect(ruleOf(await signUp(flow))['outcome']).toBe('TRIGGERED')
})
