import { beforeAll, describe, expect, test } from 'vitest'
import { decode } from '../../src/events/catalogue.ts'
import { passwordRates } from '../../src/http/sessions/passwordRoutes.ts'
import { openMetrics } from '../../src/metrics/openMetrics.ts'
import { beforeTurn } from '../support/beforeTurn.ts'
import { openShopOfFile } from '../support/openOfFile.ts'
import { openTwoInstances } from '../support/openTwoInstances.ts'
import { type Customer, openCustomer } from '../support/openVigil.ts'
import { newApp, newSession, newUser } from '../support/startSession.ts'

const scope = 'prld:pwd:write'
const metrics = openMetrics()
let now = 0
let app: string

const { vigil, shop } = await openShopOfFile({ metrics, nowMs: () => now })

beforeAll(async () => {
  app = await appOf(shop)
})

const appOf = (customer: Customer, settings?: object | '') =>
  newApp(customer, settings ? { settings } : {})

/** The path of a new user with a password. */
async function userOf(place = app, customer = shop): Promise<string> {
  const user = await newUser(customer, place)
  await customer.send('PUT', `${user}/password`, { password: 'the first one' })
  return user
}

/** A new session of the user, which may change the password once unless given other scopes. */
const sessionOf = (user: string, scopes = [scope], customer = shop) =>
  newSession(customer, user, { scopes })

const reset = (
  token: string | undefined,
  body: unknown,
  { at = app, door = vigil.door, headers = {} as Record<string, string> } = {},
) =>
  door.request<Record<string, unknown>>('POST', '/v1/session/me/password/reset', {
    token,
    body,
    headers: { host: `${at.split('/').at(-1)}.session.localhost`, ...headers },
  })

const isValid = async (user: string, password: string, customer = shop) =>
  (await customer.send('POST', `${user}/password/check`, { password })).body['valid']

async function hashes(): Promise<number> {
  const line = (await metrics.text())
    .split('\n')
    .find((one) => one.startsWith('vigil_password_hashes_total '))
  return Number(line?.split(' ')[1])
}

const usedUp = {
  code: 'insufficient_scope',
  type: 'forbidden',
  message: "The scope 'prld:pwd:write' has been used, or is over.",
}

describe('a user with the scope', () => {
  test('changes the password, once', async () => {
    const user = await userOf()
    const { token } = await sessionOf(user)

    const answer = await reset(token, { password: 'the second one' })
    const again = await reset(token, { password: 'the third one' })

    expect([answer.status, answer.text]).toEqual([204, ''])
    expect([again.status, again.body]).toEqual([403, usedUp])
    expect(await isValid(user, 'the first one')).toBe(false)
    expect(await isValid(user, 'the second one')).toBe(true)
    expect(await isValid(user, 'the third one')).toBe(false)
  })

  test('changes it once on however many instances, in one write', async () => {
    const { a, b } = await openTwoInstances()
    const customer = await openCustomer(a)
    const place = await appOf(customer)
    const user = await userOf(place, customer)
    const { id, token } = await sessionOf(user, [scope], customer)

    const answers = await Promise.all(
      [a, b, a, b].map(({ door }, at) =>
        reset(token, { password: `number ${at} of four` }, { at: place, door }),
      ),
    )

    expect(answers.map(({ status }) => status).toSorted()).toEqual([204, 403, 403, 403])
    const stream = `user-${user.split('/').at(-1)}`
    const events = (await a.context.events.readStream(stream, { from: 0, limit: 100 })).map(decode)
    const last = events.slice(-3)
    expect(last.map(({ event }) => event.type)).toEqual([
      'ScopeUsed',
      'PasswordChanged',
      'SessionsRevoked',
    ])
    expect(new Set(last.map(({ metadata }) => metadata.command)).size).toBe(1)
    expect(last[2]?.event.data).toMatchObject({ kept_session_id: id, reason: 'password' })
    expect(events.filter(({ event }) => event.type === 'ScopeUsed')).toHaveLength(1)
  })

  test('changes nothing in a session that was ended while the password was hashed', async () => {
    const { a, b } = await openTwoInstances()
    const customer = await openCustomer(a)
    const place = await appOf(customer)
    const user = await userOf(place, customer)
    const { id, token } = await sessionOf(user, [scope], customer)
    const ended: number[] = []
    beforeTurn(a, `user-${user.split('/').at(-1)}`, async () => {
      const asked = { token: customer.token }
      ended.push((await b.door.request('DELETE', `${user}/sessions/${id}`, asked)).status)
    })

    const answer = await reset(token, { password: 'the second one' }, { at: place, door: a.door })

    expect(ended).toEqual([204])
    expect(answer).toMatchObject({ status: 401, body: { code: 'unauthorized' } })
    expect(await isValid(user, 'the first one', customer)).toBe(true)
  })
})

test.each([
  [undefined, [true, false]],
  ['all', [false, false]],
  ['none', [true, true]],
])(
  'the session in which it was changed, and another, go on as the application says: %s',
  async (password_change_revokes, expected) => {
    const place = await appOf(shop, password_change_revokes && { password_change_revokes })
    const user = await userOf(place)
    const [mine, other] = [await sessionOf(user), await sessionOf(user, [])]

    const { status } = await reset(mine.token, { password: 'the second one' }, { at: place })

    const { body } = await shop.send('GET', `${user}/sessions`)
    const active = (body['sessions'] as { id: string }[]).map(({ id }) => id)
    expect(status).toBe(204)
    expect([mine, other].map(({ id }) => active.includes(id))).toEqual(expected)
  },
)

describe('whoever may not change the password', () => {
  test('is told that the scope is missing, or over', async () => {
    const user = await userOf()
    const without = await sessionOf(user, [])
    const other = await sessionOf(user, ['another:scope'])
    const before = await hashes()

    for (const { token } of [without, other]) {
      expect(await reset(token, { password: 'the second one' })).toMatchObject({
        status: 403,
        body: { code: 'insufficient_scope', type: 'forbidden' },
      })
    }
    expect(await hashes()).toBe(before)
  })
})

describe('a password that cannot be', () => {
  test('is told by which rule, and the scope is not used up', async () => {
    const place = await appOf(shop, { password: { min_length: 10, numbers: 1 } })
    const user = await userOf(place)
    const { token } = await sessionOf(user)

    const short = await reset(token, { password: 'secretly' }, { at: place })
    const long = await reset(token, { password: 'x1'.repeat(5_000) }, { at: place })

    expect([short.status, short.body]).toEqual([
      400,
      {
        code: 'invalid_password',
        type: 'bad_request',
        message:
          'password: Must have at least 10 characters. password: Must have at least 1 digit.',
      },
    ])
    expect(long).toMatchObject({ status: 400, body: { code: 'invalid_password' } })
    expect((await reset(token, { password: 'the second 1' }, { at: place })).status).toBe(204)
  })
})

describe('who tries too often', () => {
  const short = { password: 'short' }

  test('in one session is told when to come again, and others of the user are not', async () => {
    const user = await userOf()
    const [mine, other] = [await sessionOf(user), await sessionOf(user)]
    const { burst } = passwordRates.session
    for (let tried = 0; tried < burst; tried += 1) {
      expect((await reset(mine.token, short)).status).toBe(400)
    }

    const refused = await reset(mine.token, short)

    expect([refused.status, refused.headers['retry-after']]).toEqual([429, '60'])
    expect(refused.body).toMatchObject({ code: 'rate_limited', type: 'too_many_requests' })
    expect((await reset(other.token, short)).status).toBe(400)
    now += 60_000
    expect((await reset(mine.token, short)).status).toBe(400)
  })

  test('in many sessions is told so too', async () => {
    const user = await userOf()
    const statuses: number[] = []
    const { session, user: ofUser } = passwordRates
    for (let sessions = 0; sessions * session.burst <= ofUser.burst; sessions += 1) {
      const { token } = await sessionOf(user)
      for (let tried = 0; tried < session.burst; tried += 1) {
        statuses.push((await reset(token, short)).status)
      }
    }

    expect(statuses.filter((status) => status === 400)).toHaveLength(ofUser.burst)
    expect(statuses.slice(ofUser.burst)).toEqual(Array(session.burst).fill(429))
  })
})
