import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { projectedHead } from '../support/projectedHead.ts'
import { withoutIds } from './support/openCli.ts'
import { openShopOfFile } from './support/openShop.ts'

const shop = await openShopOfFile()
const { customer, vigil } = shop
const large = await customer.rule('double(signal.ext.total) > 500.0', 'Large cart')
const recipe = await customer.recipe([{ rule_id: large, weight: 60 }])
const flow = await customer.flow([recipe])
for (const [index, ext] of [{ total: '20' }, { total: '900' }, {}].entries()) {
  vigil.setTime(Date.parse('2026-11-21T07:30:00Z') + index * 60_000)
  await customer.evaluate(flow, { signals: { ext } })
}
await projectedHead(vigil)

const file = (name: string, content: object): string => {
  const path = join(vigil.folder, name)
  writeFileSync(path, JSON.stringify(content))
  return path
}
const backtest = (...words: string[]) => shop.run(['backtest', ...words])
const flowOf = ['--flow', flow]

test('a recipe takes its place in the flow, and what it turns is printed', async () => {
  const rules = [
    { rule_id: large, weight: 60 },
    { expression: 'signal.ext.total == "20"', weight: 50 },
  ]
  const draft = file('recipe.json', { id: recipe, threshold: 50, status: 'DRAFT', rules })

  const { out, err } = await backtest(draft, ...flowOf)

  expect(err).toBe('')
  expect(withoutIds(out)).toMatchInlineSnapshot(`
    "2026-11-14T07:32:00.001Z to 2026-11-21T07:32:00.001Z (UTC), lists of then: 3 evaluations.

    ANSWERED  TODAY  DRAFT  EVALUATIONS  PARTIAL  FRAUD  LEGITIMATE  UNLABELLED
    FLAG      FLAG   FLAG             1        0      0           0           1
    PASS      PASS   FLAG             1        0      0           0           1
    PASS      PASS   PASS             1        1      0           0           1

    The draft turns 1 to FLAG, 0 to PASS.
    Without it, the flow of today turns 0 of the answers to FLAG, 0 to PASS.

    EVALUATION                      ANSWERED  TODAY  DRAFT  LABEL
    evl_00000000000000000000000001  PASS      PASS   FLAG
    "
  `)
})

test('other weights are tried on the recipe, and its rules found by their names', async () => {
  const { out } = await backtest(
    ...flowOf,
    '--recipe',
    recipe,
    '--weight',
    'Large cart=10',
    '--json',
  )

  expect(JSON.parse(out)).toMatchObject({ by_draft: { to_flag: 0, to_pass: 1 }, evaluations: 3 })
})

test('a rule, and the recipes of a flow, are taken as they stand in a file', async () => {
  const rule = file('rule.json', { expression: 'signal.ext.total == "20"' })
  const recipes = file('flow.json', { recipes: [recipe] })

  const alone = JSON.parse((await backtest(rule, '--json')).out)
  const whole = JSON.parse((await backtest(recipes, ...flowOf, '--json')).out)

  expect(alone.table).toHaveLength(3)
  expect(whole).toMatchObject({ evaluations: 3, changed: [] })
})

test.each([
  [[], 'Give a file, or --flow and --recipe with --threshold or --weight.'],
  [[file('none.json', { name: 'x' }), ...flowOf], 'must have an expression'],
  [[file('open.json', { recipes: [recipe] })], 'Give the flow of the draft'],
  [[...flowOf, '--recipe', recipe, '--weight', `${large}=much`], '--weight must be RULE=NUMBER.'],
] as const)('%j is misused', async (words, message) => {
  await expect(backtest(...words)).rejects.toThrow(message)
})
