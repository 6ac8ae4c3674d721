/** Counters that come into force when there is a past: warmed in the background, and tried by backtests. */

import { beforeEach, describe, expect, test } from 'vitest'
import { expireEvidence } from '../../src/commands/audit/retention.ts'
import { decode } from '../../src/events/catalogue.ts'
import {
  type CounterWarmed,
  counterWarmUpStream,
} from '../../src/events/evaluation/counterWarmUp.ts'
import { eventually } from '../support/eventually.ts'
import { openVigilOfFile } from '../support/openOfFile.ts'
import { type Customer, openCustomer } from '../support/openVigil.ts'
import { readPlainEvents } from '../support/plainCounters.ts'
import { projectedHead } from '../support/projectedHead.ts'
import { readBacktest } from './support/readBacktest.ts'

type Body = Record<string, unknown>

const vigil = await openVigilOfFile()
const minute = 60_000
const day = 24 * 60 * minute
let now = Date.UTC(2026, 5, 1, 9)
let shop: Customer

/** Moves the clock, once what was recorded before is counted. */
const pass = async (ms: number) => {
  await projectedHead(vigil)
  now += ms
  vigil.setTime(now)
}

beforeEach(async () => {
  now += 40 * day
  vigil.setTime(now)
  shop = await openCustomer(vigil)
})

const numberOf = (index: number) => `+3361234${String(5_000 + index)}`
const evaluate = async (flow: string, more: Body = {}) => {
  const { status, body, text } = await shop.evaluate(flow, {
    signals: { ext: { shop: 'a' } },
    ...more,
  })
  if (status !== 200) throw new Error(text)
  return body
}
const ruleOf = (answer: Body, at = 0) =>
  (answer['recipes'] as { rules: Body[] }[])[0]?.rules[at] ?? {}
const answerOf = async (answer: Body, name: string) => {
  const { body } = await shop.send('GET', `/v2/watch/evaluations/${answer['id']}`)
  return (body['evidence'] as Body[]).find((item) => item['name'] === name)?.['value']
}
const countEvaluations = async () => {
  await projectedHead(vigil)
  const { body } = await shop.send('GET', '/v2/watch/evaluations?limit=100')
  return (body['evaluations'] as unknown[]).length
}
/** Evaluates until the background has counted what was before. */
const whenWarm = async (flow: string): Promise<Body> => {
  await evaluate(flow)
  await pass(3_000)
  let answer: Body = {}
  await eventually(async () => {
    answer = await evaluate(flow)
    await projectedHead(vigil)
    return ruleOf(answer)['unavailable'] !== true
  })
  return answer
}

const byShop = 'count(evaluations, by(signal.ext.shop), "24h")'
const numbers = 'distinct(evaluations, target.phone_number, by(signal.ext.shop), "7d")'

describe('a counter that comes into force', () => {
  test('counts what had happened before, once', async () => {
    const before = await shop.flowOf('signal.ext.shop == "x"')
    for (let at = 0; at < 5; at += 1) {
      await evaluate(before, { target: { phone_number: numberOf(at % 3) } })
      await pass(minute)
    }
    const flow = await shop.flowOf(`${byShop} >= 0`, `${numbers} >= 0`)
    await pass(minute)

    const answer = await whenWarm(flow)
    const counted = await answerOf(answer, byShop)
    const told = await answerOf(answer, numbers)
    const made = await countEvaluations()

    expect(counted).toBe(made - 1)
    // those of before, and that of the evaluations since
    expect(told).toBe(4)
  })

  test('takes up what was counted while it was in force before', async () => {
    const rule = await shop.rule(`${byShop} >= 0`)
    const flow = await shop.flow([await shop.recipe([{ rule_id: rule, weight: 60 }])])
    await evaluate(flow)
    await pass(minute)
    await whenWarm(flow)
    const other = await shop.flowOf('signal.ext.shop == "x"')
    const recipes = await shop.send('GET', `/v2/watch/management/flows/${flow}`)
    expect(recipes.status).toBe(200)
    await shop.send('PUT', `/v2/watch/management/rules/${rule}`, {
      name: 'a rule',
      expression: 'signal.ext.shop == "y"',
    })
    await evaluate(other)
    await pass(minute)
    await shop.send('PUT', `/v2/watch/management/rules/${rule}`, {
      name: 'a rule',
      expression: `${byShop} >= 0`,
    })
    await pass(minute)

    const answer = await whenWarm(flow)
    const counted = await answerOf(answer, byShop)
    const made = await countEvaluations()

    expect(counted).toBe(made - 1)
  })
})

test('what was before is counted by a few hundred evaluations at a time, as the read models are for all', async () => {
  const flow = await shop.flowOf('signal.ext.shop == "x"')
  const rows = Array.from({ length: 450 }, (_, at) => ({
    ...{ id: `order ${at}`, flow_id: flow, target: { phone_number: numberOf(at) } },
    occurred_at: new Date(now - at * 1_000 - 1_000).toISOString(),
    signals: { ext: { shop: 'a' } },
  }))
  const type = { 'content-type': 'application/x-ndjson' }
  const text = rows.map((row) => JSON.stringify(row)).join('\n')
  await shop.send('POST', '/v2/watch/evaluations/import', text, type)
  const counting = await shop.flowOf(`${byShop} >= 0`)
  await pass(minute)

  const answer = await whenWarm(counting)
  const counted = await answerOf(answer, byShop)
  const { events } = vigil.service.context
  const warmed = await events.readStream(counterWarmUpStream(shop.accountId), { from: 0, limit: 9 })
  const sizes = warmed.map((recorded) => {
    const { entries } = decode(recorded).event.data as CounterWarmed
    return entries.reduce((sum, [, , entry]) => sum + entry.length, 0)
  })

  expect(Math.max(...sizes)).toBeLessThanOrEqual(200)
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(450)
  // and the one that asked for it
  expect(Number(counted)).toBeGreaterThanOrEqual(451)
})

test('erasing a person does not reset the counters of their keys', async () => {
  const counter = 'count(evaluations, by(target.phone_number), "24h")'
  const flow = await shop.flowOf(`${counter} >= 0`)
  await pass(3 * day)
  const target = { phone_number: numberOf(1) }
  for (let at = 0; at < 3; at += 1) await evaluate(flow, { target })
  await projectedHead(vigil)

  const erased = await shop.send('POST', '/v2/watch/subjects/erase', target)
  await pass(minute)
  const answer = await evaluate(flow, { target })
  await pass(minute)

  expect(erased.status, erased.text).toBe(200)
  expect(await answerOf(answer, counter)).toBe(3)
})

describe('a backtest', () => {
  const query = '?from=1970-01-01T00:00:00Z'
  const backtest = (body: Body) => readBacktest(vigil, shop, { body, query })

  test('counts anew what a draft would have counted', async () => {
    const flow = await shop.flowOf('signal.ext.shop == "x"')
    for (let at = 0; at < 6; at += 1) {
      await evaluate(flow)
      await pass(at === 3 ? 20 * minute : minute)
    }
    await pass(day)

    const expression = 'count(evaluations, by(signal.ext.shop), "10m") >= 2'
    const { table } = await backtest({ expression })

    // of the first four the last two, of the others none
    expect(table).toMatchObject([
      { answered: 'PASS', draft: 'FLAG', evaluations: 2 },
      { answered: 'PASS', draft: 'PASS', evaluations: 4 },
    ])
  })

  test('counts what was in the longest window before the range, too', async () => {
    const flow = await shop.flowOf('signal.ext.shop == "x"')
    const start = now
    for (let at = 0; at < 6; at += 1) {
      await evaluate(flow)
      await pass(at === 4 ? 5 * minute : 10 * minute)
    }
    await projectedHead(vigil)

    const inHour = 'count(evaluations, by(signal.ext.shop), "1h")'
    const expression = `${inHour} == 5 && count(evaluations, by(signal.ext.shop), "10m") == 1`
    const range = `?from=${new Date(start + 44 * minute).toISOString()}`
    const { table } = await readBacktest(vigil, shop, { body: { expression }, query: range })

    expect(table).toMatchObject([{ draft: 'FLAG', evaluations: 1 }])
  })

  test('gives the counters on record again when nothing but the threshold changes', async () => {
    const flow = await shop.flowOf(`${byShop} >= 3`)
    await pass(3 * day)
    for (let at = 0; at < 6; at += 1) {
      await evaluate(flow)
      await pass(minute)
    }

    const { table } = await backtest({ expression: `${byShop} >= 3` })
    const { table: anew } = await backtest({
      expression: `count(evaluations, by(signal.ext.shop, flow.id), "24h") >= 3`,
    })

    const halves = [
      { answered: 'FLAG', draft: 'FLAG', evaluations: 3 },
      { answered: 'PASS', draft: 'PASS', evaluations: 3 },
    ]
    expect(table).toMatchObject(halves)
    expect(anew).toMatchObject(halves)
  })

  describe('of a counter that had no answer yet', () => {
    const counting = `${byShop} >= 3`
    const path = '/v2/watch/management/backtests/preview'
    let rule = ''
    let flow = ''
    let ids: string[] = []
    /** The evaluations that had three or more before them, in the order of the log. */
    let flagged: string[] = []

    beforeEach(async () => {
      rule = await shop.rule(counting)
      flow = await shop.flow([await shop.recipe([{ rule_id: rule, weight: 60 }])])
      for (let at = 0; at < 6; at += 1) {
        expect(ruleOf(await evaluate(flow))['unavailable']).toBe(true)
        await pass(100)
      }
      const found = (await readPlainEvents(vigil.service.context)).filter(
        ({ account, id }) => account === shop.accountId && id,
      )
      ids = found.map(({ id = '' }) => id)
      flagged = ids.filter((_, at) => found.slice(0, at).length >= 3)
    })

    const halves = [
      { answered: 'PASS', draft: 'FLAG', evaluations: 3 },
      { answered: 'PASS', draft: 'PASS', evaluations: 3 },
    ]
    const idsOf = (rows: unknown) => (rows as Body[]).map(({ id }) => id)

    test('says what the log has', async () => {
      const whole = await backtest({ expression: counting })
      const fifth = await backtest({ expression: `${byShop} == 4` })
      const { body: young } = await shop.send('POST', `${path}${query}`, { expression: counting })

      expect(whole.table).toMatchObject(halves)
      expect(idsOf(whole.changed)).toEqual(flagged)
      expect(idsOf(fifth.changed)).toEqual([ids[4]])
      expect(young['table']).toMatchObject(halves)
    })

    test('as a part of a flow, too, and with lists asked anew', async () => {
      const rules = [{ rule_id: rule, weight: 60 }]
      const body = { flow_id: flow, draft: { recipes: [{ threshold: 50, rules }] } }
      for (const lists of ['then', 'now']) {
        const asked = { body, query: `${query}&lists=${lists}` }
        const { table } = await readBacktest(vigil, shop, asked)

        expect(table).toMatchObject(halves.map((row) => ({ ...row, unchanged: row.draft })))
      }
    })

    test.each(['then', 'now'])('for the verdicts of a version, with lists %s', async (lists) => {
      const { version_id } = (await shop.send('GET', `/v2/watch/management/rules/${rule}`)).body
      const edited = { name: 'a rule', expression: `${counting} && flow.id != ""` }
      await shop.send('PUT', `/v2/watch/management/rules/${rule}`, edited)
      const url = `/v2/watch/versions/${version_id}/verdicts?lists=${lists}`

      const lines = (await shop.send('GET', url)).text.split('\n').filter((line) => line !== '')
      const read = lines.map((line) => JSON.parse(line) as Record<string, Body>)

      expect(read.flatMap(({ verdict }) => (verdict ? [verdict['id']] : []))).toEqual(flagged)
      expect(read.at(-1)?.['result']).toMatchObject({ to_flag: 3, not_evaluated: 0 })
    })
  })

  test('counts what a clock that is ahead has put behind the end of the range', async () => {
    const flow = await shop.flowOf('signal.ext.shop == "x"')
    await evaluate(flow)
    await pass(-2 * minute)
    await evaluate(flow)
    await projectedHead(vigil)

    const { changed, evaluations } = await readBacktest(vigil, shop, {
      body: { expression: 'count(evaluations, by(signal.ext.shop), "10m") == 1' },
      query: `${query}&to=${new Date(now + 1).toISOString()}`,
    })

    expect([changed.length, evaluations]).toEqual([1, 1])
  })

  test('does not count where evidence of the window has been erased by retention', async () => {
    const flow = await shop.flowOf('signal.ext.shop == "x"')
    await shop.send('PUT', '/v2/watch/retention', { evaluations_days: 1 })
    for (const [at, days] of [29, 3, 0].entries()) {
      await evaluate(flow, { target: { phone_number: numberOf(at) } })
      await pass(days * day + minute)
    }
    await expireEvidence(vigil.service.context, new AbortController().signal)
    await projectedHead(vigil)

    const { table, forgotten } = await backtest({
      expression: 'count(evaluations, by(signal.ext.shop), "30d") == 1',
    })

    expect(forgotten).toBe(1)
    // of the second the window begins before the first, whose key nobody can read
    expect(table).toMatchObject([
      { draft: 'FLAG', evaluations: 1 },
      { draft: 'NOT_EVALUATED', evaluations: 1 },
    ])
  })

  test('of imported evaluations counts what occurred before each', async () => {
    const flow = await shop.flowOf('count(evaluations, by(signal.ext.shop), "10m") >= 2')
    const then = now - 20 * day
    const lines = [0, 3, 1, 2].map((at) => ({
      ...{ id: `order ${at}`, flow_id: flow, target: { phone_number: numberOf(at) } },
      occurred_at: new Date(then + at * minute).toISOString(),
      signals: { ext: { shop: 'a' } },
    }))
    const text = lines.map((one) => JSON.stringify(one)).join('\n')
    const type = { 'content-type': 'application/x-ndjson' }
    const { body } = await shop.send('POST', '/v2/watch/evaluations/import', text, type)
    expect(body).toMatchObject({ imported: 4 })
    await pass(minute)

    const { table } = await backtest({
      expression: 'count(evaluations, by(signal.ext.shop), "10m") >= 2',
    })

    expect(table).toMatchObject([
      { draft: 'FLAG', evaluations: 2 },
      { draft: 'PASS', evaluations: 2 },
    ])
  })

  test('does not judge by counters of dispatches, of which nothing is on record', async () => {
    const flow = await shop.flowOf('signal.ext.shop == "x"')
    const dispatch_id = await shop.dispatch({ device_id: 'dev-1' })
    await evaluate(flow, { dispatch_id })
    await pass(minute)

    const { table } = await backtest({
      expression: 'count(dispatches, by(signal.device_id), "10m") > 0',
    })

    expect(table).toMatchObject([{ draft: 'NOT_EVALUATED', evaluations: 1 }])
  })
})
