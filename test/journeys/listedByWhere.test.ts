/** Evaluations listed by the conditions of a `where`, page by page, while more are recorded. */

import { beforeAll, expect, test } from 'vitest'
import { openShopOfFile } from '../cli/support/openShop.ts'
import { openCustomer } from '../support/openVigil.ts'
import { projectedHead } from '../support/projectedHead.ts'

type Body = Record<string, unknown>

const shop = await openShopOfFile()
const { customer, vigil } = shop
const start = Date.UTC(2026, 2, 21, 9)
const flow = await customer.flowOf('signal.ext.country == "NG"')
const ids: string[] = []
/** Those from NG, in the order of time. */
const matching: string[] = []

const evaluate = async (index: number) => {
  vigil.setTime(start + index * 60_000)
  const ext = { country: index % 3 === 0 ? 'NG' : 'FR', index: String(index) }
  const target = { phone_number: `+336123456${String(10 + (index % 5))}` }
  const { body } = await customer.evaluate(flow, { target, signals: { ext } })
  ids.push(String(body['id']))
  if (ext.country === 'NG') matching.push(String(body['id']))
}

beforeAll(async () => {
  for (let index = 0; index < 30; index += 1) await evaluate(index)
  // months later
  vigil.setTime(start + 90 * 24 * 60 * 60_000)
  await projectedHead(vigil)
})

const ask = (query: Record<string, string>) =>
  customer.send('GET', `/v2/watch/evaluations?${new URLSearchParams(query)}`)
const list = async (query: Record<string, string>) => {
  const { status, body, text } = await ask(query)
  if (status !== 200) throw new Error(text)
  const found = body['evaluations'] as Body[]
  return {
    found,
    ids: found.map(({ id }) => id),
    cursor: body['next_cursor'] as string | undefined,
  }
}
const where = 'signal.ext.country = NG'
const third = () => ids.filter((_, index) => index < 30 && index % 3 === 0)

test('all that fulfil it are listed, of whatever age, as searches show them', async () => {
  const newest = await list({ where })
  const [same] = (await list({ order: 'newest', limit: '30' })).found.filter(
    ({ id }) => id === newest.ids[0],
  )

  expect(newest.ids).toEqual(third().toReversed())
  expect(newest.cursor).toBeUndefined()
  expect(newest.found[0]).toEqual(same)
  expect((await list({ where, order: 'oldest' })).ids).toEqual(third())
})

test('what else is searched for must hold, too', async () => {
  const phone = '+33612345610'
  const { ids: found } = await list({ where, phone_number: phone, flow_id: flow, verdict: 'FLAG' })

  expect(found).toEqual(
    third()
      .filter((id) => ids.indexOf(id) % 5 === 0)
      .toReversed(),
  )
  expect((await list({ where, verdict: 'PASS' })).ids).toEqual([])
})

test.each(['newest', 'oldest'])(
  '%s first, pages go on to the end of the first one',
  async (order) => {
    const pages: unknown[][] = []
    const before = [...matching]
    let cursor: string | undefined
    do {
      const page = await list({ where, order, limit: '4', ...(cursor && { cursor }) })
      pages.push(page.ids)
      cursor = page.cursor
      // before and behind all others
      await evaluate(ids.length * 3)
      await projectedHead(vigil)
    } while (cursor)
    vigil.setTime(start + 90 * 24 * 60 * 60_000)

    const listed = order === 'newest' ? before.toReversed() : before
    expect(pages.flat()).toEqual(listed)
    expect(pages.every((page) => page.length <= 4)).toBe(true)
  },
)

test('a cursor of another account, of other conditions and a changed one are refused', async () => {
  const { cursor = '' } = await list({ where, limit: '2' })
  const other = await openCustomer(vigil)
  const asStranger = await other.send(
    'GET',
    `/v2/watch/evaluations?${new URLSearchParams({ where, limit: '2', cursor })}`,
  )

  expect(asStranger.status).toBe(400)
  for (const query of [
    { where: 'signal.ext.country = FR', cursor },
    { where, order: 'oldest', cursor },
    { where, verdict: 'FLAG', cursor },
    { cursor },
  ]) {
    expect((await ask({ limit: '2', ...query })).status).toBe(400)
  }
  const fields = JSON.parse(Buffer.from(cursor.slice(0, -22), 'base64url').toString())
  const later = JSON.stringify([...fields.slice(0, -1), fields.at(-1) + 1_000])
  const forged = `${Buffer.from(later).toString('base64url')}${cursor.slice(-22)}`
  expect((await ask({ where, limit: '2', cursor: forged })).status).toBe(400)
  expect((await list({ where, limit: '2', cursor })).ids).toHaveLength(2)
})

test('a token of the scope audit alone lists, and tells nothing by conditions', async () => {
  const token = await customer.tokenWith(['audit'])
  const as = async (query: string) =>
    (await vigil.door.request('GET', `/v2/watch/evaluations${query}`, { token })).status

  expect(await as('?order=oldest')).toBe(200)
  expect(await as(`?where=${encodeURIComponent(where)}`)).toBe(403)
})

test('conditions that are not understood are named', async () => {
  const { status, text } = await ask({ where: 'signal.ext.country ~ NG' })

  expect([status, text]).toEqual([400, expect.stringContaining('"where"')])
})

test('the command line lists them, and writes them with their targets', async () => {
  const words = [
    'evaluations',
    'list',
    '--where',
    where,
    '--to',
    '2026-03-21T09:30',
    '--oldest-first',
  ]
  const { out } = await shop.run([...words, '--limit', '3'])
  const read = (await shop.read([...words, '--limit', '100'])) as { evaluations: Body[] }
  const csv = await shop.run([...words, '--format', 'csv', '--show-target'])

  expect(out).toContain('There may be more than 3')
  expect(read.evaluations.map(({ id }) => id)).toEqual(third())
  expect(csv.out.split('\n')).toHaveLength(third().length + 2)
  expect(csv.out).toContain('+33612345613')
})
