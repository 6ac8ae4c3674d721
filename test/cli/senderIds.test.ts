import { expect, test } from 'vitest'
import { openShopOfFile } from './support/openShop.ts'

const shop = await openShopOfFile()
shop.vigil.setTime(Date.UTC(2026, 10, 21, 9, 30))

const withoutAccount = (text: string) =>
  text.replaceAll(shop.customer.accountId, `acc_${'0'.repeat(26)}`)

test('a sender ID is submitted, reviewed, decided on and listed', async () => {
  const { accountId } = shop.customer

  const submitted = await shop.run(['sender-ids', 'submit', 'Ada Shop'])
  await shop.run(['sender-ids', 'submit', 'Ada Bank'])
  const pending = await shop.run(['sender-ids', 'review', '--account', accountId])
  await shop.run(['sender-ids', 'approve', accountId, 'Ada Shop'])
  const reject = ['sender-ids', 'reject', accountId, 'Ada Bank', '--reason', 'Of another company']
  const rejected = await shop.run(reject)
  const listed = await shop.run(['sender-ids', 'list'])

  expect(submitted.out).toBe('sender_id  Ada Shop\nstatus     pending\n')
  expect(withoutAccount(pending.out)).toMatchInlineSnapshot(`
    "ACCOUNT                         SENDER ID  STATUS   SUBMITTED
    acc_00000000000000000000000000  Ada Shop   pending  2026-11-21T09:30:00.000Z
    acc_00000000000000000000000000  Ada Bank   pending  2026-11-21T09:30:00.000Z
    "
  `)
  expect(rejected.out).toMatchInlineSnapshot(`
    "sender_id  Ada Bank
    status     rejected
    reason     Of another company
    "
  `)
  expect(listed.out).toMatchInlineSnapshot(`
    "SENDER ID  STATUS    SUBMITTED                 DECIDED                   REASON
    Ada Shop   approved  2026-11-21T09:30:00.000Z  2026-11-21T09:30:00.000Z
    Ada Bank   rejected  2026-11-21T09:30:00.000Z  2026-11-21T09:30:00.000Z  Of another company
    "
  `)
})

test('a refusal says what is wrong, and a rejection wants a reason', async () => {
  const refused = await shop.cli.run(['sender-ids', 'submit', 'A sender that is too long'])
  const mute = await shop.cli.run(['sender-ids', 'reject', shop.customer.accountId, 'Ada Shop'])

  expect([refused.code, refused.err]).toMatchObject([1, expect.stringContaining('1 to 11 letters')])
  expect([mute.code, mute.err]).toMatchObject([2, expect.stringContaining('--reason')])
})
