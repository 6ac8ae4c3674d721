import { beforeEach, expect, test } from 'vitest'
import { openVigilOfFile } from '../support/openOfFile.ts'
import { type Customer, openCustomer } from '../support/openVigil.ts'

const vigil = await openVigilOfFile()
let customer: Customer

beforeEach(async () => {
  customer = await openCustomer(vigil)
})

interface Changed {
  readonly id: string
  readonly version_id?: string
}

const change = async (body: object) => {
  const answer = await customer.send('POST', '/v2/watch/management/changes', body)
  return { status: answer.status, body: answer.body as Record<string, unknown> }
}
const made = (body: Record<string, unknown>, kind: string) =>
  (body[kind] as readonly Changed[])[0] ?? { id: '' }
const asks = { name: 'Known', expression: 'inList("vip", target.email_address)' }
const vip = { name: 'vip', kind: 'email_address' }

test('a list, the rule that asks it and a repeat of both are one write each', async () => {
  const first = await change({ rules: [{ content: asks }], lists: [{ content: vip }] })
  const { id } = made(first.body, 'lists')
  const again = await change({ lists: [{ id, content: vip }] })

  expect(first).toMatchObject({
    status: 200,
    body: { lists: [{ id: expect.stringMatching(/^lst_/), changed: true }], rules: [{}] },
  })
  expect(again.body['lists']).toEqual([{ id, changed: false }])
})

test('of a list and the rule that asks it neither is made when one cannot be', async () => {
  const { status, body } = await change({
    lists: [{ content: vip }, { content: vip }],
    rules: [{ content: asks }],
  })

  expect(status).toBe(409)
  expect(body['details']).toEqual([
    { path: 'lists.1', message: 'There is a list called vip already.' },
  ])
  expect((await customer.send('GET', '/v2/watch/management/lists')).body['lists']).toEqual([])
})

test('a list stays while the same request pins an earlier version of a rule that asks it', async () => {
  const first = await change({ lists: [{ content: vip }], rules: [{ content: asks }] })
  const rule = made(first.body, 'rules')
  const { id } = made(first.body, 'lists')
  await change({ rules: [{ id: rule.id, content: { ...asks, expression: 'list.allow' } }] })
  const member = { rule_id: rule.id, version_id: rule.version_id, weight: 1 }
  const recipe = { name: 'Pinned', status: 'LIVE', threshold: 1, rules: [member] }

  const { status } = await change({
    recipes: [{ content: recipe }],
    lists: [{ id, delete: true }],
  })

  expect(status).toBe(409)
  expect((await customer.send('GET', '/v2/watch/management/recipes')).body['recipes']).toEqual([])
  expect((await change({ lists: [{ id, delete: true }] })).status).toBe(200)
})
