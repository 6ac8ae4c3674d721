import { expect, test } from 'vitest'
import { openShopOfFile } from './support/openShop.ts'

const shop = await openShopOfFile()
shop.vigil.setTime(Date.UTC(2026, 10, 21, 9, 30))

test('a list is made, described, filled, looked at, emptied and deleted', async () => {
  const created = await shop.run(['lists', 'create', 'vip', '--kind', 'email_address'])
  const described = await shop.run(['lists', 'describe', 'vip', 'Whom we know'])
  const add = ['lists', 'add', 'vip', 'Ann@Example.com', '--reason', 'Board member']
  const added = await shop.run([...add, '--expires-at', '2027-01-01T00:00:00Z'])
  const shown = await shop.run(['lists', 'show', 'vip'])
  await shop.run(['lists', 'remove', 'vip', 'ann@example.com', '--reason', 'Left'])
  const history = await shop.run(['lists', 'history', 'vip', 'ann@example.com'])
  const listed = await shop.run(['lists', 'list'])
  const deleted = await shop.run(['lists', 'delete', 'vip'])

  expect(created.out).toContain('vip')
  expect(described.out).toContain('Whom we know')
  expect(added.out).toBe('value  ann@example.com\n')
  expect(shown.out).toMatchInlineSnapshot(`
    "VALUE            ADDED                     ENDS                      REASON
    ann@example.com  2026-11-21T09:30:00.000Z  2027-01-01T00:00:00.000Z  Board member
    "
  `)
  const [, first, second] = history.out.split('\n').map((line) => line.split(/ {2,}/))
  expect(first).toEqual([
    '2026-11-21T09:30:00.000Z',
    'added',
    shop.customer.tokenId,
    '2027-01-01T00:00:00.000Z',
    'Board member',
  ])
  expect(second?.slice(1)).toEqual(['deleted', shop.customer.tokenId, 'Left'])
  expect(listed.out).toMatch(/lst_\w+ +vip +email_address +Whom we know/)
  expect(deleted.out).toMatch(/^Deleted lst_\w+\.\n$/)
  expect((await shop.run(['lists', 'list'])).out).toBe('No lists.\n')
})
