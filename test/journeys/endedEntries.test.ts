/** Entries of lists that ended without an event of their own: erased, expired, or gone with their list. */

import { beforeEach, expect, test } from 'vitest'
import { openVigilOfFile } from '../support/openOfFile.ts'
import { type Customer, openCustomer } from '../support/openVigil.ts'
import { projectedHead } from '../support/projectedHead.ts'

const start = Date.UTC(2026, 10, 21, 9, 30)
const hourMs = 60 * 60_000
const number = '+33612345678'
const phoneList = '/v2/verification/management/phone-numbers/block'

const vigil = await openVigilOfFile()
let shop: Customer
let auditor: string

beforeEach(async () => {
  vigil.setTime(start)
  shop = await openCustomer(vigil)
  auditor = await shop.tokenWith(['audit'])
})

interface Item {
  readonly id: string
  readonly change: string
  readonly changed_by: string
  readonly changed_at: string
  readonly position: string
  readonly content: Readonly<Record<string, unknown>>
  readonly fields: readonly { readonly path: string; readonly before?: unknown }[]
}
type Query = Readonly<Record<string, string>>

/** Every page. */
const ask = async (path: string, query: Query, token = shop.token) => {
  const items: Item[] = []
  for (let cursor: string | undefined = ''; cursor !== undefined; ) {
    const asked = { kind: 'entry', ...query, ...(cursor && { cursor }) }
    const url = `/v2/watch/audit/${path}?${new URLSearchParams(asked)}`
    const { body } = await vigil.door.request<Record<string, unknown>>('GET', url, { token })
    items.push(...((body['items'] ?? body['changes']) as readonly Item[]))
    cursor = body['next_cursor'] as string | undefined
  }
  return items
}
const valuesOf = (items: readonly Item[]) => items.map(({ content }) => content['value'])
const now = async () => String(await projectedHead(vigil))
const block = async (phone_number = number, more: object = {}) => {
  const answer = await shop.send('POST', phoneList, { phone_number, ...more })
  return String(answer.headers['x-vigil-position'])
}
const erase = () => shop.send('POST', '/v2/watch/subjects/erase', { phone_number: number })
const endsAt = (ms: number) => ({ expires_at: new Date(ms).toISOString() })

test('an erased entry is gone from the erasure on, and forgotten before it, for every token', async () => {
  const listed = await block(number, { reason: 'of ann' })
  await block('+33612345679')
  const before = await now()
  await erase()
  const erased = await now()

  for (const [token, other] of [
    [shop.token, '+33612345679'],
    [auditor, { sealed: true }],
  ] as const) {
    const then = await ask('state', { as_of: before }, token)
    expect(valuesOf(then)).toEqual([{ forgotten: true }, other])
    expect(then[0]?.content['reason']).toEqual({ forgotten: true })
    expect(then[0]?.position).toBe(listed)
    expect(valuesOf(await ask('state', {}, token))).toEqual([other])
    expect(valuesOf(await ask('state', { as_of: erased }, token))).toEqual([other])
  }
})

test('an erased entry is removed across the erasure by who erased it, on each of its lists once', async () => {
  const list = await shop.list('vip', 'phone_number')
  const entries = `/v2/watch/management/lists/${list}/entries`
  await shop.send('POST', entries, { value: number })
  await block()
  await block('+33612345679')
  const before = await now()
  vigil.setTime(start + hourMs)
  await erase()
  const between = await now()
  vigil.setTime(start + 2 * hourMs)
  await block()
  await erase()

  for (const limit of ['1', '200']) {
    const changes = await ask('difference', { from: before, to: between, limit }, shop.token)
    expect(changes.map(({ id }) => id.slice(0, 10)).sort()).toEqual(['list_entry', 'phone_list'])
    for (const change of changes) {
      expect(change).toMatchObject({ change: 'removed', changed_by: shop.tokenId })
      expect(change.changed_at).toBe(new Date(start + hourMs).toISOString())
      expect(change.fields.find(({ path }) => path === 'value')?.before).toEqual({
        forgotten: true,
      })
    }
    // listed and erased again since: its last change comes with the second erasure
    const all = await ask('difference', { from: before, limit }, auditor)
    expect(all.map(({ change }) => change)).toEqual(['removed', 'removed'])
    expect(await ask('difference', { from: between, limit }, auditor)).toEqual([])
  }
})

test('an entry that is listed again after the erasure is there, and the erased one is not', async () => {
  await block()
  await erase()
  const erased = await now()
  await block()

  expect(valuesOf(await ask('state', {}))).toEqual([number])
  expect(await ask('state', { as_of: erased })).toEqual([])
  expect(await ask('difference', { from: erased })).toMatchObject([{ change: 'added' }])
})

test('an entry that expired between two points is removed in their difference, with its last event', async () => {
  const numbers = [1, 2, 3, 4, 5].map((last) => `+3361234567${last}`)
  const positions: string[] = []
  // at the same moment, but for one that stays longer and one that stays
  for (const one of numbers) positions.push(await block(one, endsAt(start + hourMs)))
  await block('+33612345677', endsAt(start + 5 * hourMs))
  await block('+33612345678')
  const before = new Date(start + 1).toISOString()
  const after = new Date(start + 2 * hourMs).toISOString()
  vigil.setTime(start + 3 * hourMs)
  // changed since: that is what it comes with
  const changed = await block(numbers[0], endsAt(start + 9 * hourMs))

  for (const limit of ['1', '2', '200']) {
    const expired = await ask('difference', { from: before, to: after, limit }, shop.token)
    expect(expired.map(({ position }) => position)).toEqual(positions)
    expect(expired.every(({ change }) => change === 'removed')).toBe(true)
    const all = await ask('difference', { from: before, limit }, shop.token)
    expect(all.map(({ change, position }) => [change, position])).toEqual([
      ['changed', changed],
      ...positions.slice(1).map((position) => ['removed', position]),
    ])
    expect(await ask('difference', { from: after, to: before, limit }, shop.token)).toEqual([])
  }
})

test('an entry that expired and was erased is removed once', async () => {
  await block(number, endsAt(start + hourMs))
  const before = await now()
  vigil.setTime(start + 2 * hourMs)
  await erase()

  expect(await ask('difference', { from: before }, auditor)).toMatchObject([{ change: 'removed' }])
})

test('an entry of a list that was deleted is gone with its list, which their difference names', async () => {
  const list = await shop.list('vip', 'email_domain')
  const kept = await shop.list('kept', 'email_domain')
  const path = '/v2/watch/management/lists'
  for (const one of [list, kept])
    await shop.send('POST', `${path}/${one}/entries`, { value: 'a.b' })
  const before = await now()
  await shop.send('DELETE', `${path}/${list}`)
  const listsOf = (items: readonly Item[]) => items.map(({ content }) => content['list'])

  expect(listsOf(await ask('state', { as_of: before }))).toEqual([list, kept])
  expect(listsOf(await ask('state', {}))).toEqual([kept])
  expect(await ask('difference', { from: before })).toEqual([])
  expect(await ask('difference', { from: before, kind: 'list' })).toMatchObject([
    { change: 'removed', id: list },
  ])
})
