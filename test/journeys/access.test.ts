/** What the operator has not enabled on an account is refused to it, by every operation. */

import { beforeAll, describe, expect, test } from 'vitest'
import { recordedExamples } from '../../src/http/openapi/openapiExamples.ts'
import { pathOf, routes } from '../http/support/everyRoute.ts'
import { openShopOfFile } from '../support/openOfFile.ts'
import { operatorToken } from '../support/openVigil.ts'

const { vigil, shop } = await openShopOfFile()

const lines = 'application/x-ndjson'
const allow = (access: object) =>
  vigil.door.request('PUT', `/v2/operator/accounts/${shop.accountId}/access`, {
    token: operatorToken,
    body: access,
  })

describe.each([
  ['authoring', '/v2/watch/management/', 'rules'],
  ['management', '/v2/verification/management/', 'templates'],
] as const)('without %s', (access, root, open) => {
  beforeAll(() => allow({ [access]: false }))

  // analysts compare recipes, read label classes, and save and review searches, also without authors
  const operations = routes.filter(
    ({ method, path }) =>
      path.startsWith(root) &&
      !path.endsWith('/comparison') &&
      !path.startsWith('/v2/watch/management/searches') &&
      !(method === 'GET' && path.endsWith('/labels')),
  )

  test.each(operations.map((route) => [route.method, route.path, route] as const))(
    '%s %s is refused with a code that says so',
    async (method, _, route) => {
      const { request, parameters = {} } = recordedExamples[route.operationId] ?? {}
      const query = Object.entries(parameters).filter(([name]) => !(name in route.ids))

      const refused = await vigil.door.request(
        method,
        `${pathOf(route)}?${new URLSearchParams(query)}`,
        {
          token: shop.token,
          ...(request !== undefined && { body: request }),
          ...(typeof request === 'string' && { headers: { 'content-type': lines } }),
        },
      )

      expect([refused.status, refused.body['code']]).toEqual([403, 'access_not_enabled'])
    },
  )

  test('until it is given', async () => {
    await allow({ [access]: true })

    expect((await shop.send('GET', `${root}${open}`)).status).toBe(200)
  })
})
