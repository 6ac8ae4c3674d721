import { expect, test } from 'vitest'
import { openShopOfFile } from '../support/openOfFile.ts'
import { openCustomer } from '../support/openVigil.ts'

const { vigil, shop } = await openShopOfFile()

type Body = Record<string, unknown>
const usageOf = async (rule: string) => shop.send('GET', `/v2/watch/management/rules/${rule}/usage`)

test('a rule that nobody names has no usage', async () => {
  const rule = await shop.rule('1 == 1')

  const { status, body } = await usageOf(rule)

  expect(status).toBe(200)
  expect(body).toEqual({
    rule_id: rule,
    recipe_count: 0,
    recipes: [],
    flow_count: 0,
    flows: [],
  })
})

test('the recipes that name a rule are told with its place, and the flows behind them', async () => {
  const rule = await shop.rule('1 == 1')
  const version_id = (await shop.send('GET', `/v2/watch/management/rules/${rule}`)).body[
    'version_id'
  ]
  const live = await shop.recipe([{ rule_id: rule, weight: 30, preempts: 'FLAG' }])
  const shadow = await shop.recipe([{ rule_id: rule, weight: -5, version_id }], {
    status: 'SHADOW',
  })
  const other = await shop.recipe([])
  const flow = await shop.flow([live, shadow])
  const ended = await shop.flow([live, other])
  await shop.send('DELETE', `/v2/watch/management/flows/${ended}`)

  const { body } = await usageOf(rule)

  const recipes = body['recipes'] as Body[]
  expect(body).toMatchObject({ recipe_count: 2, flow_count: 1 })
  expect(body['flows']).toEqual([{ id: flow, name: 'a flow' }])
  expect(recipes.find(({ id }) => id === live)).toEqual({
    id: live,
    name: 'a recipe',
    status: 'LIVE',
    weight: 30,
    preempts: 'FLAG',
  })
  expect(recipes.find(({ id }) => id === shadow)).toMatchObject({ weight: -5, version_id })
})

test('of another account’s rule, or a deleted one, nothing is told', async () => {
  const other = await openCustomer(vigil)
  const theirs = await other.rule('1 == 1')
  const gone = await shop.rule('1 == 1')
  await shop.send('DELETE', `/v2/watch/management/rules/${gone}`)

  for (const id of [theirs, gone, 'rul_01jc0t6fwwfgfsq1md24mhyztj', 'test']) {
    expect((await usageOf(id)).status).toBe(404)
  }
})
