import { beforeAll, describe, expect, test } from 'vitest'
import { openVigilOfFile } from '../support/openOfFile.ts'
import { type Customer, openCustomer } from '../support/openVigil.ts'
import { withoutWarnings } from '../support/withoutWarnings.ts'

const vigil = await openVigilOfFile()
let shop: Customer

type Result = Record<string, unknown>
const path = (kind: string, id?: string) =>
  `/v2/watch/management/${kind}${id === undefined ? '' : `/${id}`}`
const pathsOf = (body: Result) => (body['details'] as Result[]).map((detail) => detail['path'])

beforeAll(async () => {
  shop = await openCustomer(vigil)
})

describe('rules, recipes and flows', () => {
  test('are seen as they were made, at once', async () => {
    const rule = await shop.send('POST', path('rules'), { name: 'One', expression: '1 == 1' })
    const ruleId = String(rule.body['id'])
    const recipe = await shop.send('POST', path('recipes'), {
      name: 'Two',
      status: 'DRAFT',
      threshold: 50,
      rules: [{ rule_id: ruleId, weight: 10, preempts: 'FLAG' }],
    })
    const recipeId = String(recipe.body['id'])
    const flow = await shop.send('POST', path('flows'), { name: 'Three', recipes: [recipeId] })

    for (const [kind, made] of Object.entries({ rules: rule, recipes: recipe, flows: flow })) {
      expect(made.status).toBe(201)
      const got = await shop.send('GET', path(kind, String(made.body['id'])))
      expect(got.body).toEqual(withoutWarnings(made.body))
      const list = await shop.send('GET', `${path(kind)}?limit=200`)
      expect(list.body[kind]).toContainEqual(got.body)
      expect(Number(got.headers['x-vigil-position'])).toBeGreaterThanOrEqual(
        Number(made.headers['x-vigil-position']),
      )
    }
    expect(flow.body).toMatchObject({ name: 'Three', recipes: [recipeId] })
    expect(recipe.body['rules']).toEqual([{ rule_id: ruleId, weight: 10, preempts: 'FLAG' }])
  })

  test('are replaced whole, as a new version of the same thing', async () => {
    const id = await shop.rule('1 == 1', 'before')
    const before = await shop.send('GET', path('rules', id))

    const after = await shop.send('PUT', path('rules', id), {
      name: 'after',
      expression: '2 == 2',
    })

    expect(after.status).toBe(200)
    expect(after.body).toMatchObject({ id, name: 'after', expression: '2 == 2' })
    expect(after.body['version_id']).not.toBe(before.body['version_id'])
    expect((await shop.send('GET', path('rules', id))).body).toEqual(withoutWarnings(after.body))
  })

  test('are deleted once and stay deleted; an id that nothing ever had is not found, nor a malformed one', async () => {
    const id = await shop.rule('1 == 1')

    const answers = [
      await shop.send('DELETE', path('rules', id)),
      await shop.send('DELETE', path('rules', id)),
      await shop.send('DELETE', path('rules', 'rul_01jc0t6fwwfgfsq1md24mhyztj')),
      await shop.send('GET', path('rules', id)),
      await shop.send('PUT', path('rules', id), { name: 'x', expression: '1 == 1' }),
      await shop.send('DELETE', path('rules', 'rubbish')),
    ]

    expect(answers.map(({ status }) => status)).toEqual([204, 204, 404, 404, 404, 404])
  })

  test('of another account are not there to be named', async () => {
    const other = await openCustomer(vigil)
    const rule = await other.rule('1 == 1')

    const named = await shop.send('POST', path('recipes'), {
      name: 'theirs',
      status: 'LIVE',
      threshold: 1,
      rules: [{ rule_id: rule, weight: 1 }],
    })

    expect(pathsOf(named.body)).toEqual(['rules.0.rule_id'])
  })
})

describe('a refusal', () => {
  test('to delete what is in use names each referrer', async () => {
    const rule = await shop.rule('1 == 1')
    const recipes = [
      await shop.recipe([{ rule_id: rule, weight: 1 }]),
      await shop.recipe([{ rule_id: rule, weight: 2 }]),
    ]
    const flow = await shop.flow(recipes)

    const ruleGone = await shop.send('DELETE', path('rules', rule))
    const recipeGone = await shop.send('DELETE', path('recipes', String(recipes[0])))

    expect([ruleGone.status, ruleGone.body['code']]).toEqual([409, 'rule_in_use'])
    expect((ruleGone.body['details'] as Result[]).map((detail) => detail['message'])).toEqual(
      [...recipes].sort(),
    )
    expect([recipeGone.status, recipeGone.body['code']]).toEqual([409, 'recipe_in_use'])
    expect(recipeGone.body['details']).toEqual([{ path: 'id', message: flow }])
  })

  test('keeps rules and recipes consistent when two clients race', async () => {
    for (let round = 0; round < 10; round += 1) {
      const rule = await shop.rule('1 == 1')

      const [made, gone] = await Promise.all([
        shop.send('POST', path('recipes'), {
          name: 'race',
          status: 'LIVE',
          threshold: 1,
          rules: [{ rule_id: rule, weight: 1 }],
        }),
        shop.send('DELETE', path('rules', rule)),
      ])

      expect([
        [201, 409],
        [400, 204],
      ]).toContainEqual([made.status, gone.status])
    }
  })
})

describe('reading one’s own writes', () => {
  test('a read that asks for a position gets an answer from it or later', async () => {
    const made = await shop.send('POST', path('rules'), { name: 'x', expression: '1 == 1' })
    const position = String(made.headers['x-vigil-position'])

    const got = await shop.send(
      'GET',
      `${path('rules', String(made.body['id']))}?min_position=${position}`,
    )

    expect(got.status).toBe(200)
    expect(Number(got.headers['x-vigil-position'])).toBeGreaterThanOrEqual(Number(position))
  })
})
