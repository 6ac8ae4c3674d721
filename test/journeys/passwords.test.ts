import { beforeAll, describe, expect, test, vi } from 'vitest'
import { openReplacedKeySweep } from '../../src/commands/sessions/passwords/storedPasswordHashes.ts'
import { decode, sealedUnder } from '../../src/events/catalogue.ts'
import { passwordRates } from '../../src/http/sessions/passwordRoutes.ts'
import { openMetrics } from '../../src/metrics/openMetrics.ts'
import { eventually } from '../support/eventually.ts'
import { openShopOfFile } from '../support/openOfFile.ts'
import type { Instance } from '../support/openTwoInstances.ts'
import { openTwoWithUser } from '../support/openTwoWithUser.ts'
import { type Customer, openCustomer, openVigil, sendAs } from '../support/openVigil.ts'
import { newApp, newSession, newUser } from '../support/startSession.ts'

const metrics = openMetrics()
let now = 0
let app: string

const { vigil, shop } = await openShopOfFile({ metrics, nowMs: () => now })

beforeAll(async () => {
  app = await appOf(shop)
})

type Client = Pick<Customer, 'send'>

const appOf = (client: Client, settings?: object) => newApp(client, settings && { settings })
const userOf = (client: Client = shop, place = app) => newUser(client, place)

const set = (user: string, password: unknown, client: Client = shop) =>
  client.send('PUT', `${user}/password`, { password })
const check = (user: string, password: unknown, client: Client = shop) =>
  client.send('POST', `${user}/password/check`, { password })
const isValid = async (user: string, password: string, client: Client = shop) =>
  (await check(user, password, client)).body['valid']

/** What the metrics say of a name. */
async function counted(name: string, of = metrics): Promise<number> {
  const line = (await of.text()).split('\n').find((one) => one.startsWith(`${name} `))
  return Number(line?.split(' ')[1])
}
const hashes = () => counted('vigil_password_hashes_total')

/** Lets every bucket fill up again. */
const rest = () => {
  now += 60 * 60 * 1_000
}

describe('a password that the back end gives a user', () => {
  test('is the one from then on, and no other is', async () => {
    const user = await userOf()

    const answer = await set(user, 'correct horse')

    expect([answer.status, answer.text]).toEqual([204, ''])
    expect(await isValid(user, 'correct horse')).toBe(true)
    for (const wrong of ['Correct horse', 'correct horse ', 'correct hors', '', 'x'.repeat(128)]) {
      expect(await isValid(user, wrong)).toBe(false)
    }
  })

  test('is the same from every keyboard, and every character of it counts', async () => {
    const user = await userOf()
    await set(user, 'Zoe\u0308\u0000 likes 🔑')

    expect(await isValid(user, 'Zo\u00eb\u0000 likes 🔑')).toBe(true)
    expect(await isValid(user, 'Zo\u00eb')).toBe(false)
    expect(await isValid(user, 'Zo\u00eb\u0000 likes 🔒')).toBe(false)
    expect(await isValid(user, 'Zo\u00eb likes 🔑')).toBe(false)
  })

  test('is one of them when two are given at once', async () => {
    const user = await userOf()

    const answers = await Promise.all(['one of two', 'two of two'].map((text) => set(user, text)))

    expect(answers.map(({ status }) => status)).toEqual([204, 204])
    const valid = [await isValid(user, 'one of two'), await isValid(user, 'two of two')]
    expect(valid.toSorted()).toEqual([false, true])
  })

  test('under the same Idempotency-Key is given once, and another one is not said to be given', async () => {
    const user = await userOf()
    const give = (password: string) =>
      shop.send('PUT', `${user}/password`, { password }, { 'idempotency-key': 'give-it' })
    await give('the first one')

    const again = await give('the first one')
    const another = await give('the other one')
    await set(user, 'a later one')
    const late = await give('the first one')

    expect(again.status).toBe(204)
    expect(another).toMatchObject({ status: 422, body: { code: 'idempotency_key_reused' } })
    expect(late).toMatchObject({ status: 422, body: { code: 'idempotency_key_reused' } })
    expect(await isValid(user, 'a later one')).toBe(true)
  })
})

test('a password that was replaced is not said to be given, though its key is still at hand', async () => {
  const { b, customer, user } = await openTwoWithUser()
  const give = () =>
    sendAs(b, customer.token)(
      'PUT',
      `${user}/password`,
      { password: 'the first one' },
      { 'idempotency-key': 'give-it' },
    )
  // as long as it has not heard that others have destroyed it
  Object.assign(b.keyring, { forget: () => undefined })
  const [first, again] = [await give(), await give()]

  await set(user, 'a later one', customer)
  const late = await give()

  expect([first.status, again.status]).toEqual([204, 204])
  expect(late).toMatchObject({ status: 422, body: { code: 'idempotency_key_reused' } })
})

const common = 'Must not be one of the most common passwords.'
const known = 'Must not be what the user is known by.'
const current = 'Must not be the current password.'

describe('a password that the application does not take', () => {
  test('is refused whatever the application says: a common one, an identifier, the current one', async () => {
    const place = await appOf(shop, { password: { min_length: 8 } })
    const identifiers = [
      { type: 'email_address', value: 'Ann.Smith@shop.example' },
      { type: 'phone_number', value: '+33612345678' },
      { type: 'nickname', value: 'AnnieOfTheShop' },
    ]
    const { body: made } = await shop.send('POST', `${place}/users`, { identifiers })
    const user = `${place}/users/${made['id']}`
    await set(user, 'Zoe\u0308 likes 🔑')
    const before = await hashes()
    const refused: [string, string][] = [
      ['qwertyuiop', common],
      ['Passw0rd', common],
      ['88888888', common],
      ['８８８８８８８８', common],
      ['ＱｗｅｒｔＹｕｉｏｐ', common],
      ['ann.smith@shop.EXAMPLE', known],
      ['Ann.Smith', known],
      ['33612345678', known],
      ['+33 6 12 34 56 78', known],
      ['annieoftheshop', known],
      ['Zo\u00eb likes 🔑', current],
    ]

    for (const [text, message] of refused) {
      const { status, body } = await set(user, text)
      expect({ text, status, body: withoutRequest(body) }).toEqual({
        text,
        status: 400,
        body: {
          code: 'invalid_password',
          type: 'bad_request',
          message: 'The application does not take this password; see details.',
          param: 'password',
          details: [{ path: 'password', message }],
        },
      })
    }
    // only the current one was compared
    expect((await hashes()) - before).toBe(1)
    expect((await set(user, 'Zoë likes 🔒')).status).toBe(204)
    expect((await set(user, 'Zoë likes 🔑')).status).toBe(204)
  })

  test('is one of 10,000 characters, which costs nothing', async () => {
    const user = await userOf()
    const before = await hashes()

    expect(await set(user, 'x'.repeat(10_000))).toMatchObject({
      status: 400,
      body: { code: 'invalid_password' },
    })
    expect((await check(user, 'x'.repeat(10_000))).body).toEqual({ valid: false })
    expect(await hashes()).toBe(before)
  })

  test.each([
    ['a number', '{"password":12345678}', 400],
    ['half a surrogate pair', '{"password":"correct \\ud800 horse"}', 400],
    ['no UTF-8', Buffer.from('{"password":"correct \xff horse"}', 'latin1'), 400],
    ['1 MB', `{"password":"${'x'.repeat(1_000_000)}"}`, 413],
  ])('is none at all: %s', async (_, sent, expected) => {
    const user = await userOf()
    const before = await hashes()
    for (const [method, path] of [
      ['PUT', `${user}/password`],
      ['POST', `${user}/password/check`],
    ] as const) {
      const { status, text } = await vigil.door.request(method, path, {
        token: shop.token,
        body: sent,
        // what is refused before it was read leaves nothing to go on with
        headers: { connection: 'close' },
      })

      expect(status).toBe(expected)
      expect(text).not.toContain('correct')
    }
    expect(await hashes()).toBe(before)
  })
})

describe('whoever asks about', () => {
  const nobody = 'usr_01h455vb4pex5vsknk084sn02q'

  test('a user whom there is not, or who has no password, is told the same after the same work', async () => {
    const known = await userOf()
    await set(known, 'correct horse')
    const bare = await userOf()
    const deleted = await userOf()
    await set(deleted, 'correct horse')
    await shop.send('DELETE', deleted)
    const elsewhere = (await userOf(shop, await appOf(shop))).split('/').at(-1)
    const asked: [number, number, string][] = []

    for (const user of [
      known,
      `${app}/users/${nobody}`,
      bare,
      deleted,
      `${app}/users/${elsewhere}`,
    ]) {
      const before = await hashes()
      const { status, text } = await check(user, 'wrong horse')
      asked.push([(await hashes()) - before, status, text])
    }

    expect(asked).toEqual(asked.map(() => [1, 200, '{"valid":false}']))
  })

  test('nobody is given a password, nor hashed for', async () => {
    const before = await hashes()

    expect(await set(`${app}/users/${nobody}`, 'correct horse')).toMatchObject({
      status: 404,
      body: { code: 'not_found' },
    })
    expect(await hashes()).toBe(before)
  })

  test('one user may ask so often, whoever that is, and then again after a while', async () => {
    rest()
    const [user, quiet] = [await userOf(), await userOf()]
    await set(user, 'correct horse')
    const { burst } = passwordRates.check
    for (const path of [user, `${app}/users/${nobody}`]) {
      const codes: number[] = []
      for (let asked = 0; asked < burst + 2; asked += 1) {
        codes.push((await check(path, 'wrong horse')).status)
      }
      const refused = await check(path, 'correct horse')

      expect(codes).toEqual([...Array(burst).fill(200), 429, 429])
      expect(refused).toMatchObject({ status: 429, body: { code: 'rate_limited' } })
      expect(refused.headers['retry-after']).toBe('60')
    }
    expect((await check(quiet, 'wrong horse')).status).toBe(200)

    now += 60_000
    expect(await isValid(user, 'correct horse')).toBe(true)
    expect((await check(user, 'correct horse')).status).toBe(429)
  })

  test('whoever guesses from one client does not lock the user out of another, up to a hundred guesses', async () => {
    rest()
    const user = await userOf()
    await set(user, 'correct horse')
    const from = (client: string, password: string) =>
      shop.send('POST', `${user}/password/check`, { password, client })
    const guesses: number[] = []
    for (let asked = 0; asked < 12; asked += 1) {
      // addresses of one network of IPv6 are one client
      guesses.push((await from(`2001:db8::${asked}`, 'wrong horse')).status)
    }
    const own = await from('device-1', 'correct horse')
    for (let client = 0; client < 89; client += 1) await from(`198.51.100.${client}`, 'wrong horse')
    const beyond = await from('device-2', 'correct horse')

    expect(guesses).toEqual([...Array(10).fill(200), 429, 429])
    expect(own.body).toEqual({ valid: true })
    expect(beyond).toMatchObject({ status: 429, body: { code: 'rate_limited' } })
    expect(
      (await shop.send('POST', `${user}/password/check`, { password: 'x', client: '' })).status,
    ).toBe(400)
  })
})

function withoutRequest({ request_id: _, ...body }: Record<string, unknown>) {
  return body
}

describe('what a password costs', () => {
  test('is raised when the right one is next asked about, once', async () => {
    const cheap = await openVigil({ passwordCost: { memoryKib: 8, passes: 1 } })
    const customer = await openCustomer(cheap)
    const path = await appOf(customer)
    const user = await userOf(customer, path)
    await set(user, 'correct horse', customer)
    await cheap.door.close()
    await cheap.service.close()
    const today = openMetrics()
    const dear = await openVigil({
      folder: cheap.folder,
      metrics: today,
      passwordCost: { memoryKib: 64, passes: 2 },
    })
    const again = { send: sendAs(dear, customer.token) }
    const raised = () => counted('vigil_password_changes_total{by="rehash"}', today)

    expect(await isValid(user, 'wrong horse', again)).toBe(false)
    expect(await raised()).toBe(0)
    expect(await isValid(user, 'correct horse', again)).toBe(true)
    expect(await raised()).toBe(1)
    expect(await isValid(user, 'correct horse', again)).toBe(true)
    expect(await raised()).toBe(1)
    // compared twice and made once, then compared
    expect(await counted('vigil_password_hashes_total', today)).toBe(4)
    await dear.close()
  })
})

test('a right password is right while it is given again on another instance', async () => {
  const { a, b, customer, user } = await openTwoWithUser()
  const there = { send: sendAs(b, customer.token) }
  await set(user, 'correct horse', there)
  const { readStream } = a.context.events
  const given: number[] = []
  Object.assign(a.context.events, {
    readStream: async (...asked: Parameters<typeof readStream>) => {
      Object.assign(a.context.events, { readStream })
      const read = await readStream(...asked)
      for (const password of ['another horse', 'correct horse']) {
        given.push((await set(user, password, there)).status)
      }
      return read
    },
  })

  const answer = await check(user, 'correct horse', customer)

  expect(given).toEqual([204, 204])
  expect(answer).toMatchObject({ status: 200, body: { valid: true } })
  expect(await isValid(user, 'wrong horse', customer)).toBe(false)
})

describe('the key of a password', () => {
  const dayMs = 24 * 60 * 60 * 1_000

  /** The keys of the passwords of a user, in the order in which they were given, and whether each can be had. */
  async function keysOf({ context }: Instance, user: string): Promise<readonly string[]> {
    const stream = `user-${user.split('/').at(-1)}`
    const events = (await context.events.readStream(stream, { from: 0, limit: 100 })).map(decode)
    const ids = events
      .filter(({ event }) => event.type === 'PasswordChanged')
      .flatMap((one) => sealedUnder(one))
    const states = await context.keyring.keys(ids)
    return ids.map((id) => (states.get(id) === 'destroyed' ? 'destroyed' : 'there'))
  }

  test('dies with the next change and with the user, on every instance', async () => {
    const { a, b, customer, user } = await openTwoWithUser()
    const there = { send: sendAs(b, customer.token) }
    await set(user, 'the first one', customer)
    expect(await isValid(user, 'the first one', there)).toBe(true)

    await set(user, 'the second one', there)

    expect(await isValid(user, 'the first one', customer)).toBe(false)
    expect(await isValid(user, 'the second one', customer)).toBe(true)
    await eventually(async () => (await keysOf(a, user)).join() === 'destroyed,there')
    expect(await keysOf(b, user)).toEqual(['destroyed', 'there'])
    // no other key of the same person is destroyed with it
    expect((await customer.send('GET', user)).body['identifiers']).toHaveLength(1)
    await customer.send('DELETE', user)
    expect(await isValid(user, 'the second one', there)).toBe(false)
    await eventually(async () => (await keysOf(b, user)).join() === 'destroyed,destroyed')
    expect(await keysOf(a, user)).toEqual(['destroyed', 'destroyed'])
    expect([...a.faults, ...b.faults]).toEqual([])
  })

  test('is destroyed later when the change could not do it', async () => {
    const { a, customer, user } = await openTwoWithUser()
    await set(user, 'the first one', customer)
    const away = vi.spyOn(a.context.keyring, 'destroy')
    away.mockRejectedValueOnce(new Error('the key store is away'))

    const { status } = await set(user, 'the second one', customer)
    const left = await keysOf(a, user)
    const sweep = openReplacedKeySweep(a.service.context)
    await sweep()

    expect(status).toBe(204)
    expect(a.faults).toEqual([new Error('the key store is away')])
    expect(left).toEqual(['there', 'there'])
    expect(await keysOf(a, user)).toEqual(['destroyed', 'there'])
    expect(await isValid(user, 'the second one', customer)).toBe(true)
    // what is gone is not destroyed again
    const times = away.mock.calls.length
    await sweep()
    expect(away.mock.calls).toHaveLength(times)
  })

  test('is looked for until a sweep has destroyed it, and not again after that', async () => {
    const { a, customer, user } = await openTwoWithUser()
    const { clock, keyring, documents } = a.context
    const { nowMs } = clock
    Object.assign(clock, { nowMs: () => nowMs() - 10 * dayMs })
    await set(user, 'the first one', customer)
    const away = vi.spyOn(keyring, 'destroy').mockRejectedValue(new Error('away'))
    await set(user, 'the second one', customer)
    Object.assign(clock, { nowMs })
    const sweep = openReplacedKeySweep(a.service.context)

    await expect(sweep()).rejects.toThrow('away')
    const left = await keysOf(a, user)
    away.mockRestore()
    await sweep()
    const found = vi.spyOn(documents, 'find')
    const beganMs = Date.now()
    await sweep()

    expect(left).toEqual(['there', 'there'])
    expect(await keysOf(a, user)).toEqual(['destroyed', 'there'])
    const since = found.mock.calls.map(([, { where }]) => Object(where?.['changed_at']).gte)
    expect(since).toHaveLength(1)
    expect(beganMs - since[0]).toBeLessThan(dayMs)
  })
})

test.each([
  ['others', [1, 0]],
  ['all', [1, 0]],
  ['none', [1, 1]],
])(
  'sessions go on with a first password, and end with another one as the application says: %s',
  async (password_change_revokes, expected) => {
    const user = await userOf(shop, await appOf(shop, { password_change_revokes }))
    await newSession(shop, user)
    const active: number[] = []
    for (const password of ['the first one', 'the second one']) {
      await set(user, password)
      const { body } = await shop.send('GET', `${user}/sessions`)
      active.push((body['sessions'] as object[]).length)
    }

    expect(active).toEqual(expected)
  },
)

describe('the rules for passwords', () => {
  test('are told by the host of the application to whoever asks', async () => {
    const policy = {
      min_length: 10,
      max_length: 99,
      uppercase: 1,
      lowercase: 2,
      numbers: 3,
      symbols: 4,
    }
    const id = (await appOf(shop, { password: policy })).split('/').at(-1)

    const { status, body } = await vigil.door.request('GET', '/v1/session/password/compliancy', {
      headers: { host: `${id}.session.localhost` },
    })

    expect(status).toBe(200)
    expect(body).toEqual(policy)
    const main = await vigil.door.request('GET', '/v1/session/password/compliancy')
    expect(main.status).toBe(404)
  })
})
