import { describe, expect, test } from 'vitest'
import { openShopOfFile } from '../support/openOfFile.ts'
import { openCustomer } from '../support/openVigil.ts'

const { vigil, shop } = await openShopOfFile()

type Result = Record<string, unknown>

function recipesOf(body: Result): readonly Result[] {
  return body['recipes'] as readonly Result[]
}

function rulesOf(body: Result): readonly Result[] {
  return (recipesOf(body)[0]?.['rules'] ?? []) as readonly Result[]
}

describe('the answer', () => {
  test('has the fields of the contract, in its order', async () => {
    const flow = await shop.flowOf('phoneCountry(target.phone_number) == "FR"')

    const { status, text, body } = await shop.evaluate(flow)

    expect(status).toBe(200)
    expect(Object.keys(body)).toEqual(['id', 'verdict', 'recipes'])
    expect(Object.keys(recipesOf(body)[0] ?? {})).toEqual([
      'recipe_id',
      'threshold',
      'score',
      'verdict',
      'partial_evidence',
      'rules',
    ])
    expect(Object.keys(rulesOf(body)[0] ?? {})).toEqual([
      'rule_id',
      'type',
      'name',
      'version_id',
      'weight',
      'outcome',
    ])
    expect(body['verdict']).toBe('FLAG')
    expect(text).toBe(JSON.stringify(body))
  })

  test('names what a rule waits for', async () => {
    const flow = await shop.flowOf('signal.ip == "192.0.2.1"', 'signal.ext.cart == "1"')

    const { body } = await shop.evaluate(flow, { signals: { ip: '192.0.2.1', ext: { cart: '' } } })

    expect(recipesOf(body)[0]).toMatchObject({ verdict: 'PASS', partial_evidence: true, score: 0 })
    expect(rulesOf(body).map((rule) => [rule['outcome'], rule['blocked_by']])).toEqual([
      ['NOT_EVALUATED', 'signal.ip'],
      ['NOT_EVALUATED', 'signal.ext.cart'],
    ])
  })

  test('lets an unknown dispatch provide nothing, and the record says so', async () => {
    const flow = await shop.flowOf('signal.ip == "192.0.2.9"', 'signal.device_id == "x"')

    const { body } = await shop.evaluate(flow, {
      dispatch_id: '00000000-0000-4000-8000-000000000000',
      signals: { ip: '192.0.2.9' },
    })

    expect(rulesOf(body).map((rule) => rule['outcome'])).toEqual(['TRIGGERED', 'NOT_EVALUATED'])
    const record = await shop.send('GET', `/v2/watch/evaluations/${body['id']}`)
    expect(record.body['dispatch']).toBe('unknown')
  })

  test('leaves shadow recipes out and the record has them', async () => {
    const rule = await shop.rule('1 == 1')
    const live = await shop.recipe([{ rule_id: rule, weight: 10 }])
    const shadow = await shop.recipe([{ rule_id: rule, weight: 90 }], { status: 'SHADOW' })
    const draft = await shop.recipe([{ rule_id: rule, weight: 90 }], { status: 'DRAFT' })

    const { body } = await shop.evaluate(await shop.flow([live, shadow, draft]))

    expect(body['verdict']).toBe('PASS')
    expect(recipesOf(body).map((recipe) => recipe['recipe_id'])).toEqual([live])
    const record = await shop.send('GET', `/v2/watch/evaluations/${body['id']}`)
    expect(record.body['shadow_recipes']).toMatchObject([{ recipe_id: shadow, verdict: 'FLAG' }])
  })

  test('says which rule decided in place of the score', async () => {
    const yes = await shop.rule('1 == 1')
    const other = await shop.rule('2 == 2')
    const flow = await shop.flow([
      await shop.recipe([
        { rule_id: yes, weight: 100, preempts: 'PASS' },
        { rule_id: other, weight: 100 },
      ]),
    ])

    const { body } = await shop.evaluate(flow)

    expect(recipesOf(body)[0]).toMatchObject({
      verdict: 'PASS',
      score: 100,
      determined_by: yes,
      partial_evidence: false,
    })
    expect(rulesOf(body)[1]).toMatchObject({ outcome: 'SKIPPED', weight: 100 })
  })

  test('uses the version a recipe pins, else the current one', async () => {
    const rule = await shop.rule('1 == 2')
    const before = await shop.send('GET', `/v2/watch/management/rules/${rule}`)
    const pinned = await shop.recipe([
      { rule_id: rule, weight: 60, version_id: before.body['version_id'] },
    ])
    const current = await shop.recipe([{ rule_id: rule, weight: 60 }])
    const flow = await shop.flow([pinned, current])
    await shop.send('PUT', `/v2/watch/management/rules/${rule}`, {
      name: 'changed',
      expression: '1 == 1',
    })

    const { body } = await shop.evaluate(flow)

    expect(recipesOf(body).map((recipe) => recipe['verdict'])).toEqual(['PASS', 'FLAG'])
  })

  test('is the same for the form that released client libraries send', async () => {
    const flow = await shop.flowOf(
      'target.phone_number == "+33612345678" && signal.ext.plan == "gold"',
    )

    const { body } = await shop.evaluate(flow, {
      target: { type: 'phone_number', value: '+33 6 12 34 56 78' },
      attributes: { plan: 'gold' },
    })

    expect(rulesOf(body)[0]?.['outcome']).toBe('TRIGGERED')
  })
})

describe('a request that is not valid', () => {
  test('names an unknown flow, a deleted one and another account’s alike', async () => {
    const other = await openCustomer(vigil)
    const foreign = await other.flowOf('1 == 1')
    const gone = await shop.flowOf('1 == 1')
    await shop.send('DELETE', `/v2/watch/management/flows/${gone}`)

    const answers = await Promise.all(
      [foreign, gone, 'flo_01jc0t6fwwfgfsq1md24mhyztj'].map((flow) => shop.evaluate(flow)),
    )

    for (const { status, body } of answers) {
      expect(status).toBe(400)
      expect({ ...body, request_id: '' }).toEqual({
        code: 'invalid_request',
        message: expect.any(String),
        type: 'bad_request',
        request_id: '',
        param: 'request',
        details: [{ path: 'flow_id', message: expect.any(String) }],
      })
    }
  })
})

describe('an idempotency key', () => {
  const key = (value: string) => ({ 'idempotency-key': value })

  test('gives the same id and the same bytes again, also after the rules have changed', async () => {
    const rule = await shop.rule('1 == 1')
    const flow = await shop.flow([await shop.recipe([{ rule_id: rule, weight: 60 }])])
    const first = await shop.evaluate(flow, {}, key('order-1'))
    await shop.send('PUT', `/v2/watch/management/rules/${rule}`, {
      name: 'never',
      expression: '1 == 2',
    })

    const again = await shop.evaluate(flow, {}, key('order-1'))

    expect(again.text).toBe(first.text)
    expect((await shop.evaluate(flow, {}, key('order-2'))).body['verdict']).toBe('PASS')
  })

  test('takes a number and its text for the same request, since both are recorded as the text', async () => {
    const flow = await shop.flowOf('double(signal.ext.cart) > 900.0')
    const sent = (cart: string | number) =>
      shop.evaluate(flow, { signals: { ext: { cart } } }, key('order-6'))

    const [number, text, another] = [await sent(900.5), await sent('900.5'), await sent('900.50')]

    expect(number.body['verdict']).toBe('FLAG')
    expect(text.text).toBe(number.text)
    expect([another.status, another.body['code']]).toEqual([422, 'idempotency_key_reused'])
    const path = `/v2/watch/evaluations/${number.body['id']}`
    const { body: record } = await shop.send('GET', path)
    expect(record['evidence']).toContainEqual(
      expect.objectContaining({ name: 'signal.ext.cart', value: '900.5' }),
    )
    expect((await shop.send('POST', `${path}/replay`)).body['result']).toBe('MATCH')
  })

  test('gives one evaluation to any number of requests at once', async () => {
    const flow = await shop.flowOf('1 == 1')

    const answers = await Promise.all(
      Array.from({ length: 10 }, () => shop.evaluate(flow, {}, key('order-4'))),
    )

    expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
  })

  test('of another account is another key', async () => {
    const other = await openCustomer(vigil)
    const mine = await shop.evaluate(await shop.flowOf('1 == 1'), {}, key('order-5'))

    const theirs = await other.evaluate(await other.flowOf('1 == 1'), {}, key('order-5'))

    expect(theirs.status).toBe(200)
    expect(theirs.body['id']).not.toBe(mine.body['id'])
  })
})

describe('a signal that was sent and does not count', () => {
  const expression = 'signal.ip == "192.0.2.1"'
  const recordOf = async (evaluated: { readonly body: Result }) =>
    (await shop.send('GET', `/v2/watch/evaluations/${evaluated.body['id']}`)).body

  test('is on record with the reason, apart from the evidence, and no part of the answer', async () => {
    const flow = await shop.flowOf(expression)
    const signals = { ip: '192.0.2.1', app_version: '2.0', existing_user: true }

    const evaluated = await shop.evaluate(flow, { signals })

    const record = await recordOf(evaluated)
    expect(Object.keys(evaluated.body)).toEqual(['id', 'verdict', 'recipes'])
    expect(record['not_counted']).toEqual([
      { name: 'signal.ip', value: '192.0.2.1', source: 'request', reason: 'needs_dispatch' },
      { name: 'signal.app_version', value: '2.0', source: 'request', reason: 'needs_dispatch' },
    ])
    const evidence = record['evidence'] as readonly Result[]
    expect(evidence.map(({ name }) => name)).not.toContain('signal.ip')
  })

  test('is an address that is not public', async () => {
    const flow = await shop.flowOf(expression)
    const dispatch_id = await shop.dispatch({ device_model: 'Pixel 8' })

    const evaluated = await shop.evaluate(flow, { dispatch_id, signals: { ip: '10.0.0.7' } })

    expect(evaluated.status).toBe(200)
    const record = await recordOf(evaluated)
    expect(record['not_counted']).toEqual([
      { name: 'signal.ip', value: '10.0.0.7', source: 'request', reason: 'address_not_public' },
    ])
    expect(record['explanation']).toMatchObject([
      { rules: [{ outcome: 'NOT_EVALUATED', blocked_by: 'signal.ip' }] },
    ])
  })

  test('is every field that is not known, with the one that was most likely meant', async () => {
    const flow = await shop.flowOf(expression)

    const evaluated = await shop.send('POST', '/v2/watch/eval', {
      flow_id: flow,
      target: { email_address: 'ann@mail.example', phone: '+12133734001' },
      signals: { exising_user: true, visits: [3, null], empty: '' },
      signal: { ip: '192.0.2.1' },
      exising_user: true,
      zzz: 1,
    })

    expect([evaluated.status, Object.keys(evaluated.body)]).toEqual([
      200,
      ['id', 'verdict', 'recipes'],
    ])
    const unknown = { source: 'request', reason: 'unknown_field' }
    const record = await recordOf(evaluated)
    expect(record['not_counted']).toEqual([
      { name: 'signal', value: '{"ip":"192.0.2.1"}', ...unknown, suggestion: 'signals' },
      { name: 'exising_user', value: true, ...unknown, suggestion: 'signals.existing_user' },
      { name: 'zzz', value: '1', ...unknown },
      {
        name: 'target.phone',
        value: '+12133734001',
        ...unknown,
        suggestion: 'target.phone_number',
      },
      {
        ...{ name: 'signals.exising_user', value: true, ...unknown },
        suggestion: 'signals.existing_user',
      },
      { name: 'signals.visits', value: '[3,null]', ...unknown },
    ])
  })

  test('is a field with an empty name, too', async () => {
    const flow = await shop.flowOf(expression)

    const evaluated = await shop.evaluate(flow, { '': 2 })

    expect(evaluated.status).toBe(200)
    expect((await recordOf(evaluated))['not_counted']).toEqual([
      { name: '', value: '2', source: 'request', reason: 'unknown_field' },
    ])
  })

  test('is noted of sixteen unknown fields at most, each cut', async () => {
    const flow = await shop.flowOf(expression)
    const many = Array.from({ length: 40 }, (_, at) => [`x${at}${'y'.repeat(80)}`, 'v'.repeat(900)])

    const record = await recordOf(await shop.evaluate(flow, Object.fromEntries(many)))

    const noted = record['not_counted'] as readonly { name: string; value: string }[]
    expect(noted).toHaveLength(16)
    expect(noted.map(({ name, value }) => [name.length, value.length])).toEqual(
      noted.map(() => [64, 256]),
    )
  })
})

describe('a recorded evaluation', () => {
  test('shows its evidence with the source of each value, and why each rule answered so', async () => {
    const flow = await shop.flowOf(
      'int(signal.ext.cart) > 100 && signal.existing_user',
      'signal.ip == "x"',
    )
    const { body } = await shop.evaluate(flow, {
      signals: { existing_user: true, ext: { cart: '250', unread: 'too' } },
    })

    const record = await shop.send('GET', `/v2/watch/evaluations/${body['id']}?explain=expressions`)

    expect(record.status).toBe(200)
    expect(record.body).toMatchObject({ id: body['id'], verdict: 'FLAG', recipes: body['recipes'] })
    expect(record.body['evidence']).toContainEqual({
      name: 'signal.ext.cart',
      value: '250',
      source: 'request',
    })
    expect(record.text).toContain('"signal.existing_user"')
  })

  test('is recomputed from the record alone', async () => {
    const flow = await shop.flowOf(
      'request.time.getHours() < 24',
      'int(signal.ext.cart) > 100',
      'inCidr(signal.ip, "192.0.2.0/24")',
    )
    const dispatch_id = await shop.dispatch({ ip: '192.0.2.1', user_agent: 'curl/8' })
    // of the address the dispatch's counts
    const signals = { ip: '192.0.2.9', ext: { cart: '7' } }
    const { body } = await shop.evaluate(flow, { dispatch_id, signals })
    await shop.send('DELETE', `/v2/watch/management/flows/${flow}`)

    const replay = await shop.send('POST', `/v2/watch/evaluations/${body['id']}/replay`)

    expect(replay.body).toEqual({ result: 'MATCH', differences: [] })
  })
  test('of a year ago is shown and comes to the same bytes, whatever has become of its rules and lists', async () => {
    const list = await shop.list('partners', 'email_domain')
    const entries = `/v2/watch/management/lists/${list}/entries`
    await shop.send('POST', entries, { value: 'example.com' })
    const rule = await shop.rule('inList("partners", target.email_address)', 'A partner')
    const recipe = await shop.recipe([{ rule_id: rule, weight: 60 }])
    const flow = await shop.flow([recipe])
    const target = { email_address: 'ann@example.com' }
    const { body } = await shop.evaluate(flow, { target })
    const shown = `/v2/watch/evaluations/${body['id']}?explain=expressions`
    const then = await shop.send('GET', shown)

    vigil.setTime(Date.now() + 365 * 24 * 60 * 60_000)
    const gone = [`flows/${flow}`, `recipes/${recipe}`, `rules/${rule}`, `lists/${list}`]
    for (const one of gone) {
      expect((await shop.send('DELETE', `/v2/watch/management/${one}`)).status).toBe(204)
    }
    const replay = await shop.send('POST', `/v2/watch/evaluations/${body['id']}/replay`)
    const now = await shop.send('GET', shown)

    expect(replay.body).toEqual({ result: 'MATCH', differences: [] })
    expect(now.text).toBe(then.text)
  })
})
