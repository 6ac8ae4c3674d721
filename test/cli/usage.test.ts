import { expect, test } from 'vitest'
import { projectedHead } from '../support/projectedHead.ts'
import { openAnswers } from './support/openAnswers.ts'
import { withoutIds } from './support/openCli.ts'
import { openShopOfFile } from './support/openShop.ts'

const shop = await openShopOfFile()

test('the recipes, the flows and the outcomes of a rule line up', async () => {
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
  const flow = await customer.flow([live, shadow])
  vigil.setTime(Date.parse('2026-11-20T12:00:00Z'))
  await customer.evaluate(flow, { signals: { ext: { total: '900' } } })
  vigil.setTime(Date.parse('2026-11-21T12:00:00Z'))
  await customer.evaluate(flow)
  await projectedHead(vigil)

  const { out } = await shop.run(['rules', 'usage', rule])

  expect(withoutIds(out)).toMatchInlineSnapshot(`
    "rul_00000000000000000000000001  in 2 recipes, 1 flow

    RECIPE                          STATUS  WEIGHT  PREEMPTS  PINNED TO                       NAME
    rcp_00000000000000000000000002  LIVE        60  FLAG                                      a recipe
    rcp_00000000000000000000000003  SHADOW       5            ver_00000000000000000000000004  Trial

    FLOW                            NAME
    flo_00000000000000000000000005  a flow

    Outcomes from 2026-11-15 to 2026-11-21 (UTC), once for each live recipe that ran it:
    DAY         EVALUATIONS  TRIGGERED  NOT_TRIGGERED  MISSING_DATA  UNAVAILABLE  SKIPPED
    2026-11-20            1          1              0             0            0        0
    2026-11-21            1          0              0             1            0        0
    all                   2          1              0             1            0        0

    In shadow recipes:
    DAY         EVALUATIONS  TRIGGERED  NOT_TRIGGERED  MISSING_DATA  UNAVAILABLE  SKIPPED
    2026-11-20            1          1              0             0            0        0
    2026-11-21            1          0              0             1            0        0
    all                   2          1              0             1            0        0
    "
  `)
})

test('a rule that nobody names says so', async () => {
  shop.vigil.setTime(Date.parse('2026-11-21T12:00:00Z'))
  const rule = await shop.customer.rule('list.block')

  const { out } = await shop.run(['rules', 'usage', rule])

  expect(out).toBe(
    `${rule}  in 0 recipes, 0 flows\n\nIt did not run from 2026-11-15 to 2026-11-21 (UTC).\n`,
  )
})

test('what is not listed is counted, and counts that are too low say so', async () => {
  const rule = 'rul_01jc0t6fwwfgfsq1md24mhyztj'
  const counts = { triggered: 1, not_triggered: 0, missing_data: 0, unavailable: 0, skipped: 0 }
  const shadow = { ...counts, count: 0 }
  const answer = {
    rule_id: rule,
    recipe_count: 3,
    recipes: [{ id: 'rcp_1', name: 'R\u001b[31m', status: 'LIVE', weight: 1 }],
    flow_count: 2,
    flows: [{ id: 'flo_1', name: 'F' }],
    evaluations: {
      from: '2026-11-15',
      to: '2026-11-21',
      ...counts,
      shadow,
      days: [{ day: '2026-11-21', ...counts, shadow }],
      truncated: true,
    },
  }
  const server = await openAnswers(() => ({ body: answer }))

  const { out } = await shop.run(['rules', 'usage', rule, '--server', server.url])

  expect(out).toContain('and 2 more recipes\n')
  expect(out).toContain('and 1 more flow\n')
  expect(out).toContain('The counts are too low')
  expect(out).not.toContain('\u001b')
})
