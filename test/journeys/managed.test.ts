import { describe, expect, test } from 'vitest'
import { shippedId } from '../../src/domain/ids.ts'
import { openShopOfFile } from '../support/openOfFile.ts'
import { openVigil, operatorToken, sendAs, type Vigil } from '../support/openVigil.ts'
import { projectedHead } from '../support/projectedHead.ts'
import { withoutWarnings } from '../support/withoutWarnings.ts'

const { vigil, shop } = await openShopOfFile()

type Result = Record<string, unknown>
const kept = (kind: string, id?: string) =>
  `/v2/operator/managed/${kind}${id === undefined ? '' : `/${id}`}`
const path = (kind: string, id?: string) =>
  `/v2/watch/management/${kind}${id === undefined ? '' : `/${id}`}`
const operate = (method: string, to: string, body?: unknown) =>
  sendAs(vigil, operatorToken)(method, to, body)
const pathsOf = (body: Result) => (body['details'] as Result[]).map((detail) => detail['path'])
const recipeOf = (body: Result) => (body['recipes'] as Result[])[0] ?? {}
const rulesOf = (body: Result) => recipeOf(body)['rules'] as Result[]
const outcomesOf = (body: Result) =>
  rulesOf(body).map((rule) => (rule['unavailable'] ? 'UNAVAILABLE' : rule['outcome']))

async function managedRule(expression: string, more: object = {}): Promise<string> {
  const body = { name: 'secret name', description: 'What it looks for.', expression, ...more }
  const answer = await operate('POST', kept('rules'), body)
  if (answer.status !== 201) throw new Error(answer.text)
  return String(answer.body['id'])
}

const recipeBody = (rules: readonly unknown[], more: object = {}) => ({
  name: 'secret recipe',
  description: 'What it is for.',
  threshold: 50,
  threshold_bounds: { min: 20, max: 80 },
  parameters: [],
  rules,
  ...more,
})

async function managedRecipe(rules: readonly unknown[], more: object = {}): Promise<string> {
  const answer = await operate('POST', kept('recipes'), recipeBody(rules, more))
  if (answer.status !== 201) throw new Error(answer.text)
  return String(answer.body['id'])
}

const saveRecipe = (rules: readonly unknown[], more: object = {}) =>
  shop.send('POST', path('recipes'), {
    name: 'mine',
    status: 'LIVE',
    threshold: 50,
    rules,
    ...more,
  })

const limitParameter = {
  name: 'limit',
  type: 'INT',
  default_value: 10,
  value_min: 1,
  value_max: 20,
}

/** A managed recipe whose one rule triggers when the parameter `limit` is at least 12. */
async function limited(): Promise<{ readonly rule: string; readonly recipe: string }> {
  const rule = await managedRule('param.limit >= 12', {
    parameters: [{ name: 'limit', type: 'INT' }],
  })
  const recipe = await managedRecipe([{ rule_id: rule, weight: 60 }], {
    parameters: [limitParameter],
  })
  return { rule, recipe }
}

describe('the operator', () => {
  test('keeps managed rules and recipes, which are seen whole by the operator alone', async () => {
    const rule = await operate('POST', kept('rules'), {
      name: 'One',
      description: 'Looks.',
      expression: 'signal.ip == "192.0.2.1"',
    })
    const recipe = await operate(
      'POST',
      kept('recipes'),
      recipeBody([{ rule_id: rule.body['id'], weight: 5, preempts: 'FLAG' }]),
    )

    for (const [kind, made] of Object.entries({ rules: rule, recipes: recipe })) {
      expect(made.status).toBe(201)
      const id = String(made.body['id'])
      const shown = withoutWarnings(made.body)
      expect((await operate('GET', kept(kind, id))).body).toEqual(shown)
      const list = await operate('GET', `${kept(kind)}?limit=200`)
      expect(list.body[kind]).toContainEqual(shown)
      expect((await shop.send('GET', kept(kind, id))).status).toBe(403)
      expect((await shop.send('POST', kept(kind), {})).status).toBe(403)
    }
    expect(recipe.body['rules']).toEqual([
      { rule_id: rule.body['id'], weight: 5, preempts: 'FLAG' },
    ])
  })

  test('is refused a rule that no account could run, by its place', async () => {
    const refused = async (more: object) => {
      const rule = { name: 'n', description: 'd', expression: 'param.limit == 1', ...more }
      const { status, body } = await operate('POST', kept('rules'), rule)
      return [status, body['code'], ...pathsOf(body)]
    }
    const limits = ['STRING', 'INT'].map((type) => ({ name: 'limit', type }))

    expect(await refused({ expression: 'signal.ext.cart == "1"' })).toEqual([
      400,
      'invalid_rule',
      'expression',
    ])
    expect(await refused({ parameters: limits })).toEqual([
      400,
      'invalid_request',
      'parameters.1.name',
    ])
  })
})

describe('a customer', () => {
  test('sees of managed rules what they are for, and no more', async () => {
    const rule = await managedRule('1 == 1')

    const list = await shop.send('GET', `${path('rules/managed')}?limit=200`)

    expect(list.status).toBe(200)
    expect(list.body['rules']).toContainEqual({
      id: rule,
      type: 'MANAGED',
      description: 'What it looks for.',
    })
    expect(list.text).not.toContain('secret')
    expect(list.text).not.toContain('==')
    expect((await shop.send('GET', path('rules'))).text).not.toContain(rule)
  })

  test('sees of managed recipes what can be set in them', async () => {
    const { recipe } = await limited()

    const list = await shop.send('GET', `${path('recipes/managed')}?limit=200`)

    expect(list.body['recipes']).toContainEqual({
      id: recipe,
      description: 'What it is for.',
      threshold: 50,
      threshold_bounds: { min: 20, max: 80 },
      parameters: [{ ...limitParameter, default_value: '10' }],
    })
    expect(list.text).not.toContain('secret')
  })

  test('cannot read, change or delete them', async () => {
    const { rule, recipe } = await limited()
    const bodies = {
      rules: { name: 'x', expression: '1 == 1' },
      recipes: { name: 'x', status: 'LIVE', threshold: 1, rules: [] },
    }

    for (const [kind, id, code] of [
      ['rules', rule, 'managed_rule_read_only'],
      ['recipes', recipe, 'managed_recipe_read_only'],
    ] as const) {
      const version = 'ver_01jc0t6fwwfgfsq1md24mhyztj'
      expect((await shop.send('GET', path(kind, id))).status).toBe(404)
      expect((await shop.send('GET', path(kind, `${id}/versions`))).status).toBe(404)
      for (const refused of [
        await shop.send('PUT', path(kind, id), bodies[kind]),
        await shop.send('DELETE', path(kind, id)),
        await shop.send('POST', path(kind, `${id}/versions/${version}/restore`)),
      ]) {
        expect([refused.status, refused.body['code']]).toEqual([403, code])
      }
    }
  })
})

describe('a recipe that names a managed rule', () => {
  test('runs it with its own weight and shows neither name, version nor what it waits for', async () => {
    const yes = await managedRule('target.phone_number.startsWith("+33")')
    const waits = await managedRule('signal.ip == "192.0.2.1"')
    const own = await shop.rule('1 == 1')
    const recipe = await shop.recipe([
      { rule_id: own, weight: 1 },
      { rule_id: yes, weight: 70 },
      { rule_id: waits, weight: 5 },
    ])

    const { body } = await shop.evaluate(await shop.flow([recipe]))

    expect(recipeOf(body)).toMatchObject({ score: 71, verdict: 'FLAG', partial_evidence: true })
    expect(rulesOf(body).slice(1)).toEqual([
      { rule_id: yes, type: 'MANAGED', weight: 70, outcome: 'TRIGGERED' },
      {
        rule_id: waits,
        type: 'MANAGED',
        weight: 5,
        outcome: 'NOT_EVALUATED',
        blocked_by: 'missing_data',
      },
    ])
  })

  test('runs what the operator makes of the rule at the next evaluation', async () => {
    const rule = await managedRule('1 == 2')
    const flow = await shop.flow([await shop.recipe([{ rule_id: rule, weight: 70 }])])
    const before = await shop.evaluate(flow)

    const body = { name: 'n', description: 'd', expression: '1 == 1' }
    expect((await operate('PUT', kept('rules', rule), body)).status).toBe(200)

    const after = await shop.evaluate(flow)
    expect([before, after].map(({ body: { verdict } }) => verdict)).toEqual(['PASS', 'FLAG'])
    const replay = await shop.send('POST', `/v2/watch/evaluations/${before.body['id']}/replay`)
    expect(replay.body['result']).toBe('MATCH')
  })

  test('keeps the rule from being deleted until it names it no more', async () => {
    const rule = await managedRule('1 == 1')
    const saved = await saveRecipe([{ rule_id: rule, weight: 1 }])
    const id = String(saved.body['id'])
    const managed = await managedRecipe([{ rule_id: rule, weight: 1 }])

    const refused = await operate('DELETE', kept('rules', rule))
    await operate('DELETE', kept('recipes', managed))
    await shop.send('PUT', path('recipes', id), {
      name: 'mine',
      status: 'LIVE',
      threshold: 50,
      rules: [],
    })
    const allowed = await operate('DELETE', kept('rules', rule))

    expect([refused.status, refused.body['code']]).toEqual([409, 'rule_in_use'])
    expect(refused.body['details']).toEqual([
      { path: 'id', message: managed },
      { path: 'id', message: id },
    ])
    expect(allowed.status).toBe(204)
    const back = await shop.send(
      'POST',
      path('recipes', `${id}/versions/${saved.body['version_id']}/restore`),
    )
    expect([back.status, pathsOf(back.body)]).toEqual([400, ['rules.0.rule_id']])
  })

  test('that is saved while the rule is deleted is refused, or refuses, or reports it unavailable', async () => {
    for (let round = 0; round < 10; round += 1) {
      const rule = await managedRule('1 == 1')

      const [saved, gone] = await Promise.all([
        saveRecipe([{ rule_id: rule, weight: 70 }]),
        operate('DELETE', kept('rules', rule)),
      ])

      expect([201, 400]).toContain(saved.status)
      expect([204, 409]).toContain(gone.status)
      if (saved.status === 400) expect(gone.status).toBe(204)
      if (saved.status === 400) continue
      const flow = await shop.flow([String(saved.body['id'])])
      const { status, body } = await shop.evaluate(flow)
      expect(status).toBe(200)
      expect(outcomesOf(body)).toEqual([gone.status === 204 ? 'UNAVAILABLE' : 'TRIGGERED'])
      const replay = await shop.send('POST', `/v2/watch/evaluations/${body['id']}/replay`)
      expect(replay.body['result']).toBe('MATCH')
    }
  })
})

describe('a recipe that extends a managed one', () => {
  test('runs its rules first and its own after them, under its own threshold', async () => {
    const { rule, recipe } = await limited()
    const own = await shop.rule('1 == 1')
    const saved = await saveRecipe([{ rule_id: own, weight: 7 }], {
      base_recipe_id: recipe,
      threshold: 20,
    })

    const { body } = await shop.evaluate(await shop.flow([String(saved.body['id'])]))

    expect(saved.body).toMatchObject({ base_recipe_id: recipe, threshold: 20 })
    expect((await shop.send('GET', path('recipes', String(saved.body['id'])))).body).toEqual(
      withoutWarnings(saved.body),
    )
    expect(recipeOf(body)).toMatchObject({ threshold: 20, score: 7 })
    expect(rulesOf(body).map(({ rule_id, type, weight }) => [rule_id, type, weight])).toEqual([
      [rule, 'MANAGED', 60],
      [own, 'CUSTOM', 7],
    ])
  })

  test.each([
    ['a number', { limit: 15 }, { limit: '15' }, 'TRIGGERED'],
    ['a text', { limit: '15' }, { limit: '15' }, 'TRIGGERED'],
    ['nothing, for the default', {}, {}, 'NOT_TRIGGERED'],
  ])('takes as a parameter %s', async (...row) => {
    const [, parameters, shown, outcome] = row
    const { recipe } = await limited()

    const saved = await saveRecipe([], { base_recipe_id: recipe, parameters })

    expect(saved.body['parameters']).toEqual(shown)
    const { body } = await shop.evaluate(await shop.flow([String(saved.body['id'])]))
    expect(outcomesOf(body)).toEqual([outcome])
  })

  test('reports a rule unavailable that came to read a parameter it lacks, until the operator mends it', async () => {
    const { rule, recipe } = await limited()
    const saved = await saveRecipe([], { base_recipe_id: recipe, parameters: { limit: 15 } })
    const flow = await shop.flow([String(saved.body['id'])])
    const replace = (name: string) =>
      operate('PUT', kept('rules', rule), {
        name: 'n',
        description: 'd',
        expression: `param.${name} >= 12`,
        parameters: [{ name, type: 'INT' }],
      })

    await replace('other')
    const broken = await shop.evaluate(flow)
    const again = await operate(
      'PUT',
      kept('recipes', recipe),
      recipeBody([{ rule_id: rule, weight: 60 }], { parameters: [limitParameter] }),
    )
    await replace('limit')
    const mended = await shop.evaluate(flow)

    expect(outcomesOf(broken.body)).toEqual(['UNAVAILABLE'])
    expect(recipeOf(broken.body)).toMatchObject({ verdict: 'PASS', partial_evidence: true })
    expect([again.status, pathsOf(again.body)]).toEqual([400, ['rules.0.rule_id']])
    expect(outcomesOf(mended.body)).toEqual(['TRIGGERED'])
  })

  test('keeps the managed recipe from being deleted until it is deleted itself', async () => {
    const { recipe } = await limited()
    const saved = await saveRecipe([], { base_recipe_id: recipe })
    const id = String(saved.body['id'])

    const refused = await operate('DELETE', kept('recipes', recipe))
    await shop.send('DELETE', path('recipes', id))
    const allowed = await operate('DELETE', kept('recipes', recipe))

    expect([refused.status, refused.body['code']]).toEqual([409, 'recipe_in_use'])
    expect(refused.body['details']).toEqual([{ path: 'id', message: id }])
    expect(allowed.status).toBe(204)
  })

  test('counts in a flow as if its base had all the rules it may ever have', async () => {
    const recipe = await managedRecipe([])
    const own: string[] = []
    for (let count = 0; count < 21; count += 1) {
      own.push(String((await saveRecipe([], { base_recipe_id: recipe })).body['id']))
    }

    const full = await shop.send('POST', path('flows'), { name: 'full', recipes: own })
    const fits = await shop.send('POST', path('flows'), { name: 'fits', recipes: own.slice(1) })

    expect([full.status, fits.status]).toEqual([400, 201])
  })
})

describe('what ships with the product', () => {
  test('can be extended on a new installation', async () => {
    const saved = await saveRecipe([], {
      base_recipe_id: shippedId('rcp', 'signup'),
      parameters: { blocked_countries: 'RU,FR' },
    })

    const { body } = await shop.evaluate(await shop.flow([String(saved.body['id'])]))

    expect(saved.status).toBe(201)
    expect(recipeOf(body)).toMatchObject({ score: 60, verdict: 'FLAG', partial_evidence: true })
  })

  test('is installed once, and what the operator changed or deleted stays so after a restart', async () => {
    const first = await openVigil()
    const send = (of: Vigil, [method, to, body]: readonly [string, string, object?]) =>
      sendAs(of, operatorToken)(method, to, body)
    const changed = shippedId('rul', 'new-user')
    const gone = shippedId('rul', 'script-user-agent')
    await send(first, ['PUT', kept('recipes', shippedId('rcp', 'signup')), recipeBody([])])
    await send(first, ['DELETE', kept('rules', gone)])
    const edited = { name: 'n', description: 'd', expression: '1 == 1' }
    await send(first, ['PUT', kept('rules', changed), edited])
    const before = await send(first, ['GET', `${kept('rules')}?limit=200`])

    const second = await first.restart()

    await projectedHead(second)
    const after = await send(second, ['GET', `${kept('rules')}?limit=200`])
    expect(after.body).toEqual(before.body)
    expect(after.headers['x-vigil-position']).toBe(before.headers['x-vigil-position'])
    expect(after.text).not.toContain(gone)
    await second.close()
  })
})
