import { beforeEach, describe, expect, test } from 'vitest'
import { unavailable } from '../../src/domain/failure.ts'
import { openVigilOfFile } from '../support/openOfFile.ts'
import { type Customer, openCustomer, operatorToken, sendAs } from '../support/openVigil.ts'
import { projectedHead } from '../support/projectedHead.ts'

let shop: Customer

const vigil = await openVigilOfFile()

// every account has its own names
beforeEach(async () => {
  shop = await openCustomer(vigil)
})

type Body = Record<string, unknown>
const root = '/v2/watch/management'
const open = 'signal.ext.a == "x"'
const never = 'signal.ext.a == "x" && signal.ext.a == "y"'
const always = 'signal.ext.a == "x" || signal.ext.a != "x"'

/** `code path` of each. */
const warned = ({ body }: { readonly body: Body }) =>
  ((body['warnings'] ?? []) as Body[]).map(({ code, path }) => `${code} ${path}`)
const save = (kind: string, body: object) => shop.send('POST', `${root}/${kind}`, body)
const recipeBody = (rules: readonly object[], more: object = {}) => ({
  name: 'Cart',
  status: 'LIVE',
  threshold: 50,
  rules,
  ...more,
})

describe('whoever saves a rule', () => {
  test.each([
    [never, 'rule_never_triggers expression'],
    [always, 'rule_always_triggers expression'],
    ['1 == 1', 'rule_always_triggers expression'],
  ])('that always comes out the same is warned: %s', async (expression, warning) => {
    const made = await save('rules', { name: 'One', expression })

    expect(made.status).toBe(201)
    expect(warned(made)).toEqual([warning])
    expect(made.body['warnings']).toEqual([
      {
        code: expect.any(String),
        path: 'expression',
        message: expect.stringContaining('whatever'),
      },
    ])
  })

  test.each([
    ['phoneCountry(target.phone_number) == "FRA"', 'impossible_text expression'],
    ['target.phone_number == "+5491123456789"', 'impossible_text expression'],
    ['target.phone_number in ["+5511981234567", "+551181234567"]', 'impossible_text expression'],
    ['signal.device_platform == "windows" || list.block', 'impossible_text expression'],
    ['inCidr(signal.ip, ["10.0.0.0/8", "203.0.113.0/24"])', 'private_network expression'],
  ])('that asks for what never arrives is warned: %s', async (expression, warning) => {
    expect(warned(await save('rules', { name: 'One', expression }))).toEqual([warning])
  })

  test('is told of the warning, and the rule and its tag are as without it', async () => {
    for (const expression of [open, never]) {
      const made = await save('rules', { name: 'One', expression })
      const { warnings, ...rule } = made.body

      const got = await shop.send('GET', `${root}/rules/${made.body['id']}`)

      expect(warnings !== undefined).toBe(expression === never)
      expect(got.body).toEqual(rule)
      expect(got.headers['etag']).toBe(made.headers['etag'])
    }
  })

  test('is not warned any more once it is mended, and again when it is brought back', async () => {
    const made = await save('rules', { name: 'One', expression: never })
    const path = `${root}/rules/${made.body['id']}`

    const mended = await shop.send('PUT', path, { name: 'One', expression: open })
    const restored = await shop.send('POST', `${path}/versions/${made.body['version_id']}/restore`)

    expect(warned(mended)).toEqual([])
    expect(warned(restored)).toEqual(['rule_never_triggers expression'])
  })
})

describe('whoever saves a recipe', () => {
  test('that can never flag is warned', async () => {
    const [one, two] = [await shop.rule(open, 'One'), await shop.rule('list.block', 'Two')]
    const rules = [
      { rule_id: one, weight: 30 },
      { rule_id: two, weight: 19 },
    ]

    const low = await save('recipes', recipeBody(rules))
    const path = `${root}/recipes/${low.body['id']}`
    const lower = await shop.send('PUT', path, recipeBody(rules, { threshold: 49 }))

    expect(low.status).toBe(201)
    expect(warned(low)).toEqual(['recipe_never_flags threshold'])
    expect(low.text).toContain('no set of its rules reaches the threshold of 50')
    expect(warned(lower)).toEqual([])
  })

  test('that always flags is warned, whatever its status', async () => {
    const rule = await shop.rule(open, 'One')
    const rules = [{ rule_id: rule, weight: 1 }]

    for (const [index, status] of ['DRAFT', 'SHADOW', 'LIVE', 'INACTIVE'].entries()) {
      const body = recipeBody(rules, { name: `Cart ${index}`, status, threshold: 0 })

      expect(warned(await save('recipes', body))).toEqual(['recipe_always_flags threshold'])
    }
  })

  test('that extends a managed one is judged with the rules of that', async () => {
    const operate = (path: string, body: object) =>
      sendAs(vigil, operatorToken)('POST', `/v2/operator/managed/${path}`, body)
    const rule = await operate('rules', { name: 'm', description: 'd', expression: 'list.block' })
    const base = await operate('recipes', {
      description: 'd',
      threshold: 50,
      threshold_bounds: { min: 1, max: 90 },
      parameters: [],
      rules: [{ rule_id: rule.body['id'], weight: 60 }],
    })
    const extend = (name: string, threshold: number) =>
      save('recipes', recipeBody([], { name, threshold, base_recipe_id: base.body['id'] }))

    expect(warned(base)).toEqual([])
    expect(warned(await extend('Within', 60))).toEqual([])
    expect(warned(await extend('Beyond', 61))).toEqual(['recipe_never_flags threshold'])
  })
})

describe('whoever saves a flow', () => {
  test('none of whose recipes is live is warned', async () => {
    const rule = await shop.rule(open, 'One')
    const rules = [{ rule_id: rule, weight: 60 }]
    const shadow = await shop.recipe(rules, { name: 'S', status: 'SHADOW' })
    const live = await shop.recipe(rules, { name: 'L' })

    const idle = await save('flows', { name: 'Idle', recipes: [shadow] })
    const path = `${root}/flows/${idle.body['id']}`
    const both = await shop.send('PUT', path, { name: 'Idle', recipes: [shadow, live] })

    expect(warned(idle)).toEqual(['flow_without_live_recipe recipes'])
    expect(warned(both)).toEqual([])
  })
})

describe('whoever gives two things one name', () => {
  test('is told which has it already', async () => {
    const first = await save('rules', { name: 'Large cart', expression: open })
    const second = await save('rules', { name: 'Large cart', expression: open })
    const path = `${root}/rules/${second.body['id']}`
    const renamed = await shop.send('PUT', path, { name: 'Larger cart', expression: open })

    expect(warned(first)).toEqual([])
    expect(second.body['warnings']).toEqual([
      {
        code: 'duplicate_name',
        path: 'name',
        message: `Another rule has this name: ${first.body['id']}.`,
      },
    ])
    expect(warned(renamed)).toEqual([])
  })

  test('is left alone where they are of different kinds, of other accounts, or gone', async () => {
    const other = await openCustomer(vigil)
    await other.rule(open, 'Cart')
    const gone = await shop.rule(open, 'Cart')
    await shop.send('DELETE', `${root}/rules/${gone}`)
    const rule = await save('rules', { name: 'Cart', expression: open })

    const recipe = await save('recipes', recipeBody([{ rule_id: rule.body['id'], weight: 60 }]))
    const flow = await save('flows', { name: 'Cart', recipes: [recipe.body['id']] })

    expect([rule, recipe, flow].flatMap(warned)).toEqual([])
  })
})

describe('the operator', () => {
  test('is warned of managed rules and recipes alike', async () => {
    const operate = (path: string, body: object) =>
      sendAs(vigil, operatorToken)('POST', `/v2/operator/managed/${path}`, body)
    const rule = { name: 'Twice here', description: 'd', expression: '1 > 2' }
    const made = await operate('rules', rule)

    const again = await operate('rules', rule)
    const recipe = await operate('recipes', {
      description: 'd',
      threshold: 50,
      threshold_bounds: { min: 1, max: 90 },
      parameters: [],
      rules: [{ rule_id: made.body['id'], weight: 60 }],
    })

    expect(warned(made)).toEqual(['rule_never_triggers expression'])
    expect(warned(again)).toEqual(['rule_never_triggers expression', 'duplicate_name name'])
    expect(warned(recipe)).toEqual(['recipe_never_flags threshold'])
  })
})

describe('several changes at once', () => {
  const changes = {
    rules: [
      { content: { name: 'Twice', expression: never } },
      { content: { name: 'Twice', expression: open } },
    ],
    recipes: [{ content: recipeBody([{ rule_id: 'rules.0', weight: 90 }], { status: 'DRAFT' }) }],
    flows: [{ content: { name: 'Idle', recipes: ['recipes.0'] } }],
  }
  const all = [
    'rule_never_triggers rules.0.content.expression',
    'duplicate_name rules.0.content.name',
    'duplicate_name rules.1.content.name',
    'recipe_never_flags recipes.0.content.threshold',
    'flow_without_live_recipe flows.0.content.recipes',
  ]

  test('are warned of under their places, before and when they are made', async () => {
    const tried = await shop.send('POST', `${root}/changes`, { ...changes, dry_run: true })
    const made = await shop.send('POST', `${root}/changes`, changes)

    expect([tried.status, warned(tried)]).toEqual([200, all])
    expect([made.status, warned(made)]).toEqual([200, all])
    expect((await shop.send('GET', `${root}/rules`)).body['rules']).toHaveLength(2)
  })

  test('are judged as the rulebook is after all of them', async () => {
    const rule = await shop.rule(open, 'Cart rule')
    const other = await shop.rule(open, 'Other')
    const made = await shop.send('POST', `${root}/changes`, {
      rules: [
        { id: rule, content: { name: 'Other', expression: open } },
        { id: other, delete: true },
      ],
      recipes: [{ content: recipeBody([{ rule_id: rule, weight: 60 }]) }],
      flows: [{ content: { name: 'F', recipes: ['recipes.0'] } }],
    })

    expect([made.status, warned(made)]).toEqual([200, []])
    expect(made.body).not.toHaveProperty('warnings')
  })
})

describe('whoever tries', () => {
  const sample = { target: { phone_number: '+33612345678' } }

  test('a rule is warned of what it cannot do', async () => {
    const tried = await save('rules/test', { expression: never, evidence: sample })
    const usual = await save('rules/test', { expression: open, evidence: sample })

    expect(warned(tried)).toEqual(['rule_never_triggers expression'])
    expect(usual.body).not.toHaveProperty('warnings')
  })

  test('a flow is warned of its recipes and, in a draft, of its rules', async () => {
    const rule = await shop.rule(open, 'One')
    const standing = await shop.recipe([{ rule_id: rule, weight: 10 }])
    const flow = await shop.flow([standing])
    const test = (body: object) => save(`flows/${flow}/test`, { ...sample, ...body })

    const asItIs = await test({})
    const drafted = await test({
      draft: {
        recipes: [
          {
            status: 'SHADOW',
            threshold: 0,
            rules: [
              { expression: always, weight: 1 },
              { expression: 'signal.device_model == ""', weight: 1 },
              { rule_id: rule, weight: 1 },
            ],
          },
        ],
      },
    })

    expect(warned(asItIs)).toEqual([`recipe_never_flags ${standing}.threshold`])
    expect(warned(drafted)).toEqual([
      'flow_without_live_recipe recipes',
      'recipe_always_flags draft.recipes.0.threshold',
      'rule_always_triggers draft.recipes.0.rules.0.expression',
      'impossible_text draft.recipes.0.rules.1.expression',
    ])
  })
})

describe('a rule that asks for a key of ext', () => {
  const dayMs = 24 * 60 * 60_000
  const now = Date.UTC(2026, 10, 21, 9)
  const expression = 'signal.ext.shop_country == "FR"'
  const saved = async (text = expression) => {
    const { body, status } = await save('rules', { name: text, expression: text })
    expect(status).toBe(201)
    return body['warnings']
  }
  const evaluateAt = async (timeMs: number, ext: object) => {
    vigil.setTime(timeMs)
    const flow = await shop.flowOf('1 == 1')
    await shop.evaluate(flow, { signals: { ext } })
    vigil.setTime(now)
    await projectedHead(vigil)
  }

  test('that no evaluation carried is warned of, with the near one that arrived', async () => {
    await evaluateAt(now - dayMs, { shopcountry: 'FR', total: '3', SHOP_CONTRY: 'x' })

    expect(await saved()).toEqual([
      {
        code: 'key_never_arrives',
        path: 'expression',
        message:
          'No evaluation of the last 7 days carried signal.ext.shop_country; signal.ext.shopcountry, signal.ext.SHOP_CONTRY did arrive.',
      },
    ])
    expect(await saved('has(signal.ext.cart) || signal.ext.total == "3"')).toMatchObject([
      { message: 'No evaluation of the last 7 days carried signal.ext.cart.' },
    ])
  })

  test('is warned of in a push, under its path', async () => {
    await evaluateAt(now, { total: '3' })
    const rules = [
      { content: { name: 'One', expression } },
      { content: { name: 'Two', expression: 'signal.ext.total == "3"' } },
    ]

    const { body } = await save('changes', { rules })

    expect(warned({ body })).toEqual(['key_never_arrives rules.0.content.expression'])
  })

  test.each([
    ['arrived', now - 6 * dayMs, { shop_country: 'FR' }],
    ['arrived a week ago, while nothing was evaluated since', now - 9 * dayMs, { other: 'x' }],
    [
      'may have arrived among too many',
      now,
      Object.fromEntries(Array.from({ length: 65 }, (_, index) => [`k${index}`, 'x'])),
    ],
  ])('that %s is not', async (_, timeMs: number, ext: object) => {
    await evaluateAt(timeMs, ext)

    expect(await saved()).toBeUndefined()
  })

  test('is not warned of in an account that evaluates nothing, nor by what another has sent', async () => {
    const other = await openCustomer(vigil)
    await other.evaluate(await other.flowOf('1 == 1'), { signals: { ext: { shopcountry: 'FR' } } })
    await projectedHead(vigil)

    expect(await saved()).toBeUndefined()
  })

  test('whose name the log keeps sealed is not', async () => {
    await evaluateAt(now, { total: '3' })

    expect(await saved('signal.ext["order 4711 4711"] == "x"')).toBeUndefined()
  })

  test('is saved without a warning while the read models are away', async () => {
    await evaluateAt(now, { total: '3' })
    const { context } = vigil.service
    const { documents } = context
    const get = () => Promise.reject(unavailable('away'))
    Object.assign(context, { documents: { ...documents, get } })

    const warnings = await saved().finally(() => Object.assign(context, { documents }))

    expect(warnings).toBeUndefined()
  })
})
