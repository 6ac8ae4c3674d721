/** The sender IDs of an account, through the front door (spec 4.3; wire 4.2). */

import { beforeEach, describe, expect, test } from 'vitest'
import { openVigilOfFile } from '../support/openOfFile.ts'
import { type Customer, openCustomer, operatorToken, sendAs } from '../support/openVigil.ts'

const path = '/v2/verification/management/sender-id'
const start = Date.UTC(2026, 10, 21, 9, 30)

const vigil = await openVigilOfFile()
let shop: Customer
beforeEach(async () => {
  vigil.setTime(start)
  shop = await openCustomer(vigil)
})

type Body = Record<string, unknown>

const submit = (sender_id: unknown) => shop.send('POST', path, { sender_id })
const listed = async (query = '') => (await shop.send('GET', `${path}${query}`)).body
const operate = (method: string, place: string, body?: object) =>
  sendAs(vigil, operatorToken)(method, `/v2/operator${place}`, body)
const decide = (decision: 'approve' | 'reject', body: object, account = shop.accountId) =>
  operate('POST', `/accounts/${account}/sender-ids/${decision}`, body)
const positionOf = ({ headers }: { headers: object }) => Reflect.get(headers, 'x-vigil-position')

describe('a sender ID', () => {
  test('is submitted, pending until the operator approves it, and listed as clients expect', async () => {
    const submitted = await submit('Ada Shop')
    const pending = await listed()
    vigil.setTime(start + 60_000)
    const approved = await decide('approve', { sender_id: 'Ada Shop' })

    expect([submitted.status, submitted.body]).toEqual([
      200,
      { sender_id: 'Ada Shop', status: 'pending' },
    ])
    const submitted_at = '2026-11-21T09:30:00.000Z'
    expect(pending).toEqual({
      sender_ids: [{ sender_id: 'Ada Shop', status: 'pending', submitted_at }],
    })
    expect([approved.status, approved.body]).toEqual([
      200,
      { sender_id: 'Ada Shop', status: 'approved' },
    ])
    expect(await listed()).toEqual({
      sender_ids: [
        {
          sender_id: 'Ada Shop',
          status: 'approved',
          submitted_at,
          decided_at: '2026-11-21T09:31:00.000Z',
        },
      ],
    })
  })

  test('that is pending or approved is submitted again without an event', async () => {
    const first = await submit('Ada Shop')
    const pending = await submit('Ada Shop')
    const approved = await decide('approve', { sender_id: 'Ada Shop', reason: 'The shop.' })
    const again = await submit('Ada Shop')

    expect(positionOf(pending)).toBe(positionOf(first))
    expect(positionOf(again)).toBe(positionOf(approved))
    expect(again.body).toEqual({ sender_id: 'Ada Shop', status: 'approved', reason: 'The shop.' })
  })

  test('that was rejected says why, and starts anew in its place', async () => {
    await submit('Ada Bank')
    await submit('Ada Shop')
    const reason = 'Registered by another company.'
    await decide('reject', { sender_id: 'Ada Bank', reason })
    const rejected = await listed()
    vigil.setTime(start + 60_000)

    const again = await submit('Ada Bank')

    expect(rejected['sender_ids']).toMatchObject([
      { sender_id: 'Ada Bank', status: 'rejected', reason },
      { sender_id: 'Ada Shop', status: 'pending' },
    ])
    expect(again.body).toEqual({ sender_id: 'Ada Bank', status: 'pending' })
    expect((await listed())['sender_ids']).toEqual([
      { sender_id: 'Ada Bank', status: 'pending', submitted_at: '2026-11-21T09:31:00.000Z' },
      { sender_id: 'Ada Shop', status: 'pending', submitted_at: '2026-11-21T09:30:00.000Z' },
    ])
  })

  test.each([
    'A',
    'Ada Shop',
    'ADA',
    'a1-b_c.d&e+',
    '12345678901a'.slice(1),
    '123',
    '1'.repeat(15),
  ])('%j is one', async (senderId) => {
    expect((await submit(senderId)).status).toBe(200)
  })

  test.each([
    ...['', 'Ada’s Shop', 'Ada  Shop, Inc', 'TwelveLetter', '12', '1'.repeat(16), '+33612345678'],
    ...[' Ada', 'Ada ', 'Äda', 'Ада', 'Ada\n', '12-34'],
  ])('%j is none', async (senderId) => {
    const refused = await submit(senderId)

    expect([refused.status, refused.body['code']]).toEqual([400, 'invalid_sender_id'])
    expect(refused.body['details']).toMatchObject([{ path: 'sender_id' }])
  })
})

describe('the operator', () => {
  const seen = async (query: string) =>
    ((await operate('GET', `/sender-ids?account_id=${shop.accountId}&${query}`)).body[
      'sender_ids'
    ] as Body[]) ?? []

  test('sees what accounts have submitted, by status, in pages', async () => {
    for (const senderId of ['One', 'Two', 'Three']) await submit(senderId)
    await decide('approve', { sender_id: 'Two' })
    const other = await openCustomer(vigil)
    await other.send('POST', path, { sender_id: 'Other' })

    const pending = await seen('status=pending')
    const all = (await operate('GET', '/sender-ids?limit=200')).body['sender_ids'] as Body[]

    expect(pending).toEqual([
      {
        account_id: shop.accountId,
        sender_id: 'One',
        status: 'pending',
        submitted_at: '2026-11-21T09:30:00.000Z',
      },
      expect.objectContaining({ sender_id: 'Three' }),
    ])
    expect(await seen('limit=1')).toMatchObject([{ sender_id: 'One' }])
    expect(all.map(({ account_id }) => account_id)).toContain(other.accountId)
  })

  test('can decide otherwise, and stores nothing when nothing changes', async () => {
    await submit('Ada')
    await decide('approve', { sender_id: 'Ada' })
    const rejected = await decide('reject', { sender_id: 'Ada', reason: 'Misused.' })
    const again = await decide('reject', { sender_id: 'Ada', reason: 'Misused.' })
    const approved = await decide('approve', { sender_id: 'Ada', reason: 'Settled.' })

    expect(positionOf(again)).toBe(positionOf(rejected))
    expect(approved.body).toEqual({ sender_id: 'Ada', status: 'approved', reason: 'Settled.' })
  })

  test('finds nothing to decide where nothing was submitted', async () => {
    const unknown = await decide('approve', { sender_id: 'Never' })
    await submit('Ada')
    const elsewhere = await decide('approve', { sender_id: 'Ada' }, `acc_${'0'.repeat(26)}`)

    expect([unknown.status, unknown.body['code']]).toEqual([404, 'not_found'])
    expect([elsewhere.status, elsewhere.body['code']]).toEqual([404, 'not_found'])
  })

  test('gives a reason when it rejects', async () => {
    await submit('Ada')
    const refused = await decide('reject', { sender_id: 'Ada' })

    expect([refused.status, refused.body['details']]).toMatchObject([400, [{ path: 'reason' }]])
  })

  test.each([
    ['status=approve', 'status'],
    ['account_id=shop', 'account_id'],
  ])('is told what is wrong with %s', async (query, place) => {
    const refused = await operate('GET', `/sender-ids?${query}`)

    expect([refused.status, refused.body['details']]).toMatchObject([400, [{ path: place }]])
  })
})
