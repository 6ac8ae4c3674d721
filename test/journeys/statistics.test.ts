/** Statistics of verdicts over HTTP, every figure against the events themselves. */

import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { decode } from '../../src/events/catalogue.ts'
import { openCustomer, openVigil, sendAs, type Vigil } from '../support/openVigil.ts'
import { type PlainQuestion, plainStatistics, type RawEvent } from '../support/plainStatistics.ts'
import { projectedHead } from '../support/projectedHead.ts'

const hour = 3_600_000
const day = 24 * hour
const start = Date.parse('2026-11-10T22:30:00Z')

/** The same numbers in every run, from 0 up to the bound. */
function openDraws(seed: number) {
  let state = seed
  return (bound: number): number => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff
    return (state >> 8) % bound
  }
}

type Draw = ReturnType<typeof openDraws>

/** Some of the signals that the rules read. */
function drawSignals(draw: Draw): object {
  const ext = {
    ...(draw(2) === 0 && { total: draw(2) === 0 ? '900' : '1' }),
    ...(draw(2) === 0 && { mark: draw(6) === 0 ? 'bad' : 'good' }),
    ...(draw(3) > 0 && { coupon: draw(3) === 0 ? 'none' : 'VIP' }),
  }
  return { ...(draw(3) > 0 && { existing_user: draw(2) === 0 }), ext }
}

type Body = Record<string, unknown>

/** Sorts the recipes of each flow, whose order nothing promises but the live ones first, and leaves names out. */
function withoutNames(body: Body): Body {
  const flows = body['flows'] as (Body & { recipes: Body[] })[]
  const keyOf = ({ status, recipe_id }: Body) => `${status} ${recipe_id}`
  return {
    ...body,
    flows: flows.map(({ name: _, recipes, ...flow }) => ({
      ...flow,
      recipes: recipes
        .map(({ name: __, ...recipe }) => recipe)
        .toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1)),
    })),
  }
}

async function readEvents({ service }: Vigil): Promise<readonly RawEvent[]> {
  const events: RawEvent[] = []
  for (let after = 0; ; ) {
    const page = await service.context.events.readAll({ after, limit: 500 })
    for (const recorded of page) {
      const { event, metadata } = decode(recorded)
      events.push({ type: event.type, data: event.data, metadata })
    }
    const last = page.at(-1)
    if (!last) return events
    after = last.position
  }
}

test('every figure is what plain counting of the events gives, also after an erasure and a rebuild', async () => {
  let vigil = await openVigil()
  vigil.setTime(start)
  const shop = await openCustomer(vigil)
  const neighbour = await openCustomer(vigil)
  const draw = openDraws(7)
  const rules = {
    total: await shop.rule('double(signal.ext.total) > 500.0'),
    known: await shop.rule('signal.existing_user == true'),
    blocked: await shop.rule('signal.ext.mark == "bad"'),
    coupon: await shop.rule('signal.ext.coupon == "VIP"'),
    always: await shop.rule('1 == 1'),
  }
  const strict = [
    { rule_id: rules.always, weight: 10 },
    { rule_id: rules.known, weight: -30 },
    { rule_id: rules.total, weight: 45 },
    { rule_id: rules.blocked, weight: 20, preempts: 'FLAG' },
    { rule_id: rules.coupon, weight: 30 },
  ]
  const first = await shop.recipe(strict)
  const second = await shop.recipe([
    { rule_id: rules.coupon, weight: 60, preempts: 'PASS' },
    { rule_id: rules.total, weight: 60 },
  ])
  const trial = await shop.recipe(
    [
      { rule_id: rules.always, weight: 35 },
      { rule_id: rules.total, weight: 25 },
    ],
    { status: 'SHADOW', threshold: 30 },
  )
  const flows = [await shop.flow([first, second, trial]), await shop.flow([second])]
  const other = await neighbour.flowOf('1 == 1')

  const evaluateUntil = async (end: number, step: number): Promise<void> => {
    for (let time = start; time < end; time += 1 + draw(step)) {
      if (time < now) continue
      vigil.setTime(time)
      now = time
      const signals = drawSignals(draw)
      const target = { phone_number: `+3361234567${draw(3)}` }
      const { status } = await shop.evaluate(flows[draw(4) ? 0 : 1] as string, { target, signals })
      expect(status).toBe(200)
    }
  }
  let now = start
  await evaluateUntil(start + 5 * day, 8 * hour)
  // another threshold, and what was tried goes live
  const put = (id: string, change: object) =>
    shop.send('PUT', `/v2/watch/management/recipes/${id}`, change)
  expect(
    (await put(first, { name: 'Strict', status: 'LIVE', threshold: 20, rules: strict })).status,
  ).toBe(200)
  const tried = [
    { rule_id: rules.always, weight: 35 },
    { rule_id: rules.total, weight: 25 },
  ]
  expect(
    (await put(trial, { name: 'Trial', status: 'LIVE', threshold: 40, rules: tried })).status,
  ).toBe(200)
  await evaluateUntil(start + 11 * day, 8 * hour)
  await neighbour.evaluate(other)
  now += 17 * 60_000
  vigil.setTime(now)

  const questions: readonly Omit<PlainQuestion, 'account' | 'now'>[] = [
    { from: start + 4 * day, to: now + 1, by: 'day' },
    { from: now - 30 * hour, to: now + 1, by: 'hour' },
    { from: start, to: start + 8 * day, by: 'day' },
    { from: start + 2 * day + hour, to: start + 9 * day - 3 * hour, by: 'hour' },
    { from: now - 1, to: now + 5 * day, by: 'hour' },
  ]
  const ask = async (question: (typeof questions)[number], more = '') => {
    const [from, to] = [question.from, question.to].map((time) => new Date(time).toISOString())
    const path = `/v2/watch/statistics?from=${from}&to=${to}&by=${question.by}${more}`
    return sendAs(vigil, shop.token)('GET', path)
  }
  const checkAll = async (): Promise<void> => {
    await projectedHead(vigil)
    const events = await readEvents(vigil)
    for (const question of questions) {
      const expected = plainStatistics(events, { ...question, account: shop.accountId, now })
      expect(withoutNames((await ask(question)).body)).toEqual(expected)
      for (const flow_id of flows) {
        const { body } = await ask(question, `&flow_id=${flow_id}`)
        const of = { ...question, account: shop.accountId, now, flowId: flow_id }
        expect(withoutNames(body)).toEqual(plainStatistics(events, of))
      }
    }
  }

  await checkAll()
  const erased = await shop.send('POST', '/v2/watch/subjects/erase', {
    phone_number: '+33612345671',
  })
  expect(erased.status).toBe(200)
  await checkAll()
  // a log in memory ends with the service, and nothing can be built from it again
  if (process.env['TEST_LOG'] === 'memory') return vigil.close()
  await vigil.stop()
  for (const end of ['', '-wal', '-shm'])
    rmSync(join(vigil.folder, `views.db${end}`), { force: true })
  vigil = await openVigil({ folder: vigil.folder })
  vigil.setTime(now)
  await checkAll()
  await vigil.close()
})

test('a question that cannot be answered says what to ask instead', async () => {
  const vigil = await openVigil()
  vigil.setTime(start)
  const shop = await openCustomer(vigil)
  const flow = await shop.flowOf('1 == 1')
  const ask = (query: string) => shop.send('GET', `/v2/watch/statistics?${query}`)
  const refusal = async (query: string) => {
    const { status, body } = await ask(query)
    expect(status).toBe(400)
    return body['details']
  }

  expect(await refusal(`flow_id=${flow.slice(0, -4)}0000`)).toEqual([
    { path: 'flow_id', message: 'There is no flow with this id.' },
  ])
  expect(await refusal('by=hour&from=2026-01-01T00:00:00Z')).toEqual([
    {
      path: 'from',
      message: 'Must be at most 1000 hours before to; ask for a shorter range, or by day.',
    },
  ])
  expect(await refusal('by=day&from=2020-01-01T00:00:00Z')).toEqual([
    { path: 'from', message: 'Must be at most 1000 days before to; ask for a shorter range.' },
  ])
  expect(await refusal('from=2026-11-12T00:00:00Z')).toEqual([
    { path: 'from', message: 'Must be before to, and not in the future.' },
  ])
  expect(await refusal('by=week')).toEqual([{ path: 'by', message: 'Must be one of: hour, day.' }])
  expect((await ask(`flow_id=${flow}`)).body).toMatchObject({
    to: '2026-11-11T00:00:00.000Z',
    flows: [
      { flow_id: flow, name: 'a flow', figures: { evaluations: 0, share: null }, recipes: [] },
    ],
  })
  const author = sendAs(vigil, await shop.tokenWith(['author']))
  expect((await author('GET', '/v2/watch/statistics')).status).toBe(403)
  await vigil.close()
})

test('days of a time zone are those of its calendar, also where a clock is changed', async () => {
  const vigil = await openVigil()
  // summer time of Europe ends on 25 October at 01:00 UTC, of Egypt on 29 October at 21:00, of America on 1 November
  const changed = Date.parse('2026-10-25T00:00:00Z')
  vigil.setTime(changed - 12 * day)
  const shop = await openCustomer(vigil)
  const rule = await shop.rule('double(signal.ext.total) > 500.0')
  const flow = await shop.flow([await shop.recipe([{ rule_id: rule, weight: 60 }])])
  const draw = openDraws(11)
  let now = changed - 12 * day
  while (now < changed + 9 * day) {
    vigil.setTime(now)
    await shop.evaluate(flow, { signals: drawSignals(draw) })
    // every hour around the changes has some
    const isNear = Math.abs(now - changed) < 40 * hour
    now += 1 + draw(isNear ? hour : 9 * hour)
  }
  vigil.setTime(now)
  await projectedHead(vigil)
  const events = await readEvents(vigil)
  const iso = (time: number) => new Date(time).toISOString()

  const zones = ['Europe/Paris', 'Africa/Cairo', 'America/New_York', 'Pacific/Auckland']
  for (const zone of [...zones, 'Asia/Kolkata', 'America/St_Johns']) {
    const source = zones.includes(zone) ? {} : ({ source: 'scan' } as const)
    for (const [from, to, by] of [
      [changed - 30 * hour, changed + 30 * hour, 'day'],
      [changed - 5 * hour, changed + 5 * hour, 'hour'],
      [changed - 2 * day, now + 1, 'day'],
      [changed + 3 * day, changed + 8 * day, 'day'],
    ] as const) {
      const path = `/v2/watch/statistics?from=${iso(from)}&to=${iso(to)}&by=${by}&zone=${zone}`
      const { body } = await shop.send('GET', path)
      const expected = plainStatistics(events, {
        ...{ account: shop.accountId, from, to, by, zone, now, ...source },
      })
      expect(withoutNames(body), `${zone} ${by}`).toEqual(expected)
    }
  }
  // a day of 25 hours, whose second hour from two to three is another
  const hours = await shop.send(
    'GET',
    `/v2/watch/statistics?from=2026-10-25T00:00:00Z&to=2026-10-25T02:00:00Z&by=hour&zone=Europe/Paris`,
  )
  const [first] = hours.body['flows'] as [{ buckets: { from: string; local: string }[] }]
  expect(first.buckets.map(({ from, local }) => [from, local])).toEqual([
    ['2026-10-25T00:00:00.000Z', '2026-10-25T02:00+02:00'],
    ['2026-10-25T01:00:00.000Z', '2026-10-25T02:00+01:00'],
  ])
  await vigil.close()
})

test('hours that are not kept any more are counted by a scan, as long as days are not asked for', async () => {
  const vigil = await openVigil()
  const old = Date.parse('2025-10-05T10:20:00Z')
  vigil.setTime(old)
  const shop = await openCustomer(vigil)
  const flow = await shop.flowOf('1 == 1')
  await shop.evaluate(flow)
  vigil.setTime(start)
  await projectedHead(vigil)
  const ask = async (query: string) => {
    const range = 'from=2025-10-05T10:00:00Z&to=2025-10-05T12:00:00Z'
    const { body } = await shop.send('GET', `/v2/watch/statistics?${range}&${query}`)
    return body
  }
  const events = await readEvents(vigil)
  const question = { account: shop.accountId, from: old, to: old + hour, now: start } as const

  expect(withoutNames(await ask('by=hour'))).toEqual(
    plainStatistics(events, { ...question, by: 'hour', source: 'scan' }),
  )
  expect(withoutNames(await ask('by=day&zone=Europe/Paris'))).toEqual(
    plainStatistics(events, { ...question, by: 'day', zone: 'Europe/Paris', source: 'scan' }),
  )
  expect(withoutNames(await ask('by=day'))).toEqual(
    plainStatistics(events, { ...question, by: 'day' }),
  )
  const { text } = await shop.send(
    'GET',
    '/v2/watch/statistics?from=2025-10-05T10:00:00Z&to=2025-10-05T11:00:00Z&by=hour&format=csv&zone=%2B05:30',
  )
  expect(text.split('\r\n')[1]).toMatch(
    /,2025-10-05T09:30:00.000Z,2025-10-05T15:00\+05:30,false,1,1,1,0,/,
  )
  await vigil.close()
})

test.each(['Europe/Atlantis', '5', '%2B25:00', ''])('%s is no zone', async (zone) => {
  const vigil = await openVigil()
  const shop = await openCustomer(vigil)

  const { status, body } = await shop.send('GET', `/v2/watch/statistics?zone=${zone}`)

  expect(status).toBe(400)
  expect(body['details']).toEqual([
    { path: 'zone', message: expect.stringContaining('Must be a time zone') },
  ])
  // a + that was not written %2B
  const { body: fixed } = await shop.send('GET', '/v2/watch/statistics?zone=+01:00')
  expect(fixed['zone']).toBe('+01:00')
  await vigil.close()
})
