import {
  AuthenticationError,
  BadRequestError,
  ConflictError,
  NotFoundError,
  PermissionDeniedError,
} from '@prelude.so/sdk'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openSdkShop, type SdkShop } from './support/openSdkShop.ts'
import { refusal } from './support/refusal.ts'

let shop: SdkShop

beforeAll(async () => {
  shop = await openSdkShop()
})

afterAll(() => shop.close())

const numberOf = (index: number) => `+1213373${4000 + index}`
const isoTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/
const decide = (decision: string, body: object) =>
  shop.operate('POST', `/accounts/${shop.accountId}/sender-ids/${decision}`, body)

describe('typed results', () => {
  test('setPhoneNumber, listPhoneNumbers, deletePhoneNumber', async () => {
    const { verificationManagement } = shop.client
    const added = await verificationManagement.setPhoneNumber('block', {
      phone_number: numberOf(2),
    })
    await verificationManagement.setPhoneNumber('block', { phone_number: numberOf(1) })
    const again = await verificationManagement.setPhoneNumber('block', {
      phone_number: numberOf(2),
    })
    const listed = await verificationManagement.listPhoneNumbers('block')
    const deleted = await verificationManagement.deletePhoneNumber('block', {
      phone_number: numberOf(2),
    })
    const left = await verificationManagement.listPhoneNumbers('block')
    const allowed = await verificationManagement.listPhoneNumbers('allow')

    expect([added, again, deleted]).toEqual([0, 1, 2].map(() => ({ phone_number: numberOf(2) })))
    expect(listed.phone_numbers).toEqual([
      { phone_number: numberOf(2), created_at: expect.stringMatching(isoTime) },
      { phone_number: numberOf(1), created_at: expect.stringMatching(isoTime) },
    ])
    expect(left.phone_numbers.map(({ phone_number }) => phone_number)).toEqual([numberOf(1)])
    expect(allowed).toEqual({ phone_numbers: [] })
  })

  test('submitSenderId, listSenderIds', async () => {
    const { verificationManagement } = shop.client
    const submitted = await verificationManagement.submitSenderId({ sender_id: 'Ada Shop' })
    await verificationManagement.submitSenderId({ sender_id: '33612345678' })
    await decide('approve', { sender_id: 'Ada Shop' })
    await decide('reject', { sender_id: '33612345678', reason: 'Of somebody else.' })

    const approved = await verificationManagement.submitSenderId({ sender_id: 'Ada Shop' })
    const listed = await verificationManagement.listSenderIds()
    const anew = await verificationManagement.submitSenderId({ sender_id: '33612345678' })

    expect([submitted, approved, anew]).toEqual([
      { sender_id: 'Ada Shop', status: 'pending' },
      { sender_id: 'Ada Shop', status: 'approved' },
      { sender_id: '33612345678', status: 'pending' },
    ])
    expect(listed.sender_ids).toMatchObject([
      { sender_id: 'Ada Shop', status: 'approved' },
      { sender_id: '33612345678', status: 'rejected', reason: 'Of somebody else.' },
    ])
  })
})

describe('typed errors', () => {
  test('400: BadRequestError, with the place of what is wrong', async () => {
    const { verificationManagement } = shop.client
    const number = await refusal(
      verificationManagement.setPhoneNumber('allow', { phone_number: '06 12' }),
    )
    const sender = await refusal(
      verificationManagement.submitSenderId({ sender_id: 'A sender that is too long' }),
    )

    expect(number).toBeInstanceOf(BadRequestError)
    expect(Object(number).error).toMatchObject({
      code: 'invalid_request',
      details: [{ path: 'phone_number' }],
    })
    expect(sender).toBeInstanceOf(BadRequestError)
    expect(Object(sender).error).toMatchObject({
      code: 'invalid_sender_id',
      details: [{ path: 'sender_id' }],
    })
  })

  test('401: AuthenticationError', async () => {
    const { verificationManagement } = shop.clientOf('vgl_unknown')

    const refused = [
      await refusal(verificationManagement.listPhoneNumbers('allow')),
      await refusal(verificationManagement.listSenderIds()),
    ]

    for (const error of refused) expect(error).toBeInstanceOf(AuthenticationError)
  })

  test('403: PermissionDeniedError, for want of the scope and for want of access', async () => {
    const { verificationManagement: mute } = await shop.clientWith('eval')
    const noScope = [
      await refusal(mute.setPhoneNumber('allow', { phone_number: numberOf(1) })),
      await refusal(mute.listSenderIds()),
    ]
    await shop.operate('PUT', `/accounts/${shop.accountId}/access`, { management: false })
    const { verificationManagement } = shop.client
    const noAccess = [
      await refusal(verificationManagement.listPhoneNumbers('allow')),
      await refusal(verificationManagement.submitSenderId({ sender_id: 'Ada' })),
    ]
    await shop.operate('PUT', `/accounts/${shop.accountId}/access`, { management: true })

    for (const error of [...noScope, ...noAccess])
      expect(error).toBeInstanceOf(PermissionDeniedError)
    expect(noScope.map((error) => Object(error).error.code)).toEqual(
      noScope.map(() => 'insufficient_scope'),
    )
    expect(noAccess.map((error) => Object(error).error.code)).toEqual(
      noAccess.map(() => 'access_not_enabled'),
    )
  })

  test('404: NotFoundError, for a list that there is not', async () => {
    const deny = 'deny' as 'block'
    const error = await refusal(shop.client.verificationManagement.listPhoneNumbers(deny))

    expect(error).toBeInstanceOf(NotFoundError)
    expect(Object(error).error).toMatchObject({ code: 'not_found' })
  })

  test('409: ConflictError, when the account has as many sender IDs as it may', async () => {
    const { verificationManagement } = shop.client
    const { sender_ids: before = [] } = await verificationManagement.listSenderIds()
    for (let from = before.length; from < 500; from += 50) {
      const many = Array.from({ length: Math.min(50, 500 - from) }, (_, index) =>
        verificationManagement.submitSenderId({ sender_id: `Shop ${from + index}` }),
      )
      await Promise.all(many)
    }

    const error = await refusal(verificationManagement.submitSenderId({ sender_id: 'One more' }))

    expect(error).toBeInstanceOf(ConflictError)
    expect(Object(error).error).toMatchObject({ code: 'conflict' })
    expect((await verificationManagement.listSenderIds()).sender_ids).toHaveLength(500)
  })
})
