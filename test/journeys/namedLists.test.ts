/** Lists that authors make, what stands on them, and rules that ask them, through the front door. */

import { beforeEach, describe, expect, test } from 'vitest'
import { openVigilOfFile } from '../support/openOfFile.ts'
import { type Customer, openCustomer, operatorToken, sendAs } from '../support/openVigil.ts'

const base = '/v2/watch/management/lists'
const start = Date.UTC(2026, 10, 21, 9, 30)

const vigil = await openVigilOfFile()
let shop: Customer
beforeEach(async () => {
  vigil.setTime(start)
  shop = await openCustomer(vigil)
})

const send = (method: string, path: string, body?: unknown) =>
  shop.send(method, `${base}${path}`, body)
const add = (list: string, value: string, more: object = {}) =>
  send('POST', `/${list}/entries`, { value, ...more })
const remove = (list: string, value: string) => send('DELETE', `/${list}/entries`, { value })
const valuesOn = async (list: string) =>
  ((await send('GET', `/${list}/entries`)).body['entries'] as { value: string }[]).map(
    ({ value }) => value,
  )
const detailsOf = (body: Record<string, unknown>) =>
  (body['details'] as { path: string; message: string }[]).map(({ path, message }) => [
    path,
    message,
  ])

describe('a text on a list', () => {
  test('has up to 256 characters, however many units they are written in', async () => {
    const { id } = (await send('POST', '', { name: 'words', kind: 'text' })).body
    const longest = '😀'.repeat(256)

    const put = await add(String(id), longest)
    const longer = await add(String(id), `${longest}a`)

    expect([put.status, put.body]).toEqual([201, { value: longest }])
    expect(longer.status).toBe(400)
    expect(await valuesOn(String(id))).toEqual([longest])
  })
})

describe('a list', () => {
  test('is made, read, described otherwise, listed and deleted', async () => {
    const made = await send('POST', '', { name: 'vip', kind: 'email_address', description: 'Us' })
    const { id } = made.body
    await shop.list('offices', 'ip_range')

    const listed = await send('GET', '')
    const changed = await send('PUT', `/${id}`, {})
    const deleted = await send('DELETE', `/${id}`)

    expect([made.status, made.body]).toEqual([
      201,
      { id, name: 'vip', kind: 'email_address', description: 'Us' },
    ])
    expect(listed.body).toMatchObject({ lists: [made.body, { name: 'offices', kind: 'ip_range' }] })
    expect(changed.body).toEqual({ id, name: 'vip', kind: 'email_address' })
    expect(deleted.status).toBe(204)
    expect((await send('GET', `/${id}`)).status).toBe(404)
  })

  test('has a name that rules can spell and no other list has', async () => {
    await shop.list('vip', 'text')

    const again = await send('POST', '', { name: 'vip', kind: 'ip_range' })
    const odd = await send('POST', '', { name: 'very important', kind: 'text' })
    const unknown = await send('POST', '', { name: 'vips', kind: 'country' })

    expect([again.status, again.body['code']]).toEqual([409, 'conflict'])
    expect([odd.status, unknown.status]).toEqual([400, 400])
  })
})

describe('an entry', () => {
  test.each(['com', '.com', 'com.'])(
    'of a list of domains is no top-level domain, as %s, below which are strangers',
    async (domain) => {
      const list = await shop.list('domains', 'email_domain')

      const refused = await add(list, domain)

      expect([refused.status, await valuesOn(list)]).toEqual([400, []])
    },
  )

  test.each([
    ['phone_number', '+33 6 12 34 56 78', '+33612345678', '0612'],
    ['email_address', 'Ann@Example.COM', 'ann@example.com', 'ann'],
    ['email_domain', 'Bücher.example', 'xn--bcher-kva.example', 'a@b.example'],
    ['ip_range', '::ffff:203.0.113.0/120', '203.0.113.0/24', '203.0.113.1/24'],
    ['text', 'Cafe\u0301 1', 'Caf\u00e9 1', 'a\u0000b'],
  ] as const)('of %s is kept in canonical form: %s as %s', async (...given) => {
    const [kind, written, canonical, wrong] = given
    const list = await shop.list('a_list', kind)

    const added = await add(list, written)
    const again = await add(list, canonical)
    const refused = await add(list, wrong)

    expect([added.status, added.body]).toEqual([201, { value: canonical }])
    expect(again.headers['x-vigil-position']).toBe(added.headers['x-vigil-position'])
    expect([refused.status, detailsOf(refused.body)[0]?.[0]]).toEqual([400, 'value'])
    expect(await valuesOn(list)).toEqual([canonical])
  })
})

const target = { phone_number: '+33612345678', email_address: 'ann@example.com' }
const evaluate = async (flow: string, change: object = {}) =>
  (await shop.evaluate(flow, { target, ...change })).body
const outcomeOf = (answer: Record<string, unknown>) =>
  (answer['recipes'] as { rules: { outcome: string }[] }[])[0]?.rules[0]?.outcome
const replay = async (id: unknown) =>
  (await shop.send('POST', `/v2/watch/evaluations/${id}/replay`)).body
const show = async (id: unknown) => (await shop.send('GET', `/v2/watch/evaluations/${id}`)).body

describe('a rule that asks a list', () => {
  test('is answered by every change of it, and a replay by what stood there then', async () => {
    const list = await shop.list('vip', 'email_address')
    const flow = await shop.flowOf('inList("vip", target.email_address)')
    const before = await evaluate(flow)
    const added = await add(list, 'ann@example.com')
    const listed = await evaluate(flow)
    await remove(list, 'ann@example.com')
    const after = await evaluate(flow)

    expect([before, listed, after].map((answer) => answer['verdict'])).toEqual([
      'PASS',
      'FLAG',
      'PASS',
    ])
    for (const { id } of [before, listed, after]) {
      expect(await replay(id)).toEqual({ result: 'MATCH', differences: [] })
    }
    const shown = await show(listed['id'])
    const name = 'inList("vip", target.email_address)'
    const evidence = shown['evidence'] as { name: string; revision?: number }[]
    const answer = evidence.find((item) => item.name === name)
    expect(answer).toMatchObject({ value: true, source: 'list' })
    expect(answer?.revision).toBeGreaterThanOrEqual(Number(added.headers['x-vigil-position']))
    expect(JSON.stringify(shown['explanation'])).toContain(name.replaceAll('"', '\\"'))
  })

  test('is shown with its evidence in one order, tried or recorded', async () => {
    await shop.list('vip', 'email_address')
    const flow = await shop.flowOf('inList("vip", target.email_address) && signal.ext.a == "x"')
    const signals = { ext: { a: 'x', b: 'y' } }
    const namesOf = (body: Record<string, unknown>) =>
      (body['evidence'] as { name: string }[]).map(({ name }) => name)

    const path = `/v2/watch/management/flows/${flow}/test`
    const tried = await shop.send('POST', path, { target, signals })
    const recorded = await show((await evaluate(flow, { signals }))['id'])

    expect(namesOf(tried.body)).toContain('inList("vip", target.email_address)')
    expect(namesOf(tried.body)).toEqual(namesOf(recorded))
  })

  test.each([
    ['phone_number', '+33612345678', 'target.phone_number', 'TRIGGERED'],
    ['email_domain', 'example.com', 'target.email_address', 'TRIGGERED'],
    ['email_domain', 'example.com', 'emailDomain(target.email_address)', 'TRIGGERED'],
    ['email_domain', 'example.org', 'target.email_address', 'NOT_TRIGGERED'],
    ['email_domain', 'example.com', 'signal.ext.host', 'TRIGGERED'],
    ['email_domain', 'b.example.com', 'signal.ext.host', 'TRIGGERED'],
    ['email_domain', 'x.a.b.example.com', 'signal.ext.host', 'NOT_TRIGGERED'],
    ['email_domain', 'example.com', 'signal.ext.lookalike', 'NOT_TRIGGERED'],
    ['email_domain', 'example.com', 'signal.ext.deep', 'TRIGGERED'],
    ['email_domain', `${'a.'.repeat(20)}example.com`, 'signal.ext.deep', 'TRIGGERED'],
    ['text', 'example.com', 'signal.ext.host', 'NOT_TRIGGERED'],
    ['text', 'b-17', 'signal.ext.branch.lowerAscii()', 'TRIGGERED'],
    ['text', 'B-17', 'signal.ext.branch.lowerAscii()', 'NOT_TRIGGERED'],
    ['ip_range', '203.0.113.0/24', 'signal.ext.address', 'TRIGGERED'],
    ['ip_range', '203.0.113.9', 'signal.ext.address', 'TRIGGERED'],
    ['ip_range', '203.0.112.0/24', 'signal.ext.address', 'NOT_TRIGGERED'],
    ['ip_range', '2001:db8::/32', 'signal.ext.other', 'TRIGGERED'],
    ['ip_range', '2001:db9::/32', 'signal.ext.other', 'NOT_TRIGGERED'],
    ['ip_range', '203.0.113.0/24', 'signal.ext.branch', 'NOT_EVALUATED'],
    ['text', 'x', 'signal.ext.missing', 'NOT_EVALUATED'],
    ['email_domain', 'example.com', 'signal.ext.branch', 'NOT_EVALUATED'],
  ] as const)('of %s with %s, for %s, is %s', async (...given) => {
    const [kind, value, of, outcome] = given
    const list = await shop.list('the_list', kind)
    await add(list, value)
    const flow = await shop.flowOf(`inList("the_list", ${of})`)
    const deep = `${'a.'.repeat(20)}example.com`
    const hosts = { host: 'a.b.example.com', lookalike: 'notexample.com', deep }
    const addresses = { address: '::ffff:203.0.113.9', other: '2001:DB8::1' }
    const ext = { branch: 'B-17', ...addresses, ...hosts }

    const answer = await evaluate(flow, { signals: { ext } })

    expect(outcomeOf(answer)).toBe(outcome)
    expect(await replay(answer['id'])).toEqual({ result: 'MATCH', differences: [] })
  })

  test.each([
    ['inList("vpi", signal.ext.a)', "1:8: there is no list 'vpi'; did you mean 'vip'?"],
    ['inList(signal.ext.a, signal.ext.a)', '1:8: the first argument of inList must be'],
    ['inList("vip", "a")', '1:15: the second argument of inList must be a name'],
    ['inList("vip", signal.ip + signal.ip)', '1:'],
    [
      'inList("offices", target.email_address)',
      '1:19: the list holds IP addresses and networks, and',
    ],
    ['inList("offices", signal.device_id)', '1:19: the list holds'],
    ['["a"].exists(x, inList("vip", x))', '1:31: the second argument'],
  ])('%s does not compile', async (expression, message) => {
    await shop.list('vip', 'text')
    await shop.list('offices', 'ip_range')

    const answer = await shop.send('POST', '/v2/watch/management/rules', { name: 'a', expression })

    expect([answer.status, answer.body['code']]).toEqual([400, 'invalid_rule'])
    expect(detailsOf(answer.body)[0]?.[1]).toContain(`ERROR: <input>:${message}`)
  })

  test.each([
    'vip',
    String.raw`v\x69p`,
    String.raw`v\u0069p`,
    String.raw`v\151p`,
    String.raw`\U00000076ip`,
  ])(
    'keeps the list that it names by %s: it is not deleted, and its users are named',
    async (written) => {
      const list = await shop.list('vip', 'text')
      const rule = await shop.rule(`inList("${written}", signal.ext.a)`)

      const refused = await send('DELETE', `/${list}`)
      await shop.send('DELETE', `/v2/watch/management/rules/${rule}`)
      const deleted = await send('DELETE', `/${list}`)

      expect([refused.status, refused.body['code']]).toEqual([409, 'list_in_use'])
      expect(detailsOf(refused.body)).toEqual([['id', rule]])
      expect(deleted.status).toBe(204)
    },
  )

  test('of an earlier version is not brought back, nor pinned, when the list is gone', async () => {
    const list = await shop.list('vip', 'text')
    const rule = await shop.rule('inList("vip", signal.ext.a)')
    const path = `/v2/watch/management/rules/${rule}`
    const version = String((await shop.send('GET', path)).body['version_id'])
    await shop.send('PUT', path, { name: 'a', expression: 'signal.ext.a == "a"' })
    await send('DELETE', `/${list}`)

    const restored = await shop.send('POST', `${path}/versions/${version}/restore`)
    const pinned = await shop.send('POST', '/v2/watch/management/recipes', {
      name: 'a',
      status: 'LIVE',
      threshold: 50,
      rules: [{ rule_id: rule, weight: 1, version_id: version }],
    })

    expect([restored.status, restored.body['code']]).toEqual([400, 'invalid_rule'])
    expect([pinned.status, detailsOf(pinned.body)[0]?.[0]]).toEqual([400, 'rules.0.version_id'])
  })

  test('is tried, alone and in a draft, with the lists as they stand', async () => {
    const list = await shop.list('vip', 'text')
    await add(list, 'a')
    const expression = 'inList("vip", signal.ext.a)'
    const flow = await shop.flowOf('signal.ext.a == "b"')
    const evidence = { target, signals: { ext: { a: 'a' } } }

    const alone = await shop.send('POST', '/v2/watch/management/rules/test', {
      expression,
      evidence,
    })
    const draft = { recipes: [{ threshold: 10, rules: [{ weight: 20, expression }] }] }
    const drafted = await shop.send('POST', `/v2/watch/management/flows/${flow}/test`, {
      ...evidence,
      draft,
    })

    expect(alone.body).toMatchObject({ outcome: 'TRIGGERED', parts: { value: true } })
    expect(drafted.body).toMatchObject({ verdict: 'FLAG' })
  })
})

test('rules of the operator have no lists to ask', async () => {
  await shop.list('vip', 'text')

  const answer = await sendAs(vigil, operatorToken)('POST', '/v2/operator/managed/rules', {
    name: 'a',
    description: 'a',
    expression: 'inList("vip", signal.ext.a)',
  })

  expect(answer.status).toBe(400)
  expect(detailsOf(answer.body)[0]?.[1]).toContain("there is no list 'vip'")
})
