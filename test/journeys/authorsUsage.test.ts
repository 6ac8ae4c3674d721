import { expect, test } from 'vitest'
import { openShopOfFile } from '../support/openOfFile.ts'
import { openCustomer } from '../support/openVigil.ts'

const { vigil, shop } = await openShopOfFile()

type Body = Record<string, unknown>
const zeros = {
  count: 0,
  triggered: 0,
  not_triggered: 0,
  missing_data: 0,
  unavailable: 0,
  skipped: 0,
}
const none = { ...zeros, shadow: zeros }
const usageOf = async (rule: string, min = '') =>
  shop.send('GET', `/v2/watch/management/rules/${rule}/usage${min}`)
const at = (day: string) => vigil.setTime(Date.parse(`${day}T12:00:00Z`))

test('a rule that nobody names has no usage', async () => {
  at('2026-11-21')
  const rule = await shop.rule('1 == 1')

  const { status, body } = await usageOf(rule)

  expect(status).toBe(200)
  expect(body).toEqual({
    rule_id: rule,
    recipe_count: 0,
    recipes: [],
    flow_count: 0,
    flows: [],
    evaluations: { from: '2026-11-15', to: '2026-11-21', ...none, days: [], truncated: false },
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

test('its outcomes are counted by day, over the last seven days, from before a change too', async () => {
  const rule = await shop.rule('signal.ext.total == "1"')
  const members = [{ rule_id: rule, weight: 60 }]
  const flow = await shop.flow([
    await shop.recipe(members),
    await shop.recipe(members, { status: 'SHADOW' }),
  ])
  // the live and the shadow recipe run the same
  const apart = (counts: object) => ({ ...zeros, ...counts, shadow: { ...zeros, ...counts } })
  const evaluate = (total: string) => shop.evaluate(flow, { signals: { ext: { total } } })
  at('2026-11-14')
  await evaluate('1')
  at('2026-11-15')
  await evaluate('1')
  await evaluate('2')
  await shop.send('PUT', `/v2/watch/management/rules/${rule}`, {
    name: 'changed',
    expression: 'signal.ext.total == "3"',
  })
  at('2026-11-21')
  await evaluate('3')
  const last = await evaluate('')

  const { body } = await usageOf(rule, `?min_position=${last.headers['x-vigil-position']}`)

  expect(body['evaluations']).toEqual({
    from: '2026-11-15',
    to: '2026-11-21',
    ...apart({ count: 4, triggered: 2, not_triggered: 1, missing_data: 1 }),
    days: [
      { day: '2026-11-15', ...apart({ count: 2, triggered: 1, not_triggered: 1 }) },
      { day: '2026-11-21', ...apart({ count: 2, triggered: 1, missing_data: 1 }) },
    ],
    truncated: false,
  })
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
