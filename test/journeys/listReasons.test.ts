/** The reasons of entries: of one line, so that a file of them brings in every entry that it took out. */

import { randomUUID } from 'node:crypto'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { addEntry } from '../../src/commands/lists/changeListEntries.ts'
import { openShop } from '../cli/support/openShop.ts'
import { type Customer, openCustomer } from '../support/openVigil.ts'
import { projectedHead } from '../support/projectedHead.ts'

const numbers = '/v2/verification/management/phone-numbers/block'
const number = '+33612345678'
const types = { csv: 'text/csv', ndjson: 'application/x-ndjson' } as const

const shop = await openShop()
afterAll(() => shop.close())

let customer: Customer
beforeEach(async () => {
  customer = await openCustomer(shop.vigil)
})

const entriesOf = (list: string) => `/v2/watch/management/lists/${list}/entries`

const odd = {
  'a line feed': 'a\nb',
  'a carriage return': 'a\rb',
  'a tab': 'a\tb',
  'a zero': 'a\u0000b',
  'a deletion': 'a\u007fb',
  'half a character': 'a\ud800',
  'the other half': '\udc00a',
}

test.each(Object.entries(odd))(
  'a reason with %s is refused, in a body and in a file',
  async (_, reason) => {
    const problem = {
      path: 'reason',
      message: 'Must be well-formed text without control characters, such as line breaks.',
    }
    const path = entriesOf(await customer.list('devices', 'text'))
    const sent = [
      [path, { value: 'v1', reason }],
      [numbers, { phone_number: number, reason }],
    ] as const

    for (const [to, entry] of sent) {
      for (const method of ['POST', 'DELETE']) {
        const { status, body } = await customer.send(method, to, entry)
        expect([status, body['code'], body['details']]).toEqual([400, 'invalid_request', [problem]])
      }
      const file = await customer.send('POST', `${to}/import`, `${JSON.stringify(entry)}\n`, {
        'content-type': types.ndjson,
      })
      expect(file.text).toContain(
        JSON.stringify({ line: 1, result: 'refused', details: [problem] }),
      )
    }
    expect((await customer.send('GET', path)).body['entries']).toEqual([])
  },
)

describe.each(['csv', 'ndjson'] as const)('a file as %s', (format) => {
  /** The list as the service had it before reasons were held to one line. */
  const oldList = async (): Promise<string> => {
    const list = await shop.customer.list(`old_${format}_${randomUUID().slice(0, 8)}`, 'text')
    const principal = await shop.vigil.service.authenticate(shop.customer.token)
    if (principal.kind !== 'account') throw new Error('not an account')
    for (const [index, reason] of [...Object.values(odd), 'a\r\nb, "c"'].entries()) {
      const call = { principal, requestId: randomUUID() }
      await addEntry(shop.vigil.service.context, call, { list, value: `v${index}`, reason })
    }
    await projectedHead(shop.vigil)
    return list
  }
  const reasons = ['a b', 'a b', 'a b', 'a b', 'a b', 'a\ufffd', '\ufffda', 'a b, "c"']

  test('brings in every entry of a list whose reasons are of before, a space for each line break', async () => {
    const path = entriesOf(await oldList())
    const { token } = shop.customer
    const taken = await shop.vigil.door.request('GET', `${path}/export?format=${format}`, { token })

    const other = entriesOf(await customer.list('moved', 'text'))
    const brought = await customer.send('POST', `${other}/import`, taken.text, {
      'content-type': types[format],
    })

    expect(JSON.parse(brought.text.trim().split('\n').at(-1) ?? '')).toEqual({
      ...{ result: 'done', added: 8, changed: 0, unchanged: 0, refused: 0 },
    })
    await projectedHead(shop.vigil)
    const entries = (await customer.send('GET', other)).body['entries']
    expect((entries as { reason: string }[]).map(({ reason }) => reason)).toEqual(reasons)
  })
})
