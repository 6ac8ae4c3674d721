/**
 * What one account has authored stays within the limits of a rulebook, and an account beyond them goes on being served.
 */

import { afterEach, describe, expect, test, vi } from 'vitest'
import { type Customer, openCustomer, openVigil, type Vigil } from '../support/openVigil.ts'

const path = '/v2/watch/management'
const full = { code: 'conflict', message: expect.stringContaining('An account may have') }

const given = vi.hoisted(() => ({ text: 0 }))
vi.mock('../../src/state/rulebook/rulebookLimits.ts', async (load) => {
  const module = await load<typeof import('../../src/state/rulebook/rulebookLimits.ts')>()
  const rulebookLimits = {
    ...module.rulebookLimits,
    get text() {
      return given.text
    },
  }
  return { ...module, rulebookLimits }
})

/** A rule with a text of so many characters and a few more. */
const long = (chars: number) => `target.phone_number != ""${' '.repeat(chars)}`

let vigil: Vigil
afterEach(() => vigil.close())

const open = async (text: number): Promise<Customer> => {
  given.text = text
  vigil = await openVigil()
  return openCustomer(vigil)
}

/** Makes rules of this length until one is refused; their ids, and the refusal. */
async function fill(customer: Customer, chars: number) {
  const made: string[] = []
  while (made.length < 200) {
    const rule = { name: 'long', expression: long(chars) }
    const answer = await customer.send('POST', `${path}/rules`, rule)
    if (answer.status !== 201) return { made, answer }
    made.push(String(answer.body['id']))
  }
  throw new Error('there is room without end')
}

/** The flow that the account had before there was no room for more. */
async function filled(customer: Customer) {
  const flow = await customer.flowOf('target.phone_number != ""')
  const { made } = await fill(customer, 2_000)
  return { flow, made, answer: (await fill(customer, 0)).answer }
}

describe('an account that has no room for more', () => {
  test('is told so, whatever would grow, and is evaluated as before; another one has its own room', async () => {
    const customer = await open(20_000)
    const { flow, made, answer } = await filled(customer)
    const [first = ''] = made
    const grown = { name: 'long', expression: long(4_000) }
    const rules = made.map((rule_id) => ({ rule_id, weight: 1 }))
    const recipe = { name: 'n'.repeat(100), status: 'LIVE', threshold: 1, rules }
    const recipes = Array.from({ length: 10 }, () => ({ content: recipe }))

    const other = await openCustomer(vigil)
    const refused = [
      await customer.send('POST', `${path}/changes`, { recipes }),
      await customer.send('POST', `${path}/changes`, { recipes, dry_run: true }),
      await customer.send('PUT', `${path}/rules/${first}`, grown),
    ]

    expect(made.length).toBeGreaterThan(3)
    for (const one of [answer, ...refused]) {
      expect(one.status).toBe(409)
      expect(one.body).toMatchObject(full)
    }
    expect((await customer.evaluate(flow)).body).toMatchObject({ verdict: 'FLAG' })
    expect((await filled(other)).made.length).toBe(made.length)
  })

  test('does not bring back a version that is larger than what stands', async () => {
    const customer = await open(20_000)
    const { made } = await filled(customer)
    const [first = ''] = made
    const before = await customer.send('GET', `${path}/rules/${first}`)
    const shorter = { name: 'long', expression: long(10) }
    await customer.send('PUT', `${path}/rules/${first}`, shorter)
    await fill(customer, 0)

    const version = String(before.body['version_id'])
    const restored = await customer.send(
      'POST',
      `${path}/rules/${first}/versions/${version}/restore`,
    )

    expect(restored.status).toBe(409)
    expect(restored.body).toMatchObject(full)
  })
})

test('an account that has more than it may is served, and may make it less', async () => {
  const customer = await open(60_000)
  const { send } = customer
  const { flow, made } = await filled(customer)
  given.text = 10_000
  const [first = '', second = ''] = made

  const evaluated = await send('POST', '/v2/watch/eval', {
    flow_id: flow,
    target: { phone_number: '+33612345678' },
  })
  const listed = await send('GET', `${path}/rules?limit=200`)
  const grown = await send('PUT', `${path}/rules/${first}`, { name: 'x', expression: long(4_000) })
  const less = await send('PUT', `${path}/rules/${first}`, { name: 'x', expression: long(10) })
  const deleted = await send('DELETE', `${path}/rules/${second}`)
  const created = await send('POST', `${path}/rules`, { name: 'x', expression: 'list.block' })

  expect([evaluated.status, listed.status]).toEqual([200, 200])
  expect([grown.status, less.status, deleted.status]).toEqual([409, 200, 204])
  expect(created.status).toBe(409)
  expect(created.body).toMatchObject(full)
})
