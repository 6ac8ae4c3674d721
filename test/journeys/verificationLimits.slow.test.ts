/** How many sender IDs and templates an account may have, whoever of two instances is faster. */

import { expect, test } from 'vitest'
import { openTwoInstances } from '../support/openTwoInstances.ts'
import { openCustomer } from '../support/openVigil.ts'

const base = '/v2/verification/management'
const most = 500

test.each([
  ['sender-id', 'sender_ids', (index: number) => ({ sender_id: `Shop ${index}` })],
  ['templates', 'templates', () => ({ name: 'One of many' })],
] as const)('an account has at most 500: %s', async (name, plural, bodyOf) => {
  const { a, b } = await openTwoInstances()
  const { token } = await openCustomer(a)
  const path = `${base}/${name}`
  const make = ({ door }: typeof a, index: number) =>
    door.request<Record<string, unknown>>('POST', path, { token, body: bodyOf(index) })
  for (let from = 0; from < most - 1; from += 50) {
    const count = Math.min(50, most - 1 - from)
    const many = Array.from({ length: count }, (_, index) => make(a, from + index))
    for (const { status, text } of await Promise.all(many)) expect(status, text).toBeLessThan(300)
  }

  const last = await Promise.all([make(a, most - 1), make(b, most)])

  const refused = last.filter(({ status }) => status >= 300)
  expect(refused).toMatchObject([{ status: 409, body: { code: 'conflict' } }])
  const { body } = await a.door.request<Record<string, object[]>>('GET', path, { token })
  expect(body[plural]).toHaveLength(most)
})
