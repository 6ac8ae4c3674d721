import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { everyScope, fakeService, ids, operatorToken } from './support/fakeService.ts'
import { type Door, openDoor } from './support/openDoor.ts'

const account = `/v2/operator/accounts/${ids.account}`
const dispatchId = 'd'.repeat(36)
const { accounts, recordDispatch, projections } = fakeService()

let asked: unknown[][] = []
let door: Door

beforeAll(async () => {
  door = await openDoor(
    fakeService({
      accounts: watched(accounts),
      projections: watched(projections),
      ...watched({ recordDispatch }),
    }),
  )
})

/** The same functions, each writing down how it was asked. */
function watched<Functions extends object>(functions: Functions): Functions {
  return new Proxy(functions, {
    get: (target, name, receiver) => {
      const ask = Reflect.get(target, name, receiver) as (...given: unknown[]) => unknown
      return (...given: unknown[]) => {
        asked.push([name, ...given])
        return ask(...given)
      }
    },
  })
}

beforeEach(() => {
  asked = []
})

afterAll(() => door.close())

const routes = [
  {
    method: 'POST',
    path: '/v2/operator/accounts',
    body: { name: 'Shop' },
    status: 201,
    answer: { account_id: ids.account },
    call: ['open', { name: 'Shop' }],
  },
  {
    method: 'PUT',
    path: `${account}/access`,
    body: { authoring: true },
    status: 200,
    answer: { authoring: true, management: false, trusted_user: false, custom_suffix: false },
    call: ['setAccess', ids.account, { authoring: true }],
  },
  {
    method: 'POST',
    path: `${account}/tokens`,
    body: { scopes: ['eval', 'author'] },
    status: 201,
    answer: { token_id: ids.token, token: 'vgl_once' },
    call: ['issueToken', ids.account, { scopes: ['eval', 'author'] }],
  },
  {
    method: 'DELETE',
    path: `${account}/tokens/${ids.token}`,
    body: undefined,
    status: 204,
    answer: undefined,
    call: ['revokeToken', ids.account, ids.token],
  },
  {
    method: 'POST',
    path: `${account}/dispatches`,
    body: { dispatch_id: dispatchId, signals: { ip: '2001:DB8::1', device_id: '' } },
    status: 201,
    answer: { dispatch_id: dispatchId },
    call: [
      'recordDispatch',
      ids.account,
      { dispatch_id: dispatchId, signals: { ip: '2001:db8::1' } },
    ],
  },
] as const

describe.each(routes)('$method $path', ({ method, path, body, status, answer, call }) => {
  test('does what the operator says', async () => {
    const headers = { 'idempotency-key': 'again' }

    const received = await door.request(method, path, { token: operatorToken, body, headers })

    expect(received.status).toBe(status)
    expect(received.body).toEqual(answer)
    expect(received.headers['x-vigil-position']).toMatch(/^\d$/)
    const [name, ...given] = call
    const requestId = received.headers['x-request-id']
    const ours = {
      principal: { kind: 'operator' },
      requestId,
      idempotencyKey: 'again',
      letGo: expect.any(Function),
    }
    expect(asked).toEqual([[name, ours, ...given]])
  })

  test('is for the operator token alone', async () => {
    const account = await door.request(method, path, { token: everyScope, body })
    const wrong = await door.request(method, path, { token: 'wrong', body })
    const none = await door.request(method, path, { body })

    expect(account.status).toBe(403)
    expect(account.body).toMatchObject({ code: 'insufficient_scope' })
    expect([wrong, none].map((received) => received.status)).toEqual([401, 401])
    expect(wrong.headers['www-authenticate']).toBe('Bearer')
    expect(asked).toEqual([])
  })
})

test.each([
  ['an account without a name', '/v2/operator/accounts', {}, 'name'],
  ['an account with an empty name', '/v2/operator/accounts', { name: '' }, 'name'],
  ['an access that says nothing', `${account}/access`, {}, ''],
  ['an unknown scope', `${account}/tokens`, { scopes: ['root'] }, 'scopes.0'],
  ['a scope named twice', `${account}/tokens`, { scopes: ['eval', 'eval'] }, 'scopes'],
  ['a token without scopes', `${account}/tokens`, { scopes: [] }, 'scopes'],
  [
    'a dispatch from a private address',
    `${account}/dispatches`,
    { dispatch_id: dispatchId, signals: { ip: '10.0.0.1' } },
    'signals.ip',
  ],
  [
    'a dispatch with a signal that no front end has',
    `${account}/dispatches`,
    { dispatch_id: dispatchId, signals: { existing_user: true } },
    'signals.existing_user',
  ],
])('%s is refused', async (...row) => {
  const [, path, body, field] = row
  const method = path.endsWith('access') ? 'PUT' : 'POST'

  const received = await door.request(method, path, { token: operatorToken, body })

  expect(received.status).toBe(400)
  expect(received.body).toMatchObject({ details: [{ path: field }] })
  expect(asked).toEqual([])
})

test('what is not an account id is not found', async () => {
  const path = '/v2/operator/accounts/acc_1/tokens'

  const received = await door.request('POST', path, {
    token: operatorToken,
    body: { scopes: ['eval'] },
  })

  expect(received.status).toBe(404)
})
