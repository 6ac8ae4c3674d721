import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { idPrefixes } from '../../src/domain/ids.ts'
import { revocationRates } from '../../src/http/sessions/ownSessionRoutes.ts'
import { beforeTurn } from '../support/beforeTurn.ts'
import { eventually } from '../support/eventually.ts'
import { openShopOfFile } from '../support/openOfFile.ts'
import type { Instance } from '../support/openTwoInstances.ts'
import { openTwoWithUser } from '../support/openTwoWithUser.ts'
import { openCustomer, openVigil, type Vigil } from '../support/openVigil.ts'
import { newApp, newSession, newUser as newUserOf } from '../support/startSession.ts'

const app = 'corner1'
const list = '/v1/session/me/list'
const revoke = '/v1/session/me/revoke'

type Session = Awaited<ReturnType<typeof newSession>>

interface Listed {
  readonly sessions: readonly { readonly id: string; readonly [field: string]: unknown }[]
  readonly total: number
  readonly limit: number
  readonly offset: number
}

const { vigil, shop } = await openShopOfFile()

beforeAll(async () => {
  for (const app_id of [app, 'other01']) {
    await newApp(shop, { app_id })
  }
})

const openTwo = (options?: Parameters<typeof openTwoWithUser>[0]) =>
  openTwoWithUser(options, { app_id: app })
const newUser = (customer = shop, appId = app) => newUserOf(customer, `/v2/session/apps/${appId}`)
const start = (user: string, device: object = {}, customer = shop) =>
  newSession(customer, user, device)

const ask = (
  method: string,
  path: string,
  {
    token,
    door = vigil.door,
    appId = app,
    headers = {} as Record<string, string>,
  }: {
    readonly token?: string
    readonly door?: Vigil['door']
    readonly appId?: string
    readonly headers?: Record<string, string>
  },
) =>
  door.request<Record<string, unknown>>(method, path, {
    token,
    headers: { host: `${appId}.session.localhost`, ...headers },
  })

const listed = async (token: string, query = '', door = vigil.door) => {
  const { status, body, text } = await ask('GET', `${list}${query}`, { token, door })
  if (status !== 200) throw new Error(text)
  return body as unknown as Listed
}

const idsOf = ({ sessions }: Listed) => sessions.map(({ id }) => id)

describe('the list', () => {
  test('has the one seen last first, page by page', async () => {
    const user = await newUser()
    const sessions: Session[] = []
    vigil.setTime(Date.now())
    for (let count = 0; count < 12; count += 1) {
      if (count % 3 === 0) vigil.setTime(Date.now() + count)
      sessions.push(await start(user))
    }
    const [{ token } = { token: '' }] = sessions
    const all = await listed(token, '?limit=100')
    const pages = [await listed(token), await listed(token, '?limit=5&offset=10')]

    const order = all.sessions.map(({ last_seen_at, id }) => `${last_seen_at} ${id}`)
    expect(order).toEqual(order.toSorted().reverse())
    expect(idsOf(all)).toHaveLength(12)
    expect(pages.flatMap(idsOf)).toEqual(idsOf(all))
    expect(pages[1]).toMatchObject({ total: 12, limit: 5, offset: 10 })
    expect(await listed(token, '?offset=12')).toMatchObject({ sessions: [], total: 12 })
  })

  test('says which one asks', async () => {
    const user = await newUser()
    const two = [await start(user), await start(user)]
    for (const { id, token } of two) {
      const { sessions } = await listed(token)
      expect(sessions.filter(({ is_current }) => is_current).map((one) => one.id)).toEqual([id])
      expect(sessions).toHaveLength(2)
    }
  })

  test.each([
    ['limit=0', 'invalid_pagination_limit'],
    ['limit=101', 'invalid_pagination_limit'],
    ['limit=', 'invalid_pagination_limit'],
    ['limit=%ff', 'invalid_pagination_limit'],
    ['limit=5&limit=5', 'invalid_pagination_limit'],
    ['limit=0&offset=-1', 'invalid_pagination_limit'],
    ['offset=-1', 'invalid_pagination_offset'],
    ['offset=0&offset=0', 'invalid_pagination_offset'],
    ['cursor=1', 'bad_request'],
  ])('?%s is 400 %s', async (query, code) => {
    const { token } = await start(await newUser())

    const { status, body } = await ask('GET', `${list}?${query}`, { token })

    expect({ status, body }).toEqual({
      status: 400,
      body: { code, type: 'bad_request', message: expect.any(String) },
    })
  })
})

describe('revoking', () => {
  const three = async () => {
    const user = await newUser()
    return [await start(user), await start(user), await start(user)] as const
  }
  const end = async (query: string, { token }: Session) => {
    const { status, text } = await ask('POST', `${revoke}?${query}`, { token })
    return { status, text }
  }
  const isIn = async ({ token }: Session) => (await ask('GET', list, { token })).status === 200

  test.each([
    ['all', [false, false, false]],
    ['others', [true, false, false]],
    ['mine', [false, true, true]],
  ])('%s', async (target, left) => {
    const [mine, second, third] = await three()

    expect(await end(`target=${target}`, mine)).toEqual({ status: 204, text: '' })
    const standing = [await isIn(mine), await isIn(second), await isIn(third)]
    expect(standing).toEqual(left)
    for (const one of [mine, second, third]) {
      if (await isIn(one)) expect((await listed(one.token)).total).toBe(left.filter(Boolean).length)
    }
  })

  test('one that is named; again is no error', async () => {
    const [mine, second, third] = await three()
    const once = await end(`target=session&session_id=${second.id}`, mine)
    const after = await listed(mine.token)
    const twice = await end(`target=session&session_id=${second.id}`, mine)

    expect([once.status, twice.status]).toEqual([204, 204])
    expect(new Set(idsOf(after))).toEqual(new Set([mine.id, third.id]))
    expect(after.total).toBe(2)
  })

  test('another user’s session is as little there as one that never was', async () => {
    const [mine] = await three()
    const foreign = await start(await newUser())
    const answers = await Promise.all(
      [foreign.id, 'ses_01jc0t6fwwfgfsq1md24mhyztk', 'ses_1', 'nothing'].map((id) =>
        end(`target=session&session_id=${id}`, mine),
      ),
    )

    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1)
    expect(answers[0]?.status).toBe(404)
    expect(await isIn(foreign)).toBe(true)
  })

  test.each([
    ...['', 'target=', 'target=everything', 'target=all&target=all', 'target=session'],
    ...['target=session&session_id=', 'target=all&session_id=ses_01jc0t6fwwfgfsq1md24mhyztk'],
    'target=all&x=1',
  ])('?%s is refused, and ends nothing', async (query) => {
    const [mine, second] = await three()

    const { status } = await end(query, mine)

    expect(status).toBe(400)
    expect([await isIn(mine), await isIn(second)]).toEqual([true, true])
  })

  test('all and others at the same moment leave nobody whom all has ended', async () => {
    for (let round = 0; round < 5; round += 1) {
      const [one, other] = await three()
      await Promise.all([end('target=all', one), end('target=others', other)])

      // whichever came first, the one that asked for all is out; the other is in only when its own came last
      expect(await isIn(one)).toBe(false)
    }
  })
})

describe('a token that is not good', () => {
  test('is answered with the same bytes, whatever is wrong with it', async () => {
    const user = await newUser()
    const [good, revoked] = [await start(user), await start(user)]
    await ask('POST', `${revoke}?target=mine`, revoked)
    const foreign = await start(await newUser(shop, 'other01'))
    const deletedUser = await newUser()
    const deleted = await start(deletedUser)
    await shop.send('DELETE', deletedUser)
    const [header, claims, signature] = good.token.split('.')
    const texts = [
      revoked.token,
      foreign.token,
      deleted.token,
      `${good.token}x`,
      `${header}.${claims}.${signature?.slice(2)}`,
      `${header}.${claims}.`,
      shop.token,
      'x'.repeat(10_000),
      '..',
    ]
    const answers = await Promise.all(texts.map((token) => ask('GET', list, { token })))
    const odd = ['Basic YTpi', 'Bearer', 'Bearer ', `bearer${good.token}`, good.token]
    for (const authorization of odd) {
      answers.push(await ask('GET', list, { headers: { authorization } }))
    }
    answers.push(await ask('GET', list, {}))
    answers.push(await ask('POST', `${revoke}?target=all`, {}))
    answers.push(await ask('GET', `${list}?limit=0`, {}))

    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`))).toEqual(
      new Set([
        '401 {"code":"unauthorized","type":"unauthorized","message":"The access token is missing or not valid."}',
      ]),
    )
    expect(new Set(answers.map(({ headers }) => headers['www-authenticate']))).toEqual(
      new Set(['Bearer']),
    )
    expect((await ask('GET', list, good)).status).toBe(200)
  })

  test('is read of no log unless the application has signed it', async () => {
    const { a, customer, user } = await openTwo()
    const { token } = await start(user, {}, customer)
    const unsigned = token.replace(/[^.]+$/, Buffer.alloc(64).toString('base64url'))
    const before = a.reads()

    const refused = await ask('GET', list, { token: unsigned, door: a.door })

    expect([refused.status, a.reads()]).toEqual([401, before])
  })

  test('is one that has expired, or is of a host that is not its own', async () => {
    const nowMs = Math.ceil(Date.now() / 1_000) * 1_000
    vigil.setTime(nowMs)
    const session = await start(await newUser())
    const elsewhere = await ask('GET', list, { ...session, appId: 'other01' })
    vigil.setTime(nowMs + 604_000)
    const late = await ask('GET', list, session)
    vigil.setTime(nowMs + 606_000)
    const tooLate = await ask('GET', list, session)
    vigil.setTime(nowMs)

    expect([elsewhere.status, late.status, tooLate.status]).toEqual([401, 200, 401])
  })

  test('is one signed by a key that is retired', async () => {
    const session = await start(await newUser())
    const keys = `/v2/session/apps/${app}/signing-keys`
    const { body } = await shop.send('GET', keys)
    const first = (body['signing_keys'] as readonly { kid: string; status: string }[]).at(-1)
    await shop.send('POST', keys)
    const rotated = await ask('GET', list, session)
    await shop.send('DELETE', `${keys}/${first?.kid}`)

    expect([rotated.status, (await ask('GET', list, session)).status]).toEqual([200, 401])
  })
})

describe('ending sessions again and again', () => {
  const eventsOf = async ({ context }: Instance, user: string) => {
    const stream = `user-${user.split('/').at(-1)}`
    const events = await context.events.readStream(stream, { from: 0, limit: 100 })
    return events.filter(({ type }) => type === 'SessionsRevoked').length
  }
  const opened = async () => {
    const { a, customer, user } = await openTwo()
    const mine = await start(user, {}, customer)
    const others = async () =>
      (await ask('POST', `${revoke}?target=others`, { ...mine, door: a.door })).status
    const isIn = async ({ token }: Session) =>
      (await ask('GET', list, { token, door: a.door })).status === 200
    return { a, customer, user, mine, others, isIn }
  }

  test('writes nothing where there is nothing to end', async () => {
    const { a, customer, user, mine, others, isIn } = await opened()
    const counts: number[] = []
    const ended = async () => {
      expect(await others()).toBe(204)
      counts.push(await eventsOf(a, user))
    }
    await ended()
    const second = await start(user, {}, customer)
    await ended()
    await ended()
    // what any session of the user may do is taken from those to come
    await customer.send('POST', `${user}/scopes`, { scope: 'a', seconds: 60 })
    await ended()
    await ended()
    const third = await start(user, {}, customer)
    await ended()

    expect(counts).toEqual([0, 1, 1, 2, 2, 3])
    expect([await isIn(mine), await isIn(second), await isIn(third)]).toEqual([true, false, false])
  })

  test('ends what the read models may have set aside', async () => {
    const { a, customer, user, mine, others, isIn } = await opened()
    await others()
    const before = await eventsOf(a, user)
    // as an instance of a later version writes it
    const { accountId: account } = customer
    const metadata = { account, actor: 'x', request: 'x', command: 'x', time: 0, version: 99 }
    const stream = `session-${idPrefixes.session}_01h455vb4pex5vsknk084sn02q`
    const refreshed = { type: 'SessionRefreshed', data: '{}', metadata: JSON.stringify(metadata) }
    await a.context.events.append({
      stream,
      events: [{ id: randomUUID(), ...refreshed }],
      expected: 'no_stream',
    })

    expect(await others()).toBe(204)
    expect([before, await eventsOf(a, user)]).toEqual([0, 1])
    expect(await isIn(mine)).toBe(true)
  })

  test('ends what the read models do not show yet', async () => {
    const { a, customer, user, mine, others, isIn } = await opened()
    await others()
    a.projecting.freeze()
    const second = await start(user, {}, customer)

    expect(await others()).toBe(204)
    expect([await isIn(mine), await isIn(second)]).toEqual([true, false])
    a.projecting.thaw()
  })

  test('is done so often from a session and by a user, and then again after a while', async () => {
    let now = 0
    const limited = await openVigil({ nowMs: () => now })
    const customer = await openCustomer(limited)
    await newApp(customer, { app_id: app })
    const [user, quiet] = [await newUser(customer), await newUser(customer)]
    const [one, two, three] = [
      await start(user, {}, customer),
      await start(user, {}, customer),
      await start(user, {}, customer),
    ]
    const over = await start(user, {}, customer)
    const end = (from: Session, target = `session&session_id=${over.id}`) =>
      ask('POST', `${revoke}?target=${target}`, { ...from, door: limited.door })
    const times = async (from: Session, count: number) => {
      const codes = new Set<number>()
      for (let time = 0; time < count; time += 1) codes.add((await end(from)).status)
      return [...codes]
    }
    const { session, user: ofUser } = revocationRates

    expect(await times(one, session.burst)).toEqual([204])
    const refused = await end(one, 'all')
    expect(refused).toMatchObject({
      status: 429,
      body: { code: 'rate_limited', type: 'too_many_requests', message: expect.any(String) },
    })
    expect(refused.headers['retry-after']).toBe('10')
    expect(await times(two, ofUser.burst - session.burst)).toEqual([204])
    expect((await end(three)).headers['retry-after']).toBe('5')
    expect((await ask('GET', list, { ...one, door: limited.door })).status).toBe(200)
    expect((await end(await start(quiet, {}, customer), 'all')).status).toBe(204)
    now += 10_000
    expect([(await end(one)).status, (await end(one)).status]).toEqual([204, 429])
    await limited.close()
  })
})

describe('of two instances', () => {
  test('each refuses within a second what the other has ended', async () => {
    // whoever stands still for a second asks the log, as what it has heard is too old
    const nowMs = Date.now()
    const { a, b, customer, user } = await openTwo({ nowMs: () => nowMs })
    const [one, two, three] = [
      await start(user, {}, customer),
      await start(user, {}, customer),
      await start(user, {}, customer),
    ]
    const status = async ({ token }: Session, { door } = b) =>
      (await ask('GET', list, { token, door })).status
    expect([await status(one), await status(two), await status(three)]).toEqual([200, 200, 200])

    await ask('POST', `${revoke}?target=session&session_id=${two.id}`, { ...one, door: a.door })
    await eventually(async () => (await status(two)) === 401)
    const reads = b.reads()
    const still = await status(one)
    await ask('POST', `${revoke}?target=others`, { ...one, door: a.door })
    await eventually(async () => (await status(three)) === 401)

    expect(still).toBe(200)
    expect(await status(one)).toBe(200)
    // it was heard, not asked for
    expect(b.reads()).toBe(reads)
    expect((await listed(one.token, '', b.door)).total).toBe(1)
  })

  test.each(['all', 'others'])(
    'ends %s from no session that the other has ended',
    async (target) => {
      const { a, b, customer, user } = await openTwo()
      const [mine, second] = [await start(user, {}, customer), await start(user, {}, customer)]
      const ended: number[] = []
      beforeTurn(a, `user-${user.split('/').at(-1)}`, async () => {
        const asked = { token: customer.token }
        ended.push((await b.door.request('DELETE', `${user}/sessions/${mine.id}`, asked)).status)
      })

      const refused = await ask('POST', `${revoke}?target=${target}`, { ...mine, door: a.door })

      expect(ended).toEqual([204])
      expect(refused).toMatchObject({ status: 401, body: { code: 'unauthorized' } })
      expect((await ask('GET', list, { ...second, door: a.door })).status).toBe(200)
    },
  )

  test('one that hears nothing asks the log, once its hearing is too old', async () => {
    const openedMs = Date.now()
    const { a, b, ageB, customer, user } = await openTwo({ deaf: true })
    const { token, id } = await start(user, {}, customer)
    // its clock stands still, and the token is of now
    ageB(Date.now() - openedMs)
    expect((await ask('GET', list, { token, door: b.door })).status).toBe(200)
    await ask('POST', `${revoke}?target=session&session_id=${id}`, { token, door: a.door })
    ageB(1_001)

    expect((await ask('GET', list, { token, door: b.door })).status).toBe(401)
  })
})
