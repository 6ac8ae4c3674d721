/** What the phone lists say in evaluations: the next one knows of a change, and what was answered is evidence. */

import { beforeEach, describe, expect, test } from 'vitest'
import { shippedId } from '../../src/domain/ids.ts'
import { eventually } from '../support/eventually.ts'
import { openVigilOfFile } from '../support/openOfFile.ts'
import { type Instance, openTwoInstances } from '../support/openTwoInstances.ts'
import { type Customer, openCustomer, sendAs } from '../support/openVigil.ts'

const base = '/v2/verification/management/phone-numbers'
const start = Date.UTC(2026, 10, 21, 9, 30)
const listedNumber = '+12133734001'
const otherNumber = '+12133734002'

const vigil = await openVigilOfFile()
let shop: Customer
beforeEach(async () => {
  vigil.setTime(start)
  shop = await openCustomer(vigil)
})

const change = (method: string, list: string, more: object = {}) =>
  shop.send(method, `${base}/${list}`, { phone_number: listedNumber, ...more })
const evaluate = async (flow: string, number = listedNumber) =>
  (await shop.evaluate(flow, { target: { phone_number: number } })).body
const verdictOf = async (flow: string, number?: string) => (await evaluate(flow, number))['verdict']
const evidenceOf = async (id: unknown) => {
  const { body } = await shop.send('GET', `/v2/watch/evaluations/${id}`)
  const items = body['evidence'] as { name: string; value: unknown; revision?: number }[]
  return new Map(items.map(({ name, ...item }) => [name, item]))
}
const replay = async (id: unknown) =>
  (await shop.send('POST', `/v2/watch/evaluations/${id}/replay`)).body

test('the next evaluation knows of every change of a list', async () => {
  const flow = await shop.flowOf('list.block && !list.allow')

  const before = await verdictOf(flow)
  await change('POST', 'block')
  const blocked = await verdictOf(flow)
  await change('POST', 'allow')
  const allowed = await verdictOf(flow)
  await change('DELETE', 'allow')
  const again = await verdictOf(flow)
  await change('DELETE', 'block')
  const after = await verdictOf(flow)

  expect([before, blocked, allowed, again, after]).toEqual(['PASS', 'FLAG', 'PASS', 'FLAG', 'PASS'])
})

test('what the list answered is evidence with its revision, and a replay answers the same after the list has changed', async () => {
  const flow = await shop.flowOf('list.block')
  const added = await change('POST', 'block')
  const { id } = await evaluate(flow)

  await change('DELETE', 'block')
  vigil.setTime(start + 60_000)

  expect(await verdictOf(flow)).toBe('PASS')
  expect(await replay(id)).toEqual({ result: 'MATCH', differences: [] })
  const { value, revision } = (await evidenceOf(id)).get('list.block') ?? {}
  expect(value).toBe(true)
  expect(revision).toBeGreaterThanOrEqual(Number(added.headers['x-vigil-position']))
})

test('an entry ends by the time of the evaluation', async () => {
  const flow = await shop.flowOf('list.block')
  await change('POST', 'block', { expires_at: '2026-11-21T10:00:00Z' })

  vigil.setTime(Date.UTC(2026, 10, 21, 9, 59, 59, 999))
  const { id, verdict } = await evaluate(flow)
  vigil.setTime(Date.UTC(2026, 10, 21, 10))

  expect(verdict).toBe('FLAG')
  expect(await verdictOf(flow)).toBe('PASS')
  expect(await replay(id)).toEqual({ result: 'MATCH', differences: [] })
})

test('one account’s lists say nothing of another’s users', async () => {
  await change('POST', 'block')
  const stranger = await openCustomer(vigil)
  const flow = await stranger.flowOf('list.block')

  const answer = await stranger.evaluate(flow, { target: { phone_number: listedNumber } })

  expect(answer.body['verdict']).toBe('PASS')
})

describe('the managed recipe', () => {
  test('passes who is allowed and flags who is blocked, whatever the rules after it find', async () => {
    const rule = await shop.rule('target.phone_number == "+12133734002"')
    const recipe = await shop.recipe([{ rule_id: rule, weight: 100 }], {
      base_recipe_id: shippedId('rcp', 'phone-lists'),
      threshold: 100,
    })
    const flow = await shop.flow([recipe])
    await change('POST', 'block')
    await change('POST', 'allow', { phone_number: otherNumber })

    const blocked = await evaluate(flow)
    const allowed = await evaluate(flow, otherNumber)

    const decidedBy = (answer: Record<string, unknown>) =>
      (answer['recipes'] as { determined_by?: string }[])[0]?.determined_by
    expect([blocked['verdict'], decidedBy(blocked)]).toEqual([
      'FLAG',
      shippedId('rul', 'block-list'),
    ])
    expect([allowed['verdict'], decidedBy(allowed)]).toEqual([
      'PASS',
      shippedId('rul', 'allow-list'),
    ])
  })
})

const ask = (instance: Instance, token: string, asked: readonly [string, string, unknown?]) =>
  sendAs(instance, token)(...asked)

/** Both instances with a customer, its flow, and the customer’s lists in the memory of both. */
async function openHolding() {
  const { a, b } = await openTwoInstances()
  const customer = await openCustomer(a)
  const flow = await customer.flowOf('list.block')
  const at = async (instance: Instance, number: string) => {
    const body = { flow_id: flow, target: { phone_number: number } }
    return (await ask(instance, customer.token, ['POST', '/v2/watch/eval', body])).body['verdict']
  }
  const isHeld = ({ context }: Instance) => {
    return context.cachedLists.get({ account: customer.accountId, list: 'block' }) !== undefined
  }
  await ask(a, customer.token, ['POST', `${base}/block`, { phone_number: '+12133734009' }])
  for (const instance of [a, b]) {
    await eventually(async () => {
      await at(instance, otherNumber)
      return isHeld(instance)
    })
  }
  return { a, b, customer, at }
}

describe('with the lists in memory', () => {
  test('a change on one instance is seen by the next evaluation there, and within a second on the other', async () => {
    const { a, b, customer, at } = await openHolding()

    await ask(a, customer.token, ['POST', `${base}/block`, { phone_number: listedNumber }])
    const here = await at(a, listedNumber)
    await eventually(async () => (await at(b, listedNumber)) === 'FLAG')
    await ask(b, customer.token, ['DELETE', `${base}/block`, { phone_number: listedNumber }])

    expect(here).toBe('FLAG')
    expect([await at(b, listedNumber), await at(a, listedNumber)]).toEqual(['PASS', 'PASS'])
    expect([...a.faults, ...b.faults]).toEqual([])
  })

  test('a number on no list costs no question to the log', async () => {
    const { b, at } = await openHolding()
    const before = b.reads()

    for (let count = 0; count < 5; count += 1) await at(b, otherNumber)

    expect(b.reads()).toBe(before)
  })
})
