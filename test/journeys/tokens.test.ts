import { randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, test } from 'vitest'
import { eventually } from '../support/eventually.ts'
import { openVigilOfFile } from '../support/openOfFile.ts'
import { type Customer, openCustomer, operatorToken, sendAs } from '../support/openVigil.ts'

const hour = 60 * 60 * 1_000
const noon = Date.UTC(2026, 10, 21, 12)
const iso = (timeMs: number) => new Date(timeMs).toISOString()

const vigil = await openVigilOfFile()
let shop: Customer

beforeEach(async () => {
  vigil.setTime(noon)
  shop = await openCustomer(vigil)
})

type Body = Record<string, unknown>

const issue = (body: object, headers: Record<string, string> = {}) =>
  sendAs(vigil, operatorToken)(
    'POST',
    `/v2/operator/accounts/${shop.accountId}/tokens`,
    { scopes: ['eval', 'analyse'], ...body },
    headers,
  )

const listed = async (tokenId: unknown): Promise<Body> => {
  const { body } = await sendAs(vigil, operatorToken)(
    'GET',
    `/v2/operator/accounts/${shop.accountId}`,
  )
  const tokens = body['tokens'] as readonly Body[]
  return tokens.find(({ token_id }) => token_id === tokenId) ?? {}
}

const ask = (token: unknown) =>
  vigil.door.request('GET', '/v2/watch/evaluations', { token: String(token) })

describe('a token with a name and an end', () => {
  test('is issued, shown and listed with both', async () => {
    const expires_at = '2026-11-21T14:00+01:00'
    const { status, body } = await issue({ name: 'Shop backend', expires_at })

    expect(status).toBe(201)
    expect(body).toMatchObject({ name: 'Shop backend', expires_at: iso(noon + hour) })
    expect(await listed(body['token_id'])).toEqual({
      token_id: body['token_id'],
      name: 'Shop backend',
      scopes: ['eval', 'analyse'],
      issued_at: iso(noon),
      expires_at: iso(noon + hour),
    })
  })

  test('is refused from its end on in the very bytes of one that there never was', async () => {
    const { body } = await issue({ expires_at: iso(noon + hour) })
    const token = String(body['token'])
    const unknown = `${token.slice(0, -4)}0000`

    vigil.setTime(noon + hour - 1)
    const before = await ask(token)
    vigil.setTime(noon + hour)
    const after = await ask(token)
    const never = await ask(unknown)

    expect(before.status).toBe(200)
    expect(after.status).toBe(401)
    const bare = ({ text, body: { request_id } }: typeof after) =>
      text.replace(String(request_id), '')
    expect(bare(after)).toBe(bare(never))
    const kinds = (headers: typeof after.headers) => Object.keys(headers).sort()
    expect(kinds(after.headers)).toEqual(kinds(never.headers))
  })

  test('is issued once for one idempotency key', async () => {
    const headers = { 'idempotency-key': randomUUID() }

    const one = await issue({ name: 'CI' }, headers)
    const again = await issue({ name: 'CI' }, headers)
    const other = await issue({ name: 'Another' }, headers)

    expect([one.status, again.status, other.status]).toEqual([201, 409, 422])
  })
})

test.each([
  [{ expires_at: iso(noon) }, 'expires_at'],
  [{ expires_at: '2026-12-01' }, 'expires_at'],
  [{ expires_at: '2026-11-31T00:00:00Z' }, 'expires_at'],
  [{ expires_at: 1_800_000_000_000 }, 'expires_at'],
  [{ expires_at: 'x'.repeat(10_000) }, 'expires_at'],
  [{ name: '' }, 'name'],
  [{ name: 'n'.repeat(129) }, 'name'],
  [{ name: 7 }, 'name'],
  [{ expires: '2026-12-01T00:00:00Z' }, 'expires'],
])('a token asked for with %j is refused by the name of the field', async (body, path) => {
  const answer = await issue(body)

  expect(answer.status).toBe(400)
  expect(answer.body).toMatchObject({ code: 'invalid_request', details: [{ path }] })
})

test('a token without a name and an end is as it always was', async () => {
  const { body } = await issue({})

  expect(Object.keys(body).sort()).toEqual(['token', 'token_id'])
  vigil.setTime(noon + 100 * 365 * 24 * hour)
  expect((await ask(body['token'])).status).toBe(200)
})

describe('the last use of a token', () => {
  const used = async (tokenId: unknown) => (await listed(tokenId))['last_used_at']

  /** It is recorded after the request that made it was answered. */
  const isSeen = (tokenId: unknown, time: string) =>
    eventually(async () => (await used(tokenId)) === time)

  test('is unknown before the first, and no more than an hour old after that', async () => {
    const { body } = await issue({ name: 'CI' })
    expect(await used(body['token_id'])).toBeUndefined()

    vigil.setTime(noon + 10)
    await ask(body['token'])
    await isSeen(body['token_id'], iso(noon + 10))

    vigil.setTime(noon + hour + 20)
    await ask(body['token'])
    await isSeen(body['token_id'], iso(noon + hour + 20))
  })

  test('is told of a request that the token did not permit, and not of one with a wrong secret', async () => {
    const { body } = await issue({ name: 'CI' })
    const wrong = `${String(body['token']).slice(0, -4)}0000`

    await ask(wrong)
    vigil.setTime(noon + 10)
    const refused = await sendAs(vigil, String(body['token']))('GET', '/v2/watch/management/rules')

    expect(refused.status).toBe(403)
    await isSeen(body['token_id'], iso(noon + 10))
  })
})
