import { expect, test } from 'vitest'
import { parseTime } from '../../src/cli/terminal/optionValues.ts'
import { projectedHead } from '../support/projectedHead.ts'
import { openShopOfFile } from './support/openShop.ts'

const number = '+33612345678'

const shop = await openShopOfFile()
const rule = await shop.customer.rule('signal.ext.a == "1"', 'first')
const recipe = await shop.customer.recipe([{ rule_id: rule, weight: 40 }], { name: 'Checkout' })
const flow = await shop.customer.flow([recipe])
const before = String(await projectedHead(shop.vigil))
await shop.customer.send('PUT', `/v2/watch/management/recipes/${recipe}`, {
  ...{ name: 'Checkout', status: 'LIVE', threshold: 45, rules: [{ rule_id: rule, weight: 60 }] },
})
await projectedHead(shop.vigil)

const evaluate = () => shop.run(['eval', flow, '--phone', number, '--ext', 'a=1'])

test('state prints what was configured at a position or a time', async () => {
  const { out } = await shop.run(['state', '--as-of', before, '--kind', 'recipe'])
  const now = await shop.read(['state', '--as-of', 'now', '--kind', 'recipe'])

  expect(out).toContain(`recipe ${recipe} "Checkout"  since `)
  expect(out).toContain('  threshold  50\n')
  expect(now['items']).toMatchObject([{ id: recipe, content: { threshold: 45 } }])
})

test('diff of two times prints field by field what changed, and ends with 1', async () => {
  const { out, code } = await shop.cli.run(['diff', '--from', before, '--to', 'now'])

  expect(code).toBe(1)
  expect(out).toMatch(/^recipe rcp_\w+ "Checkout" {2}changed \S+ by tok_\w+$/m)
  expect(out).toContain('  threshold  50 -> 45\n')
  expect(out).toMatch(/^ {2}rules\.rul_\w+\.weight {2}40 -> 60$/m)
  expect(out.trimEnd()).toMatch(/1 changed\.$/)
})

test('diff of one time and itself ends with 0, and takes a folder or times', async () => {
  const same = await shop.run(['diff', '--from', before, '--to', before])
  const both = await shop.cli.run(['diff', 'rulebook', '--from', 'monday'])
  const late = await shop.cli.run(['diff', '--from', '999999999'])

  expect(same.out).toBe('Nothing differs.\n')
  expect([both.code, (await shop.cli.run(['diff'])).code, late.code]).toEqual([2, 2, 2])
  expect(both.err).toContain('either a folder')
})

test.each([
  ['monday', '2026-11-23T00:00:00.000Z'],
  ['thursday', '2026-11-19T00:00:00.000Z'],
  ['wednesday', '2026-11-25T00:00:00.000Z'],
  ['now', '2026-11-25T14:00:00.000Z'],
  ['2026-11-17T14:00', '2026-11-17T14:00:00Z'],
  ['2026-11-17 14:00', '2026-11-17T14:00:00Z'],
  ['2026-11-17T14:00:05', '2026-11-17T14:00:05Z'],
  ['2026-11-17T14:00:05.25', '2026-11-17T14:00:05.25Z'],
  ['2026-11-17T14:00+01:00', '2026-11-17T14:00:00+01:00'],
  ['2026-11-17', '2026-11-17T00:00:00Z'],
])('%s is %s on a Wednesday', (given, meant) => {
  expect(parseTime(given)(Date.UTC(2026, 10, 25, 14))).toBe(meant)
})

test('replay --as-of prints both verdicts and what turns one into the other, and ends with 4', async () => {
  await evaluate()
  await projectedHead(shop.vigil)
  const { out, code } = await shop.cli.run(['replay', 'last', '--as-of', before])

  expect(code).toBe(4)
  expect(out).toContain('recorded  FLAG\n  FLAG  Checkout  60 of 45\n')
  expect(out).toContain(`as of ${before}  PASS\n  PASS  Checkout  40 of 50\n`)
  expect(out).toContain('Turns the verdict:\n  weight  "Checkout"  "first"  60 -> 40\n')
})

test('evaluations difference says what turns one verdict into the other', async () => {
  const { out: passed } = await shop.run(['eval', flow, '--phone', number, '--json'])
  await evaluate()
  await projectedHead(shop.vigil)
  const { id } = JSON.parse(passed) as { readonly id: string }
  const { out } = await shop.run(['evaluations', 'difference', id, 'last'])

  expect(out).toContain('Turns the verdict:\n  evidence  signal.ext.a  nothing -> "1"\n')
})
