/** Positions and cursors that a caller names: those that the service has said, and no others. */

import { expect, test } from 'vitest'
import { openShopOfFile } from '../support/openOfFile.ts'
import { openTwoInstances } from '../support/openTwoInstances.ts'
import { openCustomer, sendAs } from '../support/openVigil.ts'
import { projectedHead } from '../support/projectedHead.ts'

const { vigil, shop } = await openShopOfFile()
const flow = await shop.flowOf('list.block')
const evaluated = await shop.evaluate(flow)
// reading persons in clear would be an event behind it
const auditor = sendAs(vigil, await shop.tokenWith(['audit']))
await auditor('GET', '/v2/whoami')
const head = await projectedHead(vigil)

const audit = '/v2/watch/audit'
const evaluations = '/v2/watch/evaluations'

/** Wherever a position is named: the parameter, and how it is sent. */
const named = [
  ['after', `${audit}/events?after=`],
  ['before', `${audit}/events?before=`],
  ['min_position', `${audit}/events?min_position=`],
  ['after', `${evaluations}?after=`],
  ['before', `${evaluations}?before=`],
  ['min_position', '/v2/watch/management/rules?min_position='],
  ['as_of', `${audit}/state?as_of=`],
  ['from', `${audit}/difference?from=`],
  ['to', `${audit}/difference?from=0&to=`],
] as const

test.each(named)(
  'given %s at the end of the log, then it is answered, and behind it refused by name: %s',
  async (path, url) => {
    expect((await auditor('GET', `${url}${head}`)).status).toBe(200)
    expect(await auditor('GET', `${url}${head + 1}`)).toMatchObject({
      status: 400,
      body: {
        code: 'invalid_request',
        details: [{ path, message: expect.stringMatching(/which ends at \d+/) }],
      },
    })
  },
)

test.each([
  ['after', `${audit}/replays`, { after: String(Number.MAX_SAFE_INTEGER).slice(0, 15) }],
  ['as_of', `${evaluations}/${evaluated.body['id']}/replay`, { as_of: `${head + 1_000}` }],
])(
  'given %s behind the end of the log in the body of %s, then it is refused',
  async (path, to, body) => {
    expect(await shop.send('POST', to, body)).toMatchObject({
      status: 400,
      body: { code: 'invalid_request', details: [{ path }] },
    })
  },
)

test('given an instance that lags, when a position of the log is named that it has not reached, then it is not refused', async () => {
  const { a, b } = await openTwoInstances()
  const customer = await openCustomer(a)
  await b.context.projections.waitFor(await a.context.events.head(), 10_000)
  a.projecting.freeze()
  const writeRule = (name: string) =>
    customer.send('POST', '/v2/watch/management/rules', { name, expression: 'list.block' })
  await writeRule('a rule')
  const after = String((await writeRule('another')).headers['x-vigil-position'])

  const answer = await b.door.request('GET', `${audit}/events?after=${after}`, {
    token: customer.token,
  })
  // what is before it is shown whole or not at all
  const older = await b.door.request('GET', `${audit}/events?before=${after}`, {
    token: customer.token,
  })
  a.projecting.thaw()

  expect(answer).toMatchObject({ status: 200, body: { events: [], next_after: after } })
  expect(older).toMatchObject({ status: 503, body: { code: 'unavailable' } })
})

test('given the cursor of a list, when any character of it is changed, then it is refused', async () => {
  for (const name of ['a', 'b', 'c']) await shop.rule('list.block', name)
  await projectedHead(vigil)
  const list = '/v2/watch/management/rules?limit=1'
  const cursor = String((await shop.send('GET', list)).body['next_cursor'])
  const changed = Array.from(cursor, (letter, at) => {
    const other = letter === 'A' ? 'B' : 'A'
    return `${cursor.slice(0, at)}${other}${cursor.slice(at + 1)}`
  })

  expect((await shop.send('GET', `${list}&cursor=${cursor}`)).status).toBe(200)
  for (const one of [...changed, cursor.slice(0, -1), `${cursor}A`, 'A', cursor.slice(0, 22)]) {
    expect(await shop.send('GET', `${list}&cursor=${one}`)).toMatchObject({
      status: 400,
      body: { details: [{ path: 'cursor', message: 'is not a cursor of this list' }] },
    })
  }
})

test('given the cursor of a list that all accounts have alike, when another account sends it, then it is refused', async () => {
  const stranger = await openCustomer(vigil)
  const list = '/v2/watch/management/rules/managed?limit=1'
  const cursor = String((await shop.send('GET', list)).body['next_cursor'])

  expect((await shop.send('GET', `${list}&cursor=${cursor}`)).status).toBe(200)
  expect(await stranger.send('GET', `${list}&cursor=${cursor}`)).toMatchObject({
    status: 400,
    body: { details: [{ path: 'cursor' }] },
  })
})

test('given the cursor of a state, when its end is moved into the future, then it is refused', async () => {
  const list = `${audit}/state?limit=1`
  const cursor = String((await shop.send('GET', list)).body['next_cursor'])
  const fields = JSON.parse(Buffer.from(cursor.slice(0, -22), 'base64url').toString()) as unknown[]
  const moved = fields.map((field) => (field === fields[4] ? head + 1_000_000 : field))
  const forged = `${Buffer.from(JSON.stringify(moved)).toString('base64url')}${cursor.slice(-22)}`

  expect((await shop.send('GET', `${list}&cursor=${forged}`)).status).toBe(400)
})

test('given the cursor of one instance, when another of the installation is asked, then it goes on', async () => {
  const { a, b } = await openTwoInstances()
  const customer = await openCustomer(a)
  for (const name of ['a', 'b']) await customer.rule('list.block', name)
  const end = await a.context.events.head()
  const list = `/v2/watch/management/rules?limit=1&min_position=${end}`
  const { body } = await customer.send('GET', list)

  const next = await b.door.request<{ rules: unknown[] }>(
    'GET',
    `${list}&cursor=${body['next_cursor']}`,
    {
      token: customer.token,
    },
  )

  expect(next).toMatchObject({ status: 200, body: { rules: [{ name: 'b' }] } })
})

test('given a list that ended a page, when it is deleted, then its cursor is refused instead of passing others over', async () => {
  const lists = '/v2/watch/management/lists'
  for (const name of ['one', 'two', 'three']) await shop.list(name, 'text')
  const { body } = await shop.send('GET', `${lists}?limit=1`)
  const [first] = body['lists'] as readonly { readonly id: string }[]
  await shop.send('DELETE', `${lists}/${first?.id}`)

  const next = await shop.send('GET', `${lists}?limit=1&cursor=${body['next_cursor']}`)

  expect(next).toMatchObject({ status: 400, body: { details: [{ path: 'cursor' }] } })
})
