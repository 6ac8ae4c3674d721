/** What evaluations have in common, and what was missing in them, over HTTP and the command line. */

import { beforeAll, expect, test } from 'vitest'
import { eraseSubjects } from '../../src/commands/handling/eraseSubject.ts'
import { unavailable } from '../../src/domain/failure.ts'
import { findTopValues } from '../../src/queries/analysis/topValues.ts'
import { openShopOfFile } from '../cli/support/openShop.ts'
import { openCustomer } from '../support/openVigil.ts'
import { projectedHead } from '../support/projectedHead.ts'

const shop = await openShopOfFile()
const { customer, vigil } = shop
const start = Date.UTC(2026, 10, 21, 9)
const at = (minute: number) => new Date(start + minute * 60_000).toISOString()
const flow = await customer.flowOf(
  'double(signal.ext.total) > 500.0',
  'signal.ext.shop_country == "FR"',
)

interface Sent {
  readonly target: object
  readonly ip?: string
  readonly ext?: object
}

/** Twelve customers of as many networks, then five of one that buy for much. */
const customers: readonly Sent[] = Array.from({ length: 12 }, (_, index) => ({
  target: { email_address: `customer${index}@home${index % 3}.example` },
  ip: `81.2.${index}.7`,
  ext: { total: '20', shop_country: 'DE' },
}))
const ring: readonly Sent[] = [1, 2, 3, 4, 5].map((index) => ({
  target: { phone_number: `+3361234567${index === 5 ? 4 : index}` },
  ip: `203.0.113.${index}`,
  ext: { total: '900', shopcountry: 'FR' },
}))
const unreachable: Sent = { target: { email_address: 'ann@home0.example' }, ext: { total: 'yes' } }

beforeAll(async () => {
  for (const [index, { target, ip, ext }] of [...customers, ...ring, unreachable].entries()) {
    vigil.setTime(start + index * 60_000)
    const dispatch = ip === undefined ? {} : { dispatch_id: await customer.dispatch({ ip }) }
    const { status, text } = await customer.evaluate(flow, {
      target,
      ...dispatch,
      signals: { ext },
    })
    if (status !== 200) throw new Error(text)
  }
  vigil.setTime(start + 60 * 60_000)
  await projectedHead(vigil)
})

const ask = async (what: 'top' | 'missing', query: Readonly<Record<string, string>>) => {
  const path = `/v2/watch/evaluations/${what}?${new URLSearchParams(query)}`
  const { status, body, text } = await customer.send('GET', path)
  if (status !== 200) throw new Error(text)
  return body
}

test('a ring is the first network, by its lift and its end users', async () => {
  const { values, missing, others, all, forgotten } = await ask('top', {
    name: 'network',
    limit: '2',
  })

  expect(values).toEqual([
    {
      ...{ value: '203.0.113.0/24', evaluations: 5, flagged: 5, share: 1, partial: 5 },
      ...{ lift: 18 / 5, targets: 4, first_seen: at(12), last_seen: at(16) },
    },
    {
      ...{ value: '81.2.11.0/24', evaluations: 1, flagged: 0, share: 0, partial: 0 },
      ...{ lift: 0, targets: 1, first_seen: at(11), last_seen: at(11) },
    },
  ])
  expect(missing).toMatchObject({ evaluations: 1, share: 0, targets: 1, first_seen: at(17) })
  expect(others).toMatchObject({ values: 11, evaluations: 11, targets: null })
  expect(forgotten).toMatchObject({ evaluations: 0, share: null, lift: null, first_seen: null })
  expect(all).toMatchObject({ evaluations: 18, flagged: 5, share: 5 / 18, lift: 1 })
})

test('the command prints it, with the rows that close the sum', async () => {
  const { out } = await shop.run(['top', 'network', '--limit', '1', '--to', at(60)])

  expect(out).toMatchInlineSnapshot(`
    "18 evaluations from 2026-11-14T10:00:00.000Z to 2026-11-21T10:00:00.000Z (UTC)

    VALUE             EVALUATIONS  FLAGGED   SHARE  LIFT  PARTIAL  TARGETS  FIRST SEEN                LAST SEEN
    "203.0.113.0/24"            5        5  100.0%  3.60        5        4  2026-11-21T09:12:00.000Z  2026-11-21T09:16:00.000Z
    (missing)                   1        0    0.0%  0.00        1        1  2026-11-21T09:17:00.000Z  2026-11-21T09:17:00.000Z
    (others: 12)               12        0    0.0%  0.00        0        -  2026-11-21T09:00:00.000Z  2026-11-21T09:11:00.000Z
    (all)                      18        5   27.8%  1.00        6        -  2026-11-21T09:00:00.000Z  2026-11-21T09:17:00.000Z
    "
  `)
})

test('on a terminal the command says how far it is', async () => {
  const { err } = await shop.run(['top', 'flow'], { terminal: true })

  expect(err).toContain('scanning: 100 %')
})

test('an IPv6 address is in its /48, and a network can be asked for', async () => {
  const other = await openCustomer(vigil)
  const own = await other.flowOf('true')
  for (const ip of ['2a02:26f7:d6c1:1::1', '2a02:26f7:d6c1:ffff::2', '2a02:26f7:d6c2::1']) {
    await other.evaluate(own, { dispatch_id: await other.dispatch({ ip }) })
  }
  await projectedHead(vigil)
  const query = new URLSearchParams({
    name: 'network',
    where: 'network = 2a02:26f7:d6c1:0::/48',
  })

  const { body } = await other.send('GET', `/v2/watch/evaluations/top?${query}`)

  expect(body['values']).toMatchObject([{ value: '2a02:26f7:d6c1::/48', evaluations: 2 }])
  expect(body['all']).toMatchObject({ evaluations: 2 })
})

test.each([
  ['email_domain', 'home0.example', 5],
  ['phone_country', 'FR', 5],
  ['ext.shop_country', 'DE', 12],
  ['verdict', 'PASS', 13],
  ['missing', 'signal.ext.shop_country', 6],
])('values of %s', async (name, value, evaluations) => {
  const { values } = await ask('top', { name })

  expect(values).toContainEqual(expect.objectContaining({ value, evaluations }))
})

test('as lines, the answer says how far it is before the result', async () => {
  const path = '/v2/watch/evaluations/top?name=flow&format=ndjson'
  const { text } = await customer.send('GET', path)

  const [progress, result, end] = text.split('\n')

  expect(JSON.parse(progress ?? '')).toEqual({ progress: { scanned: 18, matched: 18, done: 1 } })
  expect(JSON.parse(result ?? '')).toMatchObject({
    result: { values: [{ value: flow, evaluations: 18 }] },
  })
  expect(end).toBe('')
})

test.each([
  ['phone', 'Evaluations have no values under'],
  ['email_domian', 'did you mean email_domain?'],
  ['score', 'Evaluations have no values under'],
])('the name %s is refused', async (name, message) => {
  const { status, text } = await customer.send('GET', `/v2/watch/evaluations/top?name=${name}`)

  expect([status, text]).toEqual([400, expect.stringContaining(message)])
})

test('what was missing names the key that arrived in its place', async () => {
  const { names, keys } = await ask('missing', {})

  expect(names).toEqual([
    { name: 'signal.ext.shop_country', evaluations: 6, share: 6 / 18, fragile: 1 },
    { name: 'signal.ext.total', evaluations: 1, share: 1 / 18, fragile: 1 },
  ])
  const none = { number: 0, boolean: 0, date: 0, text: 0, empty: 0 }
  expect(keys).toEqual([
    {
      ...{ key: 'total', evaluations: 18, forms: { ...none, number: 17, boolean: 1 } },
      ...{ shortest: 2, longest: 3, read: true, near: [] },
    },
    {
      ...{ key: 'shop_country', evaluations: 12, forms: { ...none, text: 12 } },
      ...{ shortest: 2, longest: 2, read: true, near: [] },
    },
    {
      ...{ key: 'shopcountry', evaluations: 5, forms: { ...none, text: 5 } },
      ...{ shortest: 2, longest: 2, read: false, near: ['signal.ext.shop_country'] },
    },
  ])
})

test('the command prints that, of one flow', async () => {
  const { out } = await shop.run(['missing', '--flow', flow, '--to', at(60)])

  expect(out).toMatchInlineSnapshot(`
    "18 evaluations from 2026-11-14T10:00:00.000Z to 2026-11-21T10:00:00.000Z (UTC)

    MISSING                  EVALUATIONS  SHARE  FRAGILE
    signal.ext.shop_country            6  33.3%        1
    signal.ext.total                   1   5.6%        1

    EXT KEY       EVALUATIONS  VALUES                LENGTH  READ  NEAR TO
    total                  18  number 17, boolean 1  2 to 3  yes
    shop_country           12  text 12               2       yes
    shopcountry             5  text 5                2       no    signal.ext.shop_country
    "
  `)
})

test('of nothing, rates are null and a dash', async () => {
  const { out } = await shop.run(['top', 'flow', '--to', at(-10)])
  const { all } = await ask('top', { name: 'flow', to: at(-10) })

  expect(all).toMatchObject({ evaluations: 0, share: null, lift: null, last_seen: null })
  expect(out.trim().split('\n').at(-1)).toMatch(/^\(all\) +0 +0 +- +- +0 +- +- +-$/)
})

test('another account sees nothing of it, and another scope is refused', async () => {
  const other = await openCustomer(vigil)
  const author = await customer.tokenWith(['author'])

  const { body } = await other.send('GET', '/v2/watch/evaluations/top?name=network')
  const refused = await vigil.door.request('GET', '/v2/watch/evaluations/missing', {
    token: author,
  })

  expect(body['all']).toMatchObject({ evaluations: 0 })
  expect(refused.status).toBe(403)
})

test('who was erased is counted apart where the value is gone with them, and only there', async () => {
  const subject = vigil.service.context.keyring.subject(customer.accountId, 'phone', '+33612345674')
  const call = { principal: { kind: 'operator' } as const, requestId: 'r' }
  await eraseSubjects(vigil.service.context, call, {
    account: customer.accountId,
    subjects: [subject],
  })
  await projectedHead(vigil)

  const networks = await ask('top', { name: 'network', limit: '1' })
  const verdicts = await ask('top', { name: 'verdict' })
  const missing = await ask('missing', {})

  expect(networks['values']).toMatchObject([{ evaluations: 3, targets: 3 }])
  expect(networks['forgotten']).toMatchObject({ evaluations: 2, flagged: 2, targets: 1 })
  expect(verdicts['values']).toMatchObject([{ evaluations: 13 }, { evaluations: 5, targets: 4 }])
  expect(missing).toMatchObject({ evaluations: 18, forgotten: 2 })
  expect(missing['keys']).toContainEqual(
    expect.objectContaining({ key: 'shopcountry', evaluations: 5, longest: 2 }),
  )
})

test('nothing more is counted for a caller who has gone', async () => {
  const { context } = vigil.service
  const gone = new AbortController()
  const signals: AbortSignal[] = []
  const endless: typeof context = {
    ...context,
    scanSlice: async (asked, signal) => {
      signals.push(signal)
      // there is more behind every slice, until nobody waits for it
      if (signal.aborted) throw unavailable('The scan was given up.')
      return { ...(await context.scanSlice(asked, signal)), after: { id: 'evl', values: [start] } }
    },
  }
  const principal = { kind: 'account', accountId: customer.accountId } as never
  const asked = { name: 'flow', limit: 1, signal: gone.signal }

  const { steps, add, result } = await findTopValues(endless, { principal, requestId: 'r' }, asked)
  for await (const { folded } of steps) {
    add(folded)
    break
  }
  const again = await findTopValues(endless, { principal, requestId: 'r' }, asked)
  gone.abort()

  expect(signals).toEqual([gone.signal])
  expect(result()).toMatchObject({ all: { evaluations: 18 } })
  await expect(again.steps[Symbol.asyncIterator]().next()).rejects.toMatchObject({
    code: 'unavailable',
  })
})

test('a client that goes while values are counted ends the scan', async () => {
  const { context } = vigil.service
  const { scanSlice } = context
  const leaving = new AbortController()
  const begun = new Promise<AbortSignal>((begin) => {
    const scan: typeof scanSlice = (_, signal) => {
      begin(signal)
      return new Promise((__, reject) => {
        signal.addEventListener('abort', () => reject(unavailable('The scan was given up.')))
      })
    }
    Object.assign(context, { scanSlice: scan })
  })
  const url = `http://127.0.0.1:${vigil.door.port}/v2/watch/evaluations/top?name=flow`
  const headers = { authorization: `Bearer ${customer.token}` }

  const answer = fetch(url, { headers, signal: leaving.signal }).catch(() => undefined)
  const signal = await begun.finally(() => Object.assign(context, { scanSlice }))
  const ended = new Promise((resolve) => {
    signal.addEventListener('abort', resolve)
  })
  leaving.abort()
  await answer

  await expect(ended).resolves.toMatchObject({ type: 'abort' })
})
