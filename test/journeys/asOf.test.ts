import { expect, test } from 'vitest'
import { eventually } from '../support/eventually.ts'
import { openTwoInstances } from '../support/openTwoInstances.ts'
import { openCustomer } from '../support/openVigil.ts'

test('an evaluation says up to where its instance knew the log before it', async () => {
  const { a, b } = await openTwoInstances()
  const customer = await openCustomer(a)
  const flow = await customer.flowOf('signal.ext.a == "1"')
  const made = { name: 'another', expression: 'signal.ext.b == "1"' }
  const rule = await customer.send('POST', '/v2/watch/management/rules', made)
  const changed = Number(rule.headers['x-vigil-position'])

  for (const { door, context } of [a, b]) {
    await eventually(() => context.followed.position >= changed)
    const { token } = customer
    const body = { flow_id: flow, target: { phone_number: '+33612345678' } }
    const { id } = (await door.request('POST', '/v2/watch/eval', { token, body })).body
    const shown = (await door.request('GET', `/v2/watch/evaluations/${id}`, { token })).body

    expect(Number(shown['as_of'])).toBeGreaterThanOrEqual(changed)
    expect(Number(shown['as_of'])).toBeLessThan(Number(shown['position']))
  }
})
