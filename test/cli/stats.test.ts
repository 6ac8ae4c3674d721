import { expect, test } from 'vitest'
import { projectedHead } from '../support/projectedHead.ts'
import { withoutIds } from './support/openCli.ts'
import { openShopOfFile } from './support/openShop.ts'

const shop = await openShopOfFile()
const { customer, vigil } = shop

async function evaluateForTwoWeeks(): Promise<void> {
  vigil.setTime(Date.parse('2026-11-09T08:00:00Z'))
  const total = await customer.rule('double(signal.ext.total) > 500.0')
  const known = await customer.rule('signal.existing_user')
  const rules = [
    { rule_id: total, weight: 55 },
    { rule_id: known, weight: -20 },
  ]
  const live = await customer.recipe(rules)
  const shadow = await customer.recipe(rules, { name: 'Trial', status: 'SHADOW', threshold: 30 })
  const flow = await customer.flow([live, shadow])
  for (const [time, total, existing_user] of [
    ['2026-11-10T12:00:00Z', '900', false],
    ['2026-11-10T13:00:00Z', '100', false],
    ['2026-11-17T12:00:00Z', '900', true],
    ['2026-11-18T12:00:00Z', '900', undefined],
    ['2026-11-19T09:30:00Z', undefined, false],
  ] as const) {
    vigil.setTime(Date.parse(time))
    const signals = { ...(existing_user !== undefined && { existing_user }) }
    await customer.evaluate(flow, { signals: { ...signals, ...(total && { ext: { total } }) } })
  }
  await projectedHead(vigil)
}

test('flows and recipes line up with their figures, those of a week before, scores and time', async () => {
  const empty = await shop.run(['stats'])
  expect(empty.out).toMatch(/^No evaluations from .* nor a week before\.\n$/)
  await evaluateForTwoWeeks()

  const { out } = await shop.run(['stats'])

  expect(withoutIds(out)).toMatchInlineSnapshot(`
    "2026-11-13T00:00 to 2026-11-20T00:00 (UTC), by day; the week before ends seven days before 2026-11-19T09:00.

    FLOW, RECIPE  STATUS  EVALUATIONS  FLAGGED  SHARE  WEEK BEFORE  FRAGILE  PARTIAL  OVERRIDDEN  MEDIAN  THRESHOLD  SCORES       BY DAY
    a flow                          3        1  33.3%   50.0% of 2        2                                                       ....███
      a recipe    LIVE              3        1  33.3%   50.0% of 2        2        2           0      35         50  █..█.|█....  ....███
      Trial       SHADOW            3        2  66.7%   50.0% of 2        1        2           0      35         30  █..|█.█....  ....███

    Missing in a flow: signal.existing_user in 1 evaluation; signal.ext.total in 1 evaluation
    "
  `)
})

test('hours of one flow, and what is nothing is a dash', async () => {
  const { out } = await shop.run([
    ...['stats', '--flow', 'a flow', '--by', 'hour'],
    ...['--from', '2026-11-19T08:00', '--to', '2026-11-19T09:00'],
  ])

  expect(withoutIds(out)).toMatchInlineSnapshot(`
    "2026-11-19T08:00 to 2026-11-19T09:00 (UTC), by hour; the week before ends seven days before 2026-11-19T09:00.

    FLOW, RECIPE  STATUS  EVALUATIONS  FLAGGED  SHARE  WEEK BEFORE  FRAGILE  PARTIAL  OVERRIDDEN  MEDIAN  THRESHOLD  SCORES  BY HOUR
    a flow                          0        0      -            -        0                                                  -
    "
  `)
})

test('CSV has a line for each day of a flow and recipe, its empty rates empty', async () => {
  const { out } = await shop.run(['stats', '--csv', '--from', '2026-11-18', '--to', '2026-11-20'])

  expect(withoutIds(out)).toMatchInlineSnapshot(`
    "flow_id,flow_name,imported,recipe_id,recipe_name,status,from,local,unfinished,evaluations,flagged,share,fragile,partial,overridden,median_score
    flo_00000000000000000000000001,a flow,false,,,,2026-11-18T00:00:00.000Z,,false,1,1,1,1,,,
    flo_00000000000000000000000001,a flow,false,,,,2026-11-19T00:00:00.000Z,,true,1,0,0,1,,,
    flo_00000000000000000000000001,a flow,false,rcp_00000000000000000000000002,a recipe,LIVE,2026-11-18T00:00:00.000Z,,false,1,1,1,1,1,0,55
    flo_00000000000000000000000001,a flow,false,rcp_00000000000000000000000002,a recipe,LIVE,2026-11-19T00:00:00.000Z,,true,1,0,0,1,1,0,0
    flo_00000000000000000000000001,a flow,false,rcp_00000000000000000000000003,Trial,SHADOW,2026-11-18T00:00:00.000Z,,false,1,1,1,0,1,0,55
    flo_00000000000000000000000001,a flow,false,rcp_00000000000000000000000003,Trial,SHADOW,2026-11-19T00:00:00.000Z,,true,1,0,0,1,1,0,0
    "
  `)
})

test.each([
  ['Europe/Paris', '2026-11-18T00:00+01:00 to 2026-11-20T00:00+01:00 (Europe/Paris), by day;'],
  ['+05:30', '2026-11-18T00:00+05:30 to 2026-11-20T00:00+05:30 (+05:30), by day, scanned;'],
])('days are those of the zone %s, and it is said when they were scanned', async (zone, head) => {
  const range = ['--from', '2026-11-18T12:00', '--to', '2026-11-19T12:00']
  const { out } = await shop.run(['stats', '--zone', zone, ...range])

  expect(out.split('\n', 1)[0]).toContain(head)
  expect(out).toMatch(/^a flow +2 +1 +50\.0%/m)
})

test('options that do not fit are refused before anything is sent', async () => {
  const reversed = await shop.cli.run(['stats', '--from', 'now', '--to', 'yesterday'])
  expect(reversed).toMatchObject({ code: 2, err: 'vigil: --from must be before --to.\n' })
  const both = await shop.cli.run(['stats', '--csv', '--json'])
  expect(both.code).toBe(2)
  expect(both.err).toContain('Only one of --csv and --json can be given.')
  const nowhere = await shop.cli.run(['stats', '--zone', 'Europe/Atlantis'])
  expect(nowhere.code).toBe(2)
  expect(nowhere.err).toContain('Must be a time zone, as in Europe/Paris or +01:00.')
})
