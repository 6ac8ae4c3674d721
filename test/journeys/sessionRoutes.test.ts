/** Every route of the hosts of applications, on a whole service: its methods, its parameters, and who may come in. */

import { beforeAll, describe, expect, test } from 'vitest'
import { scopes } from '../../src/domain/principal.ts'
import type { Route } from '../../src/http/request/route.ts'
import { listed } from '../http/support/everyRoute.ts'
import { eachSecond } from '../support/eachSecond.ts'
import { openShopOfFile } from '../support/openOfFile.ts'
import { openCustomer, operatorToken } from '../support/openVigil.ts'
import { newApp, newSession, newUser } from '../support/startSession.ts'

const routes = listed.filter(({ host }) => host === 'session')
const paths = [...new Set(routes.map(({ path }) => path))]
const headers = { host: 'corner1.session.localhost' }

let access = ''
let refreshToken = ''

const { vigil, shop } = await openShopOfFile({ nowMs: eachSecond() })

beforeAll(async () => {
  const user = await newUser(shop, await newApp(shop, { app_id: 'corner1' }))
  const started = await newSession(shop, user, { scopes: ['prld:pwd:write'] })
  access = started.token
  refreshToken = started.refreshToken
})

const isOfUsers = ({ admits }: Route): boolean => typeof admits === 'object' && 'user' in admits

/** What opens the route. */
function wayInto(route: Route) {
  if (isOfUsers(route)) return { token: access, headers }
  if (route.admits !== 'refresh_token') return { headers }
  return { headers: { ...headers, 'x-refresh-token': refreshToken } }
}

describe.each(paths)('%s', (path) => {
  const names = routes.filter((route) => route.path === path).map(({ method }) => method)
  const allowed = [...names, ...(names.includes('GET' as never) ? ['HEAD'] : []), 'OPTIONS'].sort()
  const allowIn = ({ allow = '' }: { readonly allow?: string | undefined }) =>
    allow.split(', ').sort()

  test('tells the methods that it has, and refuses every other one', async () => {
    const told = await vigil.door.request('OPTIONS', path, { headers })

    expect([told.status, allowIn(told.headers)]).toEqual([204, allowed])
    for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'TRACE']) {
      if (allowed.includes(method)) continue
      const refused = await vigil.door.request(method, path, { headers })
      expect([refused.status, allowIn(refused.headers)]).toEqual([405, allowed])
      if (method !== 'HEAD') expect(refused.body).toMatchObject({ code: 'method_not_allowed' })
    }
  })
})

describe.each(routes.map((route) => [route.method, route.path, route] as const))(
  '%s %s',
  (method, path, route) => {
    test('refuses a parameter that it does not know, and names it', async () => {
      const { status, body } = await vigil.door.request(method, `${path}?fulscan=1`, {
        ...wayInto(route),
        ...(route.body.schema && { body: {} }),
      })

      expect(status).toBe(400)
      expect(body).toMatchObject({ code: 'bad_request', type: 'bad_request' })
      expect(body['message']).toContain('fulscan')
    })

    test.runIf(route.body.schema)(
      'refuses a field that it does not know, and names it',
      async () => {
        const { status, body } = await vigil.door.request(method, path, {
          ...wayInto(route),
          body: { step_up_token: 'x' },
        })

        expect([status, body['code']]).toEqual([400, 'bad_request'])
        expect(body['message']).toContain('step_up_token')
      },
    )

    test.runIf(isOfUsers(route))('is closed to every token but that of a session', async () => {
      const issued = scopes.map(async (scope) => (await openCustomer(vigil, [scope])).token)
      const tokens = [...(await Promise.all(issued)), operatorToken, shop.token, refreshToken]

      for (const token of tokens) {
        const { status, body } = await vigil.door.request(method, path, {
          token,
          headers,
          ...(route.body.schema && { body: {} }),
        })
        expect(status).toBe(401)
        expect(body).toMatchObject({ code: 'unauthorized', type: 'unauthorized' })
      }
    })
  },
)

test('the token of a session opens nothing of the main host', async () => {
  const closed = listed.filter(({ host, admits }) => host === 'main' && typeof admits === 'object')
  for (const { method, path, body } of closed) {
    const { status } = await vigil.door.request(method, path.replaceAll(/\{\w+\}/g, 'x'), {
      token: access,
      ...(body.schema && { body: {} }),
    })
    expect([401, 404], `${method} ${path}`).toContain(status)
  }
  expect(closed.length).toBeGreaterThan(50)
})
