/** Evaluations of the past, imported line by line: judged by the clock of then, on record once. */

import { beforeEach, describe, expect, test, vi } from 'vitest'
import { expireEvidence } from '../../src/commands/audit/retention.ts'
import { openVigilOfFile } from '../support/openOfFile.ts'
import { type Customer, openCustomer, operatorToken, sendAs } from '../support/openVigil.ts'
import { projectedHead } from '../support/projectedHead.ts'

const vigil = await openVigilOfFile()
const path = '/v2/watch/evaluations/import'
const now = Date.UTC(2026, 10, 21, 12)
const day = 24 * 60 * 60 * 1_000
const then = '2025-03-01T10:00:00.000Z'

type Body = Record<string, unknown>

let shop: Customer
let flow: string
beforeEach(async () => {
  vigil.setTime(now)
  shop = await openCustomer(vigil)
  flow = await shop.flowOf(
    'signal.ip == "9.9.9.9"',
    'request.time < timestamp("2025-06-01T00:00:00Z")',
  )
})

const phone = (index: number) => `+336123456${String(index).padStart(2, '0')}`
const line = (index: number, change: object = {}) => ({
  id: `order ${index}`,
  flow_id: flow,
  occurred_at: then,
  target: { phone_number: phone(index) },
  ...change,
})
const bring = (lines: readonly unknown[], { query = '', token = shop.token } = {}) => {
  const text = lines.map((one) => (typeof one === 'string' ? one : JSON.stringify(one))).join('\n')
  const type = { 'content-type': 'application/x-ndjson' }
  return sendAs(vigil, token)('POST', `${path}${query}`, text, type)
}
const list = async (query = '') => {
  const position = await projectedHead(vigil)
  const asked = `/v2/watch/evaluations?min_position=${position}&order=oldest${query}`
  return (await shop.send('GET', asked)).body['evaluations'] as readonly Body[]
}
const ofPerson = (index: number) => list(`&phone_number=${encodeURIComponent(phone(index))}`)
const show = async (id: unknown) => (await shop.send('GET', `/v2/watch/evaluations/${id}`)).body
const replay = async (id: unknown) =>
  (await shop.send('POST', `/v2/watch/evaluations/${id}/replay`)).body

describe('an imported evaluation', () => {
  test('is judged by the clock of then, with its device signals, and replays to the same bytes', async () => {
    const signals = { ip: '9.9.9.9', ext: { shop_country: 'FR' } }
    const { status, body } = await bring([line(1, { signals })])
    const [listed] = await ofPerson(1)

    expect([status, body]).toEqual([
      200,
      { imported: 1, repeated: 0, failed: 0, errors: [], position: expect.any(String) },
    ])
    expect(listed).toMatchObject({ evaluated_at: then, imported: true, verdict: 'FLAG' })
    expect(listed?.['recipes']).toMatchObject([{ score: 100, partial_evidence: false }])
    const shown = await show(listed?.['id'])
    expect(shown).toMatchObject({ evaluated_at: then, imported: true, not_counted: [] })
    const evidence = shown['evidence'] as readonly Body[]
    expect(evidence).toContainEqual(
      expect.objectContaining({ name: 'signal.ip', value: '9.9.9.9' }),
    )
    expect(evidence).toContainEqual(expect.objectContaining({ name: 'request.time' }))
    expect(await replay(listed?.['id'])).toEqual({ result: 'MATCH', differences: [] })
  })

  test('is of the time at which an entry of a list had not ended, however long ago it has', async () => {
    vigil.setTime(Date.UTC(2025, 0, 1))
    await shop.list('vip', 'phone_number')
    const lists = (await shop.send('GET', '/v2/watch/management/lists')).body['lists'] as Body[]
    const entries = `/v2/watch/management/lists/${lists[0]?.['id']}/entries`
    await shop.send('POST', entries, { value: phone(1), expires_at: '2025-03-01T10:00:01Z' })
    const listFlow = await shop.flowOf('inList("vip", target.phone_number)')
    vigil.setTime(now)
    await vigil.service.context.cachedLists.size({
      account: shop.accountId,
      list: String(lists[0]?.['id']),
    })

    await bring([
      line(1, { id: 'before', flow_id: listFlow }),
      line(1, { id: 'after', flow_id: listFlow, occurred_at: '2025-03-01T10:00:01Z' }),
    ])

    const found = await ofPerson(1)
    expect(found.map(({ verdict }) => verdict)).toEqual(['FLAG', 'PASS'])
    expect(await replay(found[0]?.['id'])).toMatchObject({ result: 'MATCH' })
  })

  test('looks for the networks of an address once, however many lines are in them', async () => {
    await shop.list('vpn', 'ip_range')
    const lists = (await shop.send('GET', '/v2/watch/management/lists')).body['lists'] as Body[]
    const entries = `/v2/watch/management/lists/${lists[0]?.['id']}/entries`
    await shop.send('POST', entries, { value: '9.9.4.0/22' })
    const listFlow = await shop.flowOf('inList("vpn", signal.ip)')
    const { events } = vigil.service.context
    const reads = vi.spyOn(events, 'readNewEvents')

    await bring(
      [4, 5, 6, 7, 8].map((third, index) =>
        line(1, { id: `${third}`, flow_id: listFlow, signals: { ip: `9.9.${third}.${index}` } }),
      ),
    )

    // a network of each size up to /20 and two up to /24 are shared, and each line has its own behind them
    const looked = reads.mock.calls.filter(([stream]) => stream.startsWith('list_entry'))
    expect(looked.length).toBeGreaterThan(32)
    expect(looked.length).toBeLessThanOrEqual(5 * 32 - 4 * 20)
    const verdicts = (await list()).map(({ verdict }) => verdict)
    expect(verdicts.toSorted()).toEqual(['FLAG', 'FLAG', 'FLAG', 'FLAG', 'PASS'])
    reads.mockRestore()
  })

  test('stands in searches and comparisons where it happened', async () => {
    const live = await shop.evaluate(flow, { target: { phone_number: phone(1) } })
    await bring([line(1), line(1, { id: 'later', occurred_at: '2025-04-01T00:00:00Z' })])

    const all = await ofPerson(1)
    const march = await list('&from=2025-03-01T00:00:00Z&to=2025-04-01T00:00:00Z')

    expect(all.map((one) => one['evaluated_at'])).toEqual([
      then,
      '2025-04-01T00:00:00.000Z',
      new Date(now).toISOString(),
    ])
    expect(all.map((one) => one['imported'])).toEqual([true, true, undefined])
    expect(all[2]?.['id']).toBe(live.body['id'])
    expect(march.map(({ id }) => id)).toEqual([all[0]?.['id']])
    const recipes = (await shop.send('GET', '/v2/watch/management/recipes')).body['recipes']
    const [own] = recipes as readonly Body[]
    const other = await shop.recipe([{ rule_id: await shop.rule('1 == 1'), weight: 60 }])
    const range = 'from=2025-03-01T00:00:00Z&to=2025-04-15T00:00:00Z'
    const asked = `/v2/watch/management/recipes/${own?.['id']}/comparison?with=${other}&${range}`
    expect((await shop.send('GET', asked)).body).toMatchObject({ scanned: 2 })
    const where = new URLSearchParams({ where: 'imported = true', from: then, columns: 'imported' })
    const exported = await shop.send('GET', `/v2/watch/evaluations/export?${where}`)
    expect(exported.text.match(/evl_\w+/g)?.toSorted()).toEqual(
      [all[0]?.['id'], all[1]?.['id']].toSorted(),
    )
  })

  test('is in the history, and in a replay of a range, when it was recorded', async () => {
    await shop.evaluate(flow)
    vigil.setTime(now + day)
    await bring([line(1)])
    vigil.setTime(now + 2 * day)
    await shop.evaluate(flow)
    await projectedHead(vigil)
    const types = async (from: number, to: number) => {
      const range = `from=${new Date(from).toISOString()}&to=${new Date(to).toISOString()}`
      const { body } = await shop.send('GET', `/v2/watch/audit/events?type=FlowEvaluated&${range}`)
      return (body['events'] as readonly Body[]).length
    }

    const started = await shop.send('POST', '/v2/watch/audit/replays', {
      from: new Date(now + day).toISOString(),
      to: new Date(now + day + 1).toISOString(),
    })
    await vigil.service.context.background.settled()
    const ended = await shop.send('GET', `/v2/watch/audit/replays/${started.body['id']}`)

    expect([
      await types(now, now + 1),
      await types(now + day, now + day + 1),
      await types(now, now + 3 * day),
      await types(Date.parse(then), now),
    ]).toEqual([1, 1, 3, 0])
    expect(ended.body).toMatchObject({ match: 1, mismatch: 0 })
  })

  test('carries its labels, and what was reported of its person after it', async () => {
    const target = { type: 'phone_number', value: phone(1) }
    const event = { target, label: 'account.banned', confidence: 'high' }
    vigil.setTime(now - 30 * day)
    await shop.send('POST', '/v2/watch/event', { events: [event] })
    await shop.send('POST', '/v2/watch/event', {
      events: [{ ...event, label: 'account.opened', occurred_at: '2025-02-01T00:00:00Z' }],
    })
    vigil.setTime(now)
    const label = { label: 'payment.chargeback', confidence: 'maximum' }
    const labels = [{ ...label, occurred_at: '2025-03-20T00:00:00Z' }]

    await bring([line(1, { labels }), line(2, { labels: [label] }), line(3)])

    const [first] = await ofPerson(1)
    expect(first?.['followed_by']).toMatchObject([
      { name: 'payment.chargeback', occurred_at: '2025-03-20T00:00:00.000Z' },
      { name: 'account.banned' },
    ])
    const classes = [await ofPerson(2), await ofPerson(3)].flat()
    expect(classes.map((one) => one['label_class'])).toEqual(['fraud', undefined])
  })

  test('is counted by no metric', async () => {
    const counted = async () => {
      const { text } = await sendAs(vigil, operatorToken)('GET', '/metrics')
      return text
        .split('\n')
        .filter((one) => /^vigil_(evaluations|reported_events)_total/.test(one))
    }
    const before = await counted()
    const label = { label: 'a', confidence: 'low' }
    await bring([line(1, { labels: [label] })])
    const imported = await counted()
    await shop.evaluate(flow)
    const evaluated = await counted()
    const target = { type: 'phone_number', value: phone(1) }
    await shop.send('POST', '/v2/watch/event', { events: [{ target, ...label }] })

    expect(imported).toEqual(before)
    expect(evaluated).not.toEqual(imported)
    expect(await counted()).not.toEqual(evaluated)
  })

  test('is forgotten with its person, and not brought back by the same import', async () => {
    await bring([line(1), line(2)])
    await projectedHead(vigil)
    const erased = await shop.send('POST', '/v2/watch/subjects/erase', {
      phone_number: phone(1),
    })
    const again = await bring([line(1), line(2)])

    expect(erased.status, erased.text).toBe(200)
    expect(again.body).toMatchObject({ imported: 0, repeated: 2 })
    const [gone] = await ofPerson(1)
    expect(gone).toMatchObject({ forgotten: true })
    expect(await show(gone?.['id'])).toMatchObject({
      evidence: { forgotten: true },
      verdict: 'FLAG',
    })
    const [kept] = await ofPerson(2)
    expect(await replay(kept?.['id'])).toMatchObject({ result: 'MATCH' })
  })

  test('is kept as long as one that was recorded with it', async () => {
    const live = await shop.evaluate(flow, { target: { phone_number: phone(1) } })
    await bring([line(1), line(2)])
    const ids = [live.body['id'], (await ofPerson(1))[0]?.['id'], (await ofPerson(2))[0]?.['id']]
    await shop.send('PUT', '/v2/watch/retention', { evaluations_days: 50 })
    const forgotten = async (at: number) => {
      vigil.setTime(now + at * day)
      await expireEvidence(vigil.service.context, new AbortController().signal)
      const codes = await Promise.all(ids.map(async (id) => (await replay(id))['code']))
      return codes.map((code) => code === 'evidence_forgotten')
    }

    expect(await forgotten(79)).toEqual([false, false, false])
    expect(await forgotten(81)).toEqual([true, true, true])
  })
})

describe('an import', () => {
  test('sent again, after lines that were stored already, records each id once', async () => {
    const lines = [1, 2, 3, 4].map((index) =>
      line(index, { labels: [{ label: 'payment.chargeback', confidence: 'high' }] }),
    )
    // what an import that was cut off had stored
    await bring(lines.slice(0, 2))

    const again = await bring([...lines, ...lines.slice(2)])
    const once = await list(`&flow_id=${flow}`)
    const reports = await shop.send('GET', '/v2/watch/event?label=payment.chargeback')

    expect(again.body).toMatchObject({ imported: 2, repeated: 4, failed: 0 })
    expect(once).toHaveLength(4)
    expect(reports.body['events']).toHaveLength(4)
  })

  test('sent again with another label adds it, as after a kill before the label was stored', async () => {
    const label = { label: 'payment.chargeback', confidence: 'high' }
    await bring([line(1)])
    const [before] = await ofPerson(1)

    const again = await bring([line(1, { labels: [label] }), line(1, { labels: [label, label] })])

    const [after] = await ofPerson(1)
    expect(again.body).toMatchObject({ imported: 0, repeated: 2 })
    expect(after?.['id']).toBe(before?.['id'])
    expect([before?.['label_class'], after?.['label_class']]).toEqual([undefined, 'fraud'])
    const reports = await shop.send('GET', '/v2/watch/event?label=payment.chargeback')
    expect(reports.body['events']).toHaveLength(1)
  })

  test('names the lines that it cannot read, and goes on with the others', async () => {
    const chargeback = { label: 'payment.chargeback', confidence: 'high' }
    const { body } = await bring([
      line(1),
      'no json',
      '',
      line(2, { occurred_at: '2026-11-21T12:00:00.001Z' }),
      line(3, { occurred_at: 'yesterday' }),
      line(4, { target: { phone_number: '06' } }),
      line(5, { flow_id: 'flo_unknown' }),
      line(6, { id: undefined }),
      line(7, { labels: [{ ...chargeback, occurred_at: '2027-01-01T00:00:00Z' }] }),
      'x'.repeat(64 * 1024 + 1),
      '['.repeat(60_000),
      line(1, { target: { phone_number: phone(9) } }),
      line(8),
    ])

    expect(body).toMatchObject({ imported: 2, repeated: 0, failed: 10 })
    const errors = body['errors'] as readonly { line: number; id?: string; details: Body[] }[]
    expect(errors.map(({ line, id, details }) => [line, id, details[0]?.['path']])).toEqual([
      [2, undefined, ''],
      [4, 'order 2', 'occurred_at'],
      [5, 'order 3', 'occurred_at'],
      [6, 'order 4', 'target.phone_number'],
      [7, 'order 5', 'flow_id'],
      [8, undefined, 'id'],
      [9, 'order 7', 'labels.0.occurred_at'],
      [10, undefined, ''],
      [11, undefined, ''],
      [12, 'order 1', 'id'],
    ])
    expect((await list(`&flow_id=${flow}`)).length).toBe(2)
  })

  test('names a hundred of its bad lines, and takes a thousand lines', async () => {
    const bad = await bring(Array.from({ length: 1_000 }, () => '{}'))
    const long = await bring([line(1), ...Array.from({ length: 1_000 }, () => '{}')])

    expect(bad.body).toMatchObject({ failed: 1_000 })
    expect(bad.body['errors']).toHaveLength(100)
    expect(long.status).toBe(400)
    expect(long.body['details']).toMatchObject([{ path: 'body' }])
  })

  test('only checks in a dry run', async () => {
    await bring([line(1)])

    const { body } = await bring([line(1), line(2), line(3, { flow_id: 'flo_none' })], {
      query: '?dry_run=true',
    })

    expect(body).toMatchObject({ imported: 1, repeated: 1, failed: 1 })
    expect(await list(`&flow_id=${flow}`)).toHaveLength(1)
  })

  test('of another account with the same ids is of others', async () => {
    const neighbour = await openCustomer(vigil)
    await bring([line(1)])
    const own = await neighbour.flowOf('1 == 1')

    const foreign = await bring([line(1)], { token: neighbour.token })
    const { body } = await bring([line(1, { flow_id: own })], { token: neighbour.token })

    expect(foreign.body).toMatchObject({ failed: 1, errors: [{ details: [{ path: 'flow_id' }] }] })
    expect(body).toMatchObject({ imported: 1, repeated: 0 })
    expect(await list(`&flow_id=${flow}`)).toHaveLength(1)
  })

  test('is for authors, where authoring is enabled', async () => {
    const evaluator = await shop.tokenWith(['eval', 'feedback', 'analyse'])
    expect((await bring([line(1)], { token: evaluator })).status).toBe(403)
  })
})
