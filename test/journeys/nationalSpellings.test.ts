/**
 * One phone in two spellings of its country is one person, and a number that tables refuse can be asked for and erased.
 */

import { beforeEach, describe, expect, test } from 'vitest'
import { openVigilOfFile } from '../support/openOfFile.ts'
import { type Customer, openCustomer } from '../support/openVigil.ts'
import { newApp } from '../support/startSession.ts'

const block = '/v2/verification/management/phone-numbers/block'

const vigil = await openVigilOfFile()
let shop: Customer
beforeEach(async () => {
  shop = await openCustomer(vigil)
})

const ask = async (method: string, path: string, body?: object) => {
  const answer = await shop.send(method, path, body)
  return { status: answer.status, body: answer.body }
}
const encoded = encodeURIComponent

describe.each([
  ['of Argentina', '+5491123456789', '+541123456789', '+541123456789'],
  ['of Argentina', '+541123456789', '+5491123456789', '+541123456789'],
  ['of Brazil', '+551181234567', '+5511981234567', '+5511981234567'],
  ['of Brazil', '+5511981234567', '+551181234567', '+5511981234567'],
  ['of Mexico', '+525512345678', '+5215512345678', '+525512345678'],
] as const)('a phone %s that is known as %s and written %s', (...given) => {
  const [, known, written, canonical] = given

  test('stands on a list once, as it was put there, and is evaluated as one number', async () => {
    const flow = await shop.flowOf('list.block', `target.phone_number == "${canonical}"`)
    await ask('POST', block, { phone_number: known })
    const again = await ask('POST', block, { phone_number: written })
    const listed = (await ask('GET', block)).body['phone_numbers']
    const history = await ask('GET', `${block}/history?phone_number=${encoded(written)}`)
    const { body } = await shop.evaluate(flow, { target: { phone_number: written } })
    const removed = await ask('DELETE', block, { phone_number: written })

    expect(again.status).toBe(201)
    expect(listed).toMatchObject([{ phone_number: known }])
    expect(history.body['changes']).toMatchObject([{ change: 'added' }])
    expect(body).toMatchObject({
      recipes: [{ rules: [{ outcome: 'TRIGGERED' }, { outcome: 'TRIGGERED' }] }],
    })
    expect(removed.status).toBe(202)
    expect((await ask('GET', block)).body['phone_numbers']).toEqual([])
  })

  test('is found, and erased with all that was recorded of it', async () => {
    const flow = await shop.flowOf('list.block')
    const { id } = (await shop.evaluate(flow, { target: { phone_number: known } })).body
    const target = { type: 'phone_number', value: known }
    await ask('POST', '/v2/watch/feedback', {
      feedbacks: [{ type: 'verification.started', target }],
    })

    const evaluations = await ask('GET', `/v2/watch/evaluations?phone_number=${encoded(written)}`)
    const feedback = await ask('GET', `/v2/watch/feedback?phone_number=${encoded(written)}`)
    const events = await ask('GET', `/v2/watch/audit/events?phone_number=${encoded(written)}`)
    const erased = await ask('POST', '/v2/watch/subjects/erase', { phone_number: written })

    expect(evaluations.body['evaluations']).toMatchObject([{ id }])
    expect(feedback.body['feedbacks']).toMatchObject([{ target }])
    // the third is that the feedback was read
    expect(events.body['events']).toHaveLength(3)
    expect(erased.body).toMatchObject({ evaluations: 1 })
  })

  test('is one user of an application', async () => {
    const users = `${await newApp(shop)}/users`
    const identifiers = [{ type: 'phone_number', value: known }]
    const { body } = await ask('POST', users, { identifiers })
    const found = await ask('GET', `${users}?type=phone_number&value=${encoded(written)}`)
    const second = await ask('POST', users, {
      identifiers: [{ type: 'phone_number', value: written }],
    })
    const twice = await ask('POST', users, {
      identifiers: [...identifiers, { type: 'phone_number', value: written }],
    })

    expect(found.body['users']).toMatchObject([{ id: body['id'], identifiers }])
    expect([second.status, twice.status]).toEqual([409, 400])
  })

  test('is named by the reason of an erasure that has it in the other spelling', async () => {
    const reason = `asked by ${written}`

    const refused = await ask('POST', '/v2/watch/subjects/erase', { phone_number: known, reason })

    expect(refused.body).toMatchObject({ details: [{ path: 'reason' }] })
  })
})

test('a number that the table refuses is not stored, but asked for, taken off lists and erased as it was written', async () => {
  const number = '+1213373425'
  const users = `${await newApp(shop)}/users`
  const flow = await shop.flowOf('list.block')

  const stored = [
    await ask('POST', block, { phone_number: number }),
    await ask('POST', users, { identifiers: [{ type: 'phone_number', value: number }] }),
    await shop.evaluate(flow, { target: { phone_number: number } }),
  ]
  const asked = [
    await ask('GET', `${block}/history?phone_number=${encoded(number)}`),
    await ask('GET', `/v2/watch/evaluations?phone_number=${encoded(number)}`),
    await ask('GET', `/v2/watch/audit/events?phone_number=${encoded(number)}`),
    await ask('GET', `${users}?type=phone_number&value=${encoded(number)}`),
    await ask('DELETE', block, { phone_number: number }),
    await ask('POST', '/v2/watch/subjects/erase', { phone_number: number }),
  ]

  expect(stored.map(({ status }) => status)).toEqual([400, 400, 400])
  expect(asked.map(({ status }) => status).filter((status) => status >= 300)).toEqual([])
})
