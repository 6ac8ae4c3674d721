/** The configuration of an account as of a position or a time, and what changed between two. */

import { beforeEach, expect, test } from 'vitest'
import { openVigilOfFile } from '../support/openOfFile.ts'
import { type Customer, openCustomer, operatorToken, sendAs } from '../support/openVigil.ts'
import { projectedHead } from '../support/projectedHead.ts'

const start = Date.UTC(2026, 10, 21, 9, 30)
const dayMs = 24 * 60 * 60_000
const number = '+33612345678'

const vigil = await openVigilOfFile()
let shop: Customer
let before: string

beforeEach(async () => {
  vigil.setTime(start)
  shop = await openCustomer(vigil)
})

type Body = Readonly<Record<string, unknown>>

interface Item {
  readonly kind: string
  readonly id: string
  readonly name?: string
  readonly change: string
  readonly changed_by: string
  readonly changed_at: string
  readonly content: Body
  readonly fields: readonly Body[]
}

const send = (method: string, path: string, body?: object) => shop.send(method, path, body)
const ask = async (path: string, query: Readonly<Record<string, string>>, token = shop.token) => {
  const url = `/v2/watch/audit/${path}?${new URLSearchParams(query)}`
  const { status, body } = await vigil.door.request<Body>('GET', url, { token })
  return { status, body, items: (body['items'] ?? body['changes'] ?? []) as readonly Item[] }
}
const block = () =>
  send('POST', '/v2/verification/management/phone-numbers/block', { phone_number: number })
/** A flow whose recipe and rule are changed a day later, when a number is blocked and a rule is made. */
const changedFlow = async () => {
  const rule = await shop.rule('signal.ext.a == "1"', 'first')
  const recipe = await shop.recipe([{ rule_id: rule, weight: 40 }], { name: 'Checkout' })
  await shop.flow([recipe])
  before = String(await projectedHead(vigil))
  vigil.setTime(start + dayMs)
  const path = `/v2/watch/management/recipes/${recipe}`
  const added = await shop.rule('signal.ext.b == "1"', 'second')
  const rules = [
    { rule_id: added, weight: 10 },
    { rule_id: rule, weight: 60 },
  ]
  await send('PUT', path, { name: 'Checkout', status: 'LIVE', threshold: 55, rules })
  await block()
  await projectedHead(vigil)
  return { rule, recipe, added }
}
const contentOf = (items: readonly Item[], id: string) =>
  items.find((item) => item.id === id)?.content

test('is what it was at a position, and at the time of it', async () => {
  const { rule, recipe, added } = await changedFlow()

  const then = await ask('state', { as_of: before })
  const thatDay = await ask('state', { as_of: new Date(start + dayMs / 2).toISOString() })
  const now = await ask('state', {})

  expect(thatDay.items).toEqual(then.items)
  expect(then.body['as_of']).toBe(before)
  expect(contentOf(then.items, recipe)).toMatchObject({
    ...{ name: 'Checkout', threshold: 50, status: 'LIVE' },
    rules: [{ rule_id: rule, weight: 40 }],
  })
  expect(contentOf(then.items, added)).toBeUndefined()
  expect(contentOf(now.items, recipe)).toMatchObject({ threshold: 55 })
  expect(contentOf(now.items, added)).toMatchObject({ expression: 'signal.ext.b == "1"' })
  expect(then.items.filter(({ kind }) => kind === 'entry')).toEqual([])
  expect(now.items.at(-1)).toMatchObject({
    kind: 'entry',
    content: { list: 'block', value: number },
  })
})

test('has access and settings, and no hash of a token', async () => {
  const keys = `/v2/operator/accounts/${shop.accountId}/sdk-keys`
  await sendAs(vigil, operatorToken)('POST', keys, { name: 'Web' })
  await send('POST', '/v2/session/apps', { name: 'Shop' })
  const limits = { name: 'Login', kind: 'optimized' }
  await send('POST', '/v2/verification/management/templates', limits)
  await send('PUT', '/v2/watch/retention', { evaluations_days: 400 })
  await send('POST', '/v2/verification/management/sender-id', { sender_id: 'Shop' })
  const { items } = await ask('state', {})

  expect(items.map(({ kind }) => kind)).toEqual([
    ...['account', 'token', 'sdk_key', 'application', 'sender_id', 'template', 'retention'],
  ])
  expect(items[0]?.content).toMatchObject({ name: 'Shop', authoring: true, management: true })
  expect(items[1]).toMatchObject({ id: shop.tokenId, changed_by: 'operator' })
  expect(JSON.stringify(items)).not.toContain('hash')
})

test('has nothing that is revoked or deleted, which a difference says is removed', async () => {
  const rule = await shop.rule('signal.ext.a == "1"')
  const operate = sendAs(vigil, operatorToken)
  const tokens = `/v2/operator/accounts/${shop.accountId}/tokens`
  const issued = (await operate('POST', tokens, { scopes: ['eval'] })).body
  const there = String(await projectedHead(vigil))
  await operate('DELETE', `${tokens}/${issued['token_id']}`)
  await send('DELETE', `/v2/watch/management/rules/${rule}`)

  const removed = [rule, issued['token_id']]
  const idsOf = (items: readonly Item[]) =>
    items.map(({ id }) => id).filter((id) => removed.includes(id))
  expect(idsOf((await ask('state', { as_of: there })).items)).toEqual(removed)
  expect(idsOf((await ask('state', {})).items)).toEqual([])
  expect((await ask('difference', { from: there })).items).toMatchObject([
    { id: rule, change: 'removed', changed_by: shop.tokenId },
    { id: issued['token_id'], change: 'removed', changed_by: 'operator' },
  ])
})

test('differs field by field, with who changed it and when', async () => {
  const { rule, recipe, added } = await changedFlow()
  const { items } = await ask('difference', { from: new Date(start + dayMs / 2).toISOString() })

  expect(items.map(({ kind, change, id }) => [kind, change, id])).toEqual([
    ['rule', 'added', added],
    ['recipe', 'changed', recipe],
    ['entry', 'added', expect.stringMatching(/^phone_list-/)],
  ])
  const changed = items[1]
  expect(changed).toMatchObject({
    ...{ name: 'Checkout', changed_by: shop.tokenId },
    changed_at: new Date(start + dayMs).toISOString(),
  })
  expect(changed?.fields).toEqual(
    expect.arrayContaining([
      { path: 'threshold', before: 50, after: 55 },
      { path: `rules.${rule}.weight`, before: 40, after: 60 },
      { path: `rules.${added}.weight`, after: 10 },
    ]),
  )
  expect((await ask('difference', { from: before, to: before })).items).toEqual([])
})

test('goes on page by page, whatever comes in between', async () => {
  await changedFlow()
  const path = 'difference'
  const whole = (await ask(path, { from: '1', limit: '200' })).items.map(({ id }) => id)

  const paged: string[] = []
  for (let cursor: string | undefined = ''; cursor !== undefined; ) {
    const { body, items } = await ask(path, { from: '1', limit: '2', ...(cursor && { cursor }) })
    paged.push(...items.map(({ id }) => id))
    cursor = body['next_cursor'] as string | undefined
    await shop.rule('signal.ext.c == "1"')
  }

  expect(paged).toEqual(whole)
  expect(whole.length).toBeGreaterThan(5)
})

test('has an entry as long as it is on its list, sealed for who may not analyse', async () => {
  await block()
  const listed = String(await projectedHead(vigil))
  await send('DELETE', '/v2/verification/management/phone-numbers/block', { phone_number: number })
  await projectedHead(vigil)
  const auditor = await shop.tokenWith(['audit'])

  const then = await ask('state', { as_of: listed, kind: 'entry' }, auditor)
  const now = await ask('state', { kind: 'entry' }, auditor)
  const difference = await ask('difference', { from: listed, kind: 'entry' })

  expect(then.items[0]?.content).toMatchObject({ list: 'block', value: { sealed: true } })
  expect(now.items).toEqual([])
  expect(difference.items).toMatchObject([
    { change: 'removed', fields: expect.arrayContaining([{ path: 'value', before: number }]) },
  ])
})

test('refuses what is no point of the history, and who may not audit', async () => {
  const head = await projectedHead(vigil)
  const details = async (path: string, query: Readonly<Record<string, string>>) => {
    const { status, body } = await ask(path, query)
    expect(status).toBe(400)
    return (body['details'] as readonly Body[]).map((detail) => detail['path'])
  }

  expect(await details('state', { as_of: 'soon' })).toEqual(['as_of'])
  expect(await details('state', { as_of: String(head + 1_000) })).toEqual(['as_of'])
  expect(await details('state', { as_of: '2100-01-01T00:00:00Z' })).toEqual(['as_of'])
  expect(await details('state', { kind: 'secrets' })).toEqual(['kind'])
  expect(await details('difference', {})).toEqual(['from'])
  expect(await details('difference', { from: String(head), to: '1' })).toEqual(['from'])
  const { body } = await ask('state', { limit: '1' })
  const cursor = String(body['next_cursor'])
  expect(await details('state', { cursor, kind: 'token' })).toEqual(['cursor'])
  expect((await ask('state', {}, await shop.tokenWith(['analyse']))).status).toBe(403)
})

test('is of the account alone', async () => {
  const { recipe } = await changedFlow()
  const other = await openCustomer(vigil)
  const { items } = await ask('state', {}, other.token)

  expect(contentOf(items, recipe)).toBeUndefined()
  expect(items.map(({ kind }) => kind)).toEqual(['account', 'token'])
})
