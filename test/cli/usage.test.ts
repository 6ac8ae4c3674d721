import { expect, test } from 'vitest'
import { openAnswers } from './support/openAnswers.ts'
import { withoutIds } from './support/openCli.ts'
import { openShopOfFile } from './support/openShop.ts'

const shop = await openShopOfFile()

test('the recipes and the flows of a rule line up', async () => {
  const { customer, vigil } = shop
  const rule = await customer.rule('double(signal.ext.total) > 500.0', 'Large cart')
  const { version_id } = await shop.read(['rules', 'get', rule])
  vigil.setTime(Date.parse('2026-11-20T11:00:00Z'))
  const live = await customer.recipe([{ rule_id: rule, weight: 60, preempts: 'FLAG' }])
  vigil.setTime(Date.parse('2026-11-20T11:01:00Z'))
  const shadow = await customer.recipe([{ rule_id: rule, weight: 5, version_id }], {
    name: 'Trial',
    status: 'SHADOW',
  })
  await customer.flow([live, shadow])

  const { out } = await shop.run(['rules', 'usage', rule])

  expect(withoutIds(out)).toMatchInlineSnapshot(`
    "rul_00000000000000000000000001  in 2 recipes, 1 flow

    RECIPE                          STATUS  WEIGHT  PREEMPTS  PINNED TO                       NAME
    rcp_00000000000000000000000002  LIVE        60  FLAG                                      a recipe
    rcp_00000000000000000000000003  SHADOW       5            ver_00000000000000000000000004  Trial

    FLOW                            NAME
    flo_00000000000000000000000005  a flow
    "
  `)
})

test('a rule that nobody names says so', async () => {
  const rule = await shop.customer.rule('list.block')

  const { out } = await shop.run(['rules', 'usage', rule])

  expect(out).toBe(`${rule}  in 0 recipes, 0 flows\n`)
})

test('what is not listed is counted', async () => {
  const rule = 'rul_01jc0t6fwwfgfsq1md24mhyztj'
  const answer = {
    rule_id: rule,
    recipe_count: 3,
    recipes: [{ id: 'rcp_1', name: 'R\u001b[31m', status: 'LIVE', weight: 1 }],
    flow_count: 2,
    flows: [{ id: 'flo_1', name: 'F' }],
  }
  const server = await openAnswers(() => ({ body: answer }))

  const { out } = await shop.run(['rules', 'usage', rule, '--server', server.url])

  expect(out).toContain('and 2 more recipes\n')
  expect(out).toContain('and 1 more flow\n')
  expect(out).not.toContain('\u001b')
})
