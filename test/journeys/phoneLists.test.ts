/** The phone lists of an account, through the front door (spec 4.3; wire 4.1). */

import { beforeEach, describe, expect, test } from 'vitest'
import { openVigilOfFile } from '../support/openOfFile.ts'
import { type Customer, openCustomer } from '../support/openVigil.ts'

const base = '/v2/verification/management/phone-numbers'
const day = 24 * 60 * 60 * 1_000
const start = Date.UTC(2026, 10, 21, 9, 30)

const vigil = await openVigilOfFile()
let shop: Customer
beforeEach(async () => {
  vigil.setTime(start)
  shop = await openCustomer(vigil)
})

const numberOf = (index: number) => `+1213373${String(4000 + index).padStart(4, '0')}`
const add = (number: string, more: object = {}, list = 'block') =>
  shop.send('POST', `${base}/${list}`, { phone_number: number, ...more })
const remove = (number: string, list = 'block') =>
  shop.send('DELETE', `${base}/${list}`, { phone_number: number })
const listed = async (list = 'block', query = '') =>
  (await shop.send('GET', `${base}/${list}${query}`)).body
const numbersOn = async (list = 'block') =>
  ((await listed(list))['phone_numbers'] as { phone_number: string }[]).map(
    ({ phone_number }) => phone_number,
  )

describe('a number', () => {
  test('is added, listed in the order added, and deleted, as clients of the API expect', async () => {
    const added = await add(numberOf(2))
    vigil.setTime(start + 1_000)
    await add('+1 (213) 373-4001')

    const deleted = await remove(numberOf(2))

    expect([added.status, added.body]).toEqual([201, { phone_number: numberOf(2) }])
    expect([deleted.status, deleted.body]).toEqual([202, { phone_number: numberOf(2) }])
    expect(await listed()).toEqual({
      phone_numbers: [{ phone_number: numberOf(1), created_at: '2026-11-21T09:30:01.000Z' }],
    })
    expect(await listed('allow')).toEqual({ phone_numbers: [] })
  })

  test('that is added again stores nothing, and keeps its time and place', async () => {
    const first = await add(numberOf(1))
    await add(numberOf(2))
    vigil.setTime(start + day)

    const again = await add(numberOf(1))

    expect(again.status).toBe(201)
    expect(again.headers['x-vigil-position']).toBe(first.headers['x-vigil-position'])
    expect((await listed())['phone_numbers']).toEqual([
      { phone_number: numberOf(1), created_at: '2026-11-21T09:30:00.000Z' },
      { phone_number: numberOf(2), created_at: '2026-11-21T09:30:00.000Z' },
    ])
  })

  test('that is deleted again, or never was there, is no error and stores nothing', async () => {
    await add(numberOf(1))
    const first = await remove(numberOf(1))
    const again = await remove(numberOf(1))
    const never = await remove(numberOf(9))

    expect([again.status, never.status]).toEqual([202, 202])
    expect(again.headers['x-vigil-position']).toBe(first.headers['x-vigil-position'])
  })

  test('that is added with another reason keeps its time and place, and both stand in its history', async () => {
    await add(numberOf(1), { reason: 'chargeback' })
    await add(numberOf(2))
    vigil.setTime(start + 5_000)
    await add(numberOf(1), { reason: 'two chargebacks', expires_at: '2027-01-01T00:00:00Z' })
    await remove(numberOf(1))

    const history = await shop.send(
      'GET',
      `${base}/block/history?phone_number=${encodeURIComponent(numberOf(1))}`,
    )

    expect(history.body['changes']).toMatchObject([
      { change: 'added', by: shop.tokenId, at: '2026-11-21T09:30:00.000Z', reason: 'chargeback' },
      { change: 'changed', reason: 'two chargebacks', expires_at: '2027-01-01T00:00:00.000Z' },
      { change: 'deleted', by: shop.tokenId, at: '2026-11-21T09:30:05.000Z' },
    ])
  })

  test('that has expired stands on the list no more, and is a new entry when it is added again', async () => {
    await add(numberOf(1), { expires_at: '2026-11-22T00:00:00Z' })
    expect(await numbersOn()).toEqual([numberOf(1)])

    vigil.setTime(Date.UTC(2026, 10, 22))

    expect(await numbersOn()).toEqual([])
    await add(numberOf(1))
    expect((await listed())['phone_numbers']).toEqual([
      { phone_number: numberOf(1), created_at: '2026-11-22T00:00:00.000Z' },
    ])
  })

  test.each([
    ['no number', { phone_number: '06 12 34' }, 'phone_number'],
    [
      'an end that is past',
      { phone_number: numberOf(1), expires_at: '2020-01-01T00:00:00Z' },
      'expires_at',
    ],
    ['an end that is no time', { phone_number: numberOf(1), expires_at: 'tomorrow' }, 'expires_at'],
    ['a field that is not known', { phone_number: numberOf(1), why: 'x' }, 'why'],
  ])('with %s is refused by the place', async (_, body, path) => {
    const refused = await shop.send('POST', `${base}/block`, body)

    expect(refused.status).toBe(400)
    expect(refused.body['details']).toMatchObject([{ path }])
  })
})

describe('a list', () => {
  test('is answered whole, however long', async () => {
    const numbers = Array.from({ length: 520 }, (_, index) => numberOf(index))
    for (let from = 0; from < numbers.length; from += 50) {
      await Promise.all(numbers.slice(from, from + 50).map((number) => add(number)))
    }

    expect((await numbersOn()).toSorted()).toEqual(numbers)
  })
})
