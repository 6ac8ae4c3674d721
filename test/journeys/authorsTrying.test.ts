import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readableNames } from '../../src/engine/language/readableNames.ts'
import { draws } from '../support/draws.ts'
import { openShopOfFile } from '../support/openOfFile.ts'
import { projectedHead } from '../support/projectedHead.ts'

const { vigil, shop } = await openShopOfFile()

type Body = Record<string, unknown>
const root = '/v2/watch/management'
const target = { phone_number: '+33612345678' }

const testRule = (expression: string, evidence: object = { target }) =>
  shop.send('POST', `${root}/rules/test`, { expression, evidence })
const testFlow = (flow: string, change: object = {}, query = '') =>
  shop.send('POST', `${root}/flows/${flow}/test${query}`, { target, ...change })
const pathsOf = ({ body }: { body: Body }) =>
  (body['details'] as Body[] | undefined)?.map(({ path }) => path)
const head = () => projectedHead(vigil)
/**
 * What of a result does not depend on whether it is recorded; what is tried is told what the lists say, of no revision.
 */
const comparable = ({ verdict, recipes, shadow_recipes, ...shown }: Body) => ({
  verdict,
  recipes,
  shadow_recipes,
  evidence: (shown['evidence'] as Body[]).map(({ revision: _, ...one }) => one),
  not_counted: shown['not_counted'],
  explanation: shown['explanation'],
})

test('the names that rules can read are listed, each once', async () => {
  const { status, body } = await shop.send('GET', `${root}/signals`)

  const signals = body['signals'] as Body[]
  expect(status).toBe(200)
  expect(signals.map(({ name }) => name)).toEqual([
    ...readableNames.map(({ name }) => name),
    'signal.ext.<key>',
  ])
  expect(signals[0]).toEqual({
    name: 'signal.ip',
    type: 'string',
    meaning: expect.stringMatching(/\w/),
    sources: ['dispatch', 'request'],
    needs_dispatch: true,
  })
})

describe('an unsaved rule', () => {
  test('gives its outcome, what it read and the value of each part', async () => {
    const { status, body } = await testRule(
      'double(signal.ext.total)>500.0&&phoneCountry(target.phone_number)=="FR"',
      { target, signals: { ext: { total: '600' } } },
    )

    expect(status).toBe(200)
    expect(body).toMatchObject({
      outcome: 'TRIGGERED',
      expression: 'double(signal.ext.total) > 500.0 && phoneCountry(target.phone_number) == "FR"',
      reads: [
        { name: 'signal.ext.total', convert: 'double', arrived: true, value: '600' },
        { name: 'target.phone_number', arrived: true, value: '+33612345678', source: 'request' },
      ],
      parts: {
        value: true,
        parts: [
          { text: 'double(signal.ext.total) > 500.0', line: 1, column: 1, value: true },
          { parts: [{ text: 'phoneCountry(target.phone_number)', value: 'FR' }, { value: 'FR' }] },
        ],
      },
    })
  })

  test('says what it waits for when that is not in the sample', async () => {
    const { body } = await testRule('signal.existing_user || signal.ext.coupon == "X"', {
      signals: { existing_user: true, ext: { coupon: '' } },
    })

    expect(body).toMatchObject({ outcome: 'NOT_EVALUATED', blocked_by: 'signal.ext.coupon' })
    expect(body).not.toHaveProperty('unavailable')
  })

  test('is refused in the words of saving it', async () => {
    const expression = 'signal.ipp == "x" || signal.ext.a == 1'

    const tried = await testRule(expression)
    const saved = await shop.send('POST', `${root}/rules`, { name: 'x', expression })

    expect(tried.status).toBe(400)
    expect({ ...tried.body, request_id: '' }).toEqual({ ...saved.body, request_id: '' })
  })
})

describe('a flow tried as it stands', () => {
  test('gives what an evaluation gives and records, shadow recipes and explanation included', async () => {
    const rules = [
      await shop.rule('signal.ext.total == "1"'),
      await shop.rule('signal.ip == "203.0.113.7"'),
      await shop.rule('signal.device_platform == "ios"'),
    ]
    const members = rules.map((rule_id) => ({ rule_id, weight: 40 }))
    const flow = await shop.flow([
      await shop.recipe(members),
      await shop.recipe(members.slice(1), { status: 'SHADOW' }),
      await shop.recipe(members, { status: 'DRAFT' }),
    ])
    const time = '2026-11-21T12:00:00.000Z'
    vigil.setTime(Date.parse(time))
    const userAgent =
      'Mozilla/5.0 (iPhone; CPU iPhone OS 17_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.1 Mobile/15E148 Safari/604.1'
    const text = fc.constantFrom('', '1', '2')
    const ip = fc.constantFrom('203.0.113.7', '203.0.113.8')
    const signals = fc.record(
      { ip, ext: fc.record({ total: text, other: text }, { requiredKeys: [] }) },
      { requiredKeys: [] },
    )
    const dispatch = fc.record({ ip, user_agent: fc.constant(userAgent) }, { requiredKeys: [] })

    await fc.assert(
      fc.asyncProperty(signals, fc.option(dispatch), async (sent, dispatched) => {
        const dispatch_id = dispatched ? await shop.dispatch(dispatched) : undefined
        const evaluated = await shop.evaluate(flow, {
          signals: sent,
          ...(dispatch_id !== undefined && { dispatch_id }),
        })
        const recorded = await shop.send('GET', `/v2/watch/evaluations/${evaluated.body['id']}`)

        const tried = await testFlow(flow, {
          signals: sent,
          time,
          ...(dispatched && { dispatch_signals: dispatched }),
        })

        expect(comparable(tried.body)).toEqual(comparable(recorded.body))
        expect(tried.body['shadow_recipes']).toHaveLength(1)
      }),
      { numRuns: draws(25) },
    )
  })

  test('is recorded nowhere', async () => {
    const flow = await shop.flowOf('1 == 1')
    const before = await head()

    await testFlow(flow)
    await testFlow(flow, { draft: { recipes: [{ threshold: 1, rules: [] }] } })
    await testRule('1 == 1')

    expect(await head()).toBe(before)
  })

  test('shows the clock in ISO 8601 wherever it is shown', async () => {
    const flow = await shop.flowOf('request.time.getFullYear() == 2026')
    const time = '2026-11-21T07:30:00.000Z'
    const read = { name: 'request.time', value: time, source: 'service' }

    const plain = await testFlow(flow, { time })
    const { body, text } = await testFlow(flow, { time }, '?explain=expressions')

    expect(body).toMatchObject({
      evidence: expect.arrayContaining([read]),
      explanation: [{ rules: [{ reads: [{ ...read, use: 'read', arrived: true }] }] }],
    })
    expect(text).toContain(
      '{"text":"request.time","line":1,"column":1,"state":"value","value":"2026-',
    )
    expect(text).not.toContain(String(Date.parse(time)))
    expect(plain.text).not.toContain('"parts"')
  })
})

describe('a draft of a flow', () => {
  const always = { expression: '1 == 1', weight: 30 }

  test('mixes what is there with what is only drafted', async () => {
    const saved = await shop.rule('signal.ext.total == "1"', 'saved')
    const kept = await shop.recipe([{ rule_id: saved, weight: 60 }])
    const flow = await shop.flow([kept])

    const { status, body } = await testFlow(flow, {
      signals: { ext: { total: '1' } },
      draft: {
        recipes: [
          {
            threshold: 40,
            rules: [
              { rule_id: saved, weight: 20 },
              { ...always, name: 'drafted' },
            ],
          },
          kept,
          { status: 'SHADOW', threshold: 90, rules: [always] },
        ],
      },
    })

    expect([status, body['verdict']]).toEqual([200, 'FLAG'])
    expect(body['recipes']).toMatchObject([
      {
        recipe_id: 'draft.recipes.0',
        score: 50,
        verdict: 'FLAG',
        rules: [
          { rule_id: saved, name: 'saved', outcome: 'TRIGGERED' },
          { rule_id: 'draft.recipes.0.rules.1', name: 'drafted', version_id: 'draft' },
        ],
      },
      { recipe_id: kept, score: 60 },
    ])
    expect(body['shadow_recipes']).toMatchObject([
      {
        recipe_id: 'draft.recipes.2',
        verdict: 'PASS',
        rules: [{ name: 'draft.recipes.2.rules.0', outcome: 'TRIGGERED' }],
      },
    ])
    expect((await shop.send('GET', `${root}/flows/${flow}`)).body['recipes']).toEqual([kept])
  })

  test('pins versions and preempts as a saved recipe does', async () => {
    const rule = await shop.rule('1 == 1')
    const first = (await shop.send('GET', `${root}/rules/${rule}`)).body['version_id']
    await shop.send('PUT', `${root}/rules/${rule}`, { name: 'r', expression: '1 == 2' })
    const flow = await shop.flowOf('1 == 1')

    const { body } = await testFlow(flow, {
      draft: {
        recipes: [
          { threshold: 50, rules: [{ rule_id: rule, weight: 60, version_id: first }] },
          { threshold: 50, rules: [{ rule_id: rule, weight: 60 }] },
          { threshold: 50, rules: [{ ...always, preempts: 'FLAG' }, always] },
        ],
      },
    })

    expect(body['recipes']).toMatchObject([
      { verdict: 'FLAG', rules: [{ version_id: first }] },
      { verdict: 'PASS' },
      { verdict: 'FLAG', determined_by: 'draft.recipes.2.rules.0' },
    ])
  })

  test('is refused with the place of every expression that does not compile', async () => {
    const flow = await shop.flowOf('1 == 1')

    const recipes = [
      { threshold: 1, rules: [{ expression: 'x', weight: 1 }, always] },
      { threshold: 1, rules: [always, { expression: 'signal.ext.a > 1', weight: 1 }] },
    ]

    const refused = await testFlow(flow, { draft: { recipes } })

    expect([refused.status, refused.body['code'], pathsOf(refused)?.sort()]).toEqual([
      400,
      'invalid_rule',
      ['draft.recipes.0.rules.0.expression', 'draft.recipes.1.rules.1.expression'],
    ])
  })

  test('of more rules than a flow may run is refused', async () => {
    const flow = await shop.flowOf('1 == 1')
    const recipe = {
      threshold: 1,
      rules: Array.from({ length: 500 }, () => ({ expression: '1==1', weight: 1 })),
    }

    const { status, body } = await testFlow(flow, {
      draft: { recipes: Array.from({ length: 5 }, () => recipe) },
    })

    expect(status).toBe(400)
    expect(pathsOf({ body })).toEqual(['draft.recipes'])
  })
})

test('managed rules and recipes are tried in a draft, and show no more than in an evaluation', async () => {
  const offered = async (kind: string) => {
    const { body } = await shop.send('GET', `${root}/${kind}/managed?limit=200`)
    return body[kind] as Body[]
  }
  const [rule] = await offered('rules')
  const [base] = await offered('recipes')
  const flow = await shop.flowOf('1 == 1')
  const draft = {
    recipes: [
      { threshold: 50, rules: [{ rule_id: rule?.['id'], weight: 5 }] },
      {
        base_recipe_id: base?.['id'],
        threshold: base?.['threshold'],
        rules: [{ expression: '1 == 1', weight: 1 }],
      },
    ],
  }

  const { status, body } = await testFlow(flow, { draft }, '?explain=expressions')

  expect([status, body['code']]).toEqual([200, undefined])
  const [first, second] = body['recipes'] as { rules: Body[] }[]
  expect(Object.keys(first?.rules[0] ?? {}).sort()).toEqual(
    expect.not.arrayContaining(['name', 'version_id']),
  )
  expect(first?.rules).toMatchObject([{ rule_id: rule?.['id'], type: 'MANAGED' }])
  expect(second?.rules.map(({ type }) => type)).toContain('MANAGED')
  expect(second?.rules.at(-1)).toMatchObject({ rule_id: 'draft.recipes.1.rules.0' })
  const explained = body['explanation'] as { rules: Body[] }[]
  expect(explained[0]?.rules[0]).not.toHaveProperty('expression')
})
