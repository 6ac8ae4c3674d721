import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { projectedHead } from '../support/projectedHead.ts'
import { openAnswers } from './support/openAnswers.ts'
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

test('it can be left to the service, listed, shown, and gone on with', async () => {
  const rule = file('left.json', { expression: 'signal.ext.total == "20"' })

  const id = (await backtest(rule, '--detach')).out.trim()
  await vigil.service.context.background.settled()
  const listed = await shop.run(['backtests', 'list'], { columns: 200 })
  const shown = await shop.run(['backtests', 'show', id])
  const cancelled = await shop.run(['backtests', 'cancel', id])
  const resumed = await backtest(rule, '--resume', id)

  expect(id).toMatch(/^bkt_\w{26}$/)
  expect(listed.out).toMatch(new RegExp(`^${id} +DONE +\\S+ +rule +\\S+ +\\S+ +3$`, 'm'))
  expect(shown.out).toMatch(
    /^DONE: a rule, started \S+, reported \S+\.\nBacktest: 100 %, 3 evaluations\n/,
  )
  expect(shown.out).toContain(resumed.out)
  expect(cancelled.out).toBe(shown.out)
})

/** Five seconds after its start. */
const running = {
  ...{ id: 'bkt_1', state: 'RUNNING', tried: 'rule', lists: 'then', scanned: 10, done: 0.25 },
  ...{ started_at: '2026-11-21T07:30:00.000Z', reported_at: '2026-11-21T07:30:05.000Z' },
  ...{ from: '2026-11-14T07:30:00.000Z', to: '2026-11-21T07:30:00.000Z', end: '9' },
  ...{ evaluations: 10, forgotten: 0, table: [], changed: [], changed_more: 0 },
  ...{ by_draft: { to_flag: 0, to_pass: 0 }, anyway: { to_flag: 0, to_pass: 0 } },
}
const rule = file('one.json', { expression: 'signal.ext.total == "20"' })

test('Ctrl-C cancels it, and says how to go on', async () => {
  const interruption = new AbortController()
  const server = await openAnswers(({ method, path }) => {
    if (path.endsWith('/cancel')) return { body: { ...running, state: 'CANCELLED' } }
    if (method === 'GET') interruption.abort()
    return { body: running }
  })

  const { signal: interrupted } = interruption
  const words = ['backtest', rule, '--server', server.url]
  const { code, err } = await shop.cli.run(words, { interrupted, terminal: true })

  expect(code).toBe(130)
  expect(err).toContain('Backtest: 25 %, 10 evaluations')
  expect(err).toContain('Interrupted. Go on with --resume bkt_1, and what it was started with.\n')
  const path = '/v2/watch/management/backtests/bkt_1/cancel'
  expect(server.asked.at(-1)).toMatchObject({ method: 'POST', path })
})

test('one that ended before its end prints what it has found, and how to go on', async () => {
  const server = await openAnswers(() => ({ body: { ...running, state: 'INTERRUPTED' } }))

  const { code, out, err } = await shop.cli.run(['backtest', rule, '--server', server.url])

  expect(code).toBe(3)
  expect(out).toContain('10 evaluations.')
  expect(err).toContain('The backtest ended before its end: INTERRUPTED. Go on with --resume bkt_1')
})

test.each([
  [[], 'Give a file, or --flow and --recipe with --threshold or --weight.'],
  [[file('none.json', { name: 'x' }), ...flowOf], 'must have an expression'],
  [[file('open.json', { recipes: [recipe] })], 'Give the flow of the draft'],
  [[...flowOf, '--recipe', recipe, '--weight', `${large}=much`], '--weight must be RULE=NUMBER.'],
  [[rule, '--resume', 'bkt_1', '--from', '2d'], 'leave out --from and --to'],
] as const)('%j is misused', async (words, message) => {
  await expect(backtest(...words)).rejects.toThrow(message)
})
