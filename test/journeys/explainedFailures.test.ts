import { beforeAll, expect, test } from 'vitest'
import { openVigilOfFile } from '../support/openOfFile.ts'
import { openCustomer, sendAs } from '../support/openVigil.ts'

const problem =
  'signal.ext.cart is "12a", which int() cannot read: compare it as text, or convert only what fits: signal.ext.cart.matches("^-?[0-9]{1,15}$") && int(signal.ext.cart + "") …'
const text = 'int(signal.ext.cart) > 3'
const sample = {
  target: { phone_number: '+33612345678' },
  signals: { ext: { cart: '12a' } },
}

const vigil = await openVigilOfFile()
const shop = await openCustomer(vigil)
let flow = ''
let evaluated: Awaited<ReturnType<typeof shop.evaluate>>

beforeAll(async () => {
  flow = await shop.flowOf(text)
  evaluated = await shop.evaluate(flow, sample)
})

const pathOf = () => `/v2/watch/evaluations/${String(evaluated.body['id'])}`

test('an evaluation whose rule cannot read what arrived names the signal, as ever, and replays', async () => {
  const { body } = await shop.send('POST', `${pathOf()}/replay`)

  const [rule] = (evaluated.body['recipes'] as { rules: object[] }[])[0]?.rules ?? []
  expect(rule).toMatchObject({ outcome: 'NOT_EVALUATED', blocked_by: 'signal.ext.cart' })
  expect(rule).not.toHaveProperty('problem')
  expect(body).toEqual({ result: 'MATCH', differences: [] })
})

test.each(['', '?explain=expressions'])('it is explained%s with the problem', async (query) => {
  const { body } = await shop.send('GET', `${pathOf()}${query}`)

  expect(body).toMatchObject({ explanation: [{ rules: [{ problem }] }] })
})

test('a token with audit alone sees that there is one, and not what was read', async () => {
  const token = await shop.tokenWith(['audit'])

  const { body } = await sendAs(vigil, token)('GET', `${pathOf()}?explain=expressions`)

  expect(body).toMatchObject({ explanation: [{ rules: [{ problem: { sealed: true } }] }] })
  expect(JSON.stringify(body)).not.toContain('12a')
})

test('it is said when a rule or a flow is tried', async () => {
  const tried = { expression: text, evidence: sample }
  const rule = await shop.send('POST', '/v2/watch/management/rules/test', tried)
  const whole = await shop.send('POST', `/v2/watch/management/flows/${flow}/test`, sample)

  expect(rule.body).toMatchObject({ problem, reads: [{ arrived: false, value: '12a' }] })
  expect(whole.body).toMatchObject({ explanation: [{ rules: [{ problem }] }] })
})
