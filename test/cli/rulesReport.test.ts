import { expect, test } from 'vitest'
import { projectedHead } from '../support/projectedHead.ts'
import { withoutIds } from './support/openCli.ts'
import { openShopOfFile } from './support/openShop.ts'

const shop = await openShopOfFile()
const { customer, vigil } = shop
const large = await customer.rule('double(signal.ext.total) > 500.0', 'Large cart')
const never = await customer.rule('1 == 2', 'Impossible')
const live = await customer.recipe([
  { rule_id: large, weight: 60 },
  { rule_id: never, weight: 10 },
])
const flow = await customer.flow([live])
const ids: string[] = []
for (const [index, ext] of [{ total: '900' }, { total: '800' }, { total: '20' }, {}].entries()) {
  vigil.setTime(Date.parse('2026-11-21T07:30:00Z') + index * 60_000)
  ids.push(String((await customer.evaluate(flow, { signals: { ext } })).body['id']))
}
for (const [evaluation_id, label] of [
  [ids[0], 'fraud'],
  [ids[2], 'legitimate'],
]) {
  const target = { type: 'phone_number', value: '+33612345678' }
  const event = { target, evaluation_id, label, confidence: 'maximum' }
  await customer.send('POST', '/v2/watch/event', { events: [event] })
}
await projectedHead(vigil)

test('rules are printed with outcomes, then against labels; - where no label says it', async () => {
  const { out } = await shop.run(['rules', 'report'])

  expect(withoutIds(out)).toMatchInlineSnapshot(`
    "4 evaluations from 2026-11-14T07:33:00.001Z to 2026-11-21T07:33:00.001Z (UTC)
    Labelled fraud: 1, legitimate: 1; unlabelled: 2

    RULE        STATUS  VERSION                         FIRED  NOT FIRED  NOT EVALUATED  SKIPPED  UNAVAILABLE  FIRES  MISSING
    Large cart  LIVE    ver_00000000000000000000000001      2          1              1        0            0         signal.ext.total 1
    Impossible  LIVE    ver_00000000000000000000000002      0          4              0        0            0  never

    Against the label class fraud, with 95% intervals; - where no label says it:
    RULE        STATUS  FRAUD  FALSE POSITIVES  UNLABELLED                 PRECISION                    RECALL                 LIFT        ALONE
    Large cart  LIVE        1                0           1  100.0% (20.7% to 100.0%)  100.0% (20.7% to 100.0%)  2.00 (0.41 to 2.00)  2 (1 fraud)
    Impossible  LIVE        0                0           0                         -      0.0% (0.0% to 79.3%)                    -  0 (0 fraud)
    "
  `)
})

test('the other class, a flow and conditions are asked of the service', async () => {
  const other = await customer.flow([live])
  const legitimate = await shop.read(['rules', 'report', '--label-class', 'legitimate'])
  const elsewhere = await shop.run(['rules', 'report', '--flow', other])
  const flagged = await shop.read(['rules', 'report', '--where', 'verdict = FLAG'])

  expect(legitimate).toMatchObject({
    label_class: 'legitimate',
    rules: [{ false_positives: 1, precision: { value: 0 } }, {}],
  })
  expect(elsewhere.out).toMatch(/\nNo rule ran\.\n$/)
  expect(flagged).toMatchObject({ evaluations: { fraud: 1, legitimate: 0, unlabelled: 1 } })
})

test.each([
  [['--from', '2026-11-21T00:00:00Z', '--to', '2026-11-20T00:00:00Z'], '--from must be before'],
  [['--label-class', 'guilty'], 'fraud, legitimate'],
])('%j is refused with 2', async (words, said) => {
  const { code, err } = await shop.cli.run(['rules', 'report', ...words])

  expect(code).toBe(2)
  expect(err).toContain(said)
})
