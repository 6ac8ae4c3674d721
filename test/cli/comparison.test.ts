import { expect, test, vi } from 'vitest'
import { projectedHead } from '../support/projectedHead.ts'
import { withoutIds } from './support/openCli.ts'
import { openShopOfFile } from './support/openShop.ts'

const shop = await openShopOfFile()
const { customer, vigil } = shop
const large = await customer.rule('double(signal.ext.total) > 500.0', 'Large cart')
const hurried = await customer.rule('int(signal.ext.minutes) < 10', 'Hurried')
const live = await customer.recipe([{ rule_id: large, weight: 60 }])
const candidate = await customer.recipe(
  [
    { rule_id: large, weight: 60 },
    { rule_id: hurried, weight: 50 },
  ],
  { status: 'SHADOW' },
)
const flow = await customer.flow([live, candidate])
for (const [index, ext] of [
  { total: '20', minutes: '90000' },
  { total: '900', minutes: '3' },
  { total: '40', minutes: '2' },
  { total: '40' },
].entries()) {
  vigil.setTime(Date.parse('2026-11-21T07:30:00Z') + index * 60_000)
  await customer.evaluate(flow, { signals: { ext } })
}
await projectedHead(vigil)

const compared = (...words: string[]) => shop.run(['recipes', 'compare', live, candidate, ...words])

test('each pair of verdicts has a line, and where they differ there are examples', async () => {
  const { out } = await compared()

  expect(withoutIds(out)).toMatchInlineSnapshot(`
    "recipe  rcp_00000000000000000000000001
    other   rcp_00000000000000000000000002
    from    2026-11-14T07:33:00.001Z
    to      2026-11-21T07:33:00.001Z

    Of 4 evaluations both ran in 4: the same verdict in 3, another in 1.

    RECIPE  OTHER  EVIDENCE  EVALUATIONS  FRAUD  LEGITIMATE  UNLABELLED
    PASS    PASS   complete            1      0           0           1
    PASS    PASS   partial             1      0           0           1
    PASS    FLAG   complete            1      0           0           1
    FLAG    FLAG   complete            1      0           0           1

    Where they differ, the newest (vigil show says why):
    RECIPE  OTHER  EVALUATION
    PASS    FLAG   evl_00000000000000000000000003

    All of them (vigil evaluations export --where):
    passed_by = rcp_00000000000000000000000001 and flagged_by = rcp_00000000000000000000000002
    "
  `)
})

test('a difference ends with 4 only when asked to', async () => {
  const { code } = await compared()
  const words = ['recipes', 'compare', live, candidate, '--exit-code']

  const differing = await shop.cli.run(words)
  const agreeing = await shop.cli.run([...words, '--to', '2026-11-21T07:32:00Z'])

  expect([code, differing.code, agreeing.code]).toEqual([0, 4, 0])
})

test('it is of one flow and of the conditions when asked so, and counts labels across', async () => {
  const other = await customer.flow([live])
  const flagged = await shop.read([
    'recipes',
    'compare',
    live,
    candidate,
    '--where',
    'verdict = FLAG',
  ])
  const elsewhere = await shop.read(['recipes', 'compare', live, candidate, '--flow', other])

  expect([flagged['scanned'], flagged['agreements'], flagged['differences']]).toEqual([1, 1, 0])
  expect(elsewhere['scanned']).toBe(0)
})

test.each([
  [['rcp_01jc0t6fwwfgfsq1md24mhyztj'], "missing required argument 'other'"],
  [['rcp_1', 'rul_1'], '"rul_1" is the id of a rule, not of a recipe (rcp_…).'],
  [['rcp_1', ''], 'Give the id of a recipe (rcp_…), or its name.'],
  [['rcp_1', 'rcp_1'], 'A recipe is compared with another one.'],
  [['rcp_1', 'rcp_2', '--from', 'someday'], 'Must be a time as one of'],
  [
    ['rcp_1', 'rcp_2', '--from', '2026-11-21T00:00:00Z', '--to', '2026-11-21T01:00:00+02:00'],
    '--from must be before --to.',
  ],
])('%j is refused with 2 before anything is asked', async (words, said) => {
  const asked = vi.spyOn(globalThis, 'fetch')

  const { code, err } = await shop.cli.run(['recipes', 'compare', ...words])

  expect(code).toBe(2)
  expect(err).toContain(said)
  expect(asked).not.toHaveBeenCalled()
  asked.mockRestore()
})
