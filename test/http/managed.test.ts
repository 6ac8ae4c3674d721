import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ManagedRecipeInput } from '../../src/service/rulebook/rulebookPart.ts'
import { everyScope, fakeService, ids, operatorToken, tokenWith } from './support/fakeService.ts'
import { type Door, openDoor } from './support/openDoor.ts'

let door: Door
let created: ManagedRecipeInput | undefined

beforeAll(async () => {
  const { managed } = fakeService()
  const recipes: typeof managed.recipes = {
    ...managed.recipes,
    create: (call, input) => {
      created = input
      return managed.recipes.create(call, input)
    },
  }
  door = await openDoor(fakeService({ managed: { ...managed, recipes } }))
})

afterAll(() => door.close())

const rules = '/v2/operator/managed/rules'
const recipes = '/v2/operator/managed/recipes'
const rule = { name: 'n', description: 'd', expression: 'list.block' }
const recipe = {
  description: 'd',
  threshold: 50,
  threshold_bounds: { min: 1, max: 99 },
  rules: [{ rule_id: ids.rule, weight: 5, preempts: 'FLAG' }],
}

test.each([
  ['GET', rules, undefined, 200],
  ['POST', rules, rule, 201],
  ['GET', `${rules}/${ids.rule}`, undefined, 200],
  ['PUT', `${rules}/${ids.rule}`, rule, 200],
  ['DELETE', `${rules}/${ids.rule}`, undefined, 204],
  ['GET', `${rules}/${ids.rule}/versions`, undefined, 200],
  ['POST', `${rules}/${ids.rule}/versions/${ids.version}/restore`, undefined, 200],
  ['GET', recipes, undefined, 200],
  ['POST', recipes, recipe, 201],
  ['GET', `${recipes}/${ids.recipe}`, undefined, 200],
  ['PUT', `${recipes}/${ids.recipe}`, recipe, 200],
  ['DELETE', `${recipes}/${ids.recipe}`, undefined, 204],
  ['GET', `${recipes}/${ids.recipe}/versions`, undefined, 200],
  ['POST', `${recipes}/${ids.recipe}/versions/${ids.version}/restore`, undefined, 200],
] as const)('%s %s is for the operator alone', async (...row) => {
  const [method, path, body, status] = row
  const send = (token: string) =>
    door.request(method, path, { token, ...(body !== undefined && { body }) })

  expect((await send(operatorToken)).status).toBe(status)
  expect((await send(everyScope)).status).toBe(403)
})

test.each(['rules', 'recipes'])('customers list managed %s with the scope author', async (kind) => {
  const path = `/v2/watch/management/${kind}/managed`

  const listed = await door.request(`GET`, path, { token: tokenWith('author') })

  expect(listed.status).toBe(200)
  expect(Object.keys(listed.body)).toEqual([kind])
  expect((await door.request('GET', path, { token: tokenWith('eval') })).status).toBe(403)
  expect((await door.request('POST', path, { token: everyScope, body: {} })).status).toBe(405)
})

describe('a body', () => {
  const detailsOf = async (path: string, body: object) => {
    const answer = await door.request(`POST`, path, { token: operatorToken, body })
    expect(answer.status).toBe(400)
    return (answer.body['details'] as { path: string }[]).map((detail) => detail.path).sort()
  }

  test('of a rule is refused by the place of everything wrong', async () => {
    const parameters = [{ name: 'Upper', type: 'ENUM' }, { name: 'x' }]

    expect(await detailsOf(rules, { ...rule, name: '', colour: 'red', parameters })).toEqual([
      'colour',
      'name',
      'parameters.0.name',
      'parameters.0.type',
      'parameters.1.type',
    ])
    expect(await detailsOf(rules, {})).toEqual(['description', 'expression', 'name'])
  })

  test('of a recipe is refused by the place of everything wrong', async () => {
    const parameters = [{ name: 'x', type: 'INT', default_value: null, value_min: '1', values: [] }]
    const members = [{ rule_id: ids.rule, weight: 5, version_id: ids.version }]
    const wrong = { ...recipe, threshold_bounds: { min: 1 }, parameters, rules: members }

    expect(await detailsOf(recipes, wrong)).toEqual([
      'parameters.0.default_value',
      'parameters.0.value_min',
      'parameters.0.values',
      'rules.0.version_id',
      'threshold_bounds.max',
    ])
  })

  test('of a recipe reaches the service as it was sent', async () => {
    const parameters = [{ name: 'x', type: 'BOOL', default_value: true }]

    await door.request('POST', recipes, { token: operatorToken, body: { ...recipe, parameters } })

    expect(created).toEqual({ ...recipe, parameters })
  })

  test('of a customer’s recipe may hold texts, numbers and booleans as parameters', async () => {
    const own = { name: 'n', status: 'LIVE', threshold: 1, rules: [], base_recipe_id: ids.recipe }
    const send = (parameters: object) =>
      door.request('POST', '/v2/watch/management/recipes', {
        token: everyScope,
        body: { ...own, parameters },
      })

    expect((await send({ a: 'x', b: 1.5, c: false })).status).toBe(201)
    const { status, body } = await send({ a: ['x'], b: 'x'.repeat(1025) })
    expect([status, (body['details'] as { path: string }[]).map(({ path }) => path)]).toEqual([
      400,
      ['parameters.a', 'parameters.b'],
    ])
  })
})
