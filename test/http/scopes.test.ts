import { describe, expect, test, vi } from 'vitest'
import { type Scope, scopes } from '../../src/domain/principal.ts'
import { eachSecond } from '../support/eachSecond.ts'
import { openDoorOfFile } from '../support/openOfFile.ts'
import { pathOf, routes } from './support/everyRoute.ts'
import { memoryService, operatorToken, sdkKey, tokenWith } from './support/memoryService.ts'
import { openDoor } from './support/openDoor.ts'

const door = await openDoorOfFile(memoryService(), { nowMs: eachSecond() })

type Holder = Scope | 'operator'

const backtests = '/v2/watch/management/backtests'
const reviews = '/v2/watch/management/searches/{search_id}/review'

/** Who may do what is not reading, and who may read beside the auditors; the first that fits. */
const holders: readonly (readonly [RegExp, Holder])[] = [
  [/^\/v2\/operator\//, 'operator'],
  [/^\/metrics$/, 'operate'],
  [/^\/v2\/watch\/(?:eval|predict)$/, 'eval'],
  [/^POST \/v2\/watch\/(?:feedback|event)$/, 'feedback'],
  [/^\/v2\/watch\/(?:feedback|event)(?:\/export)?$/, 'analyse'],
  [/\/(?:replay|difference)$/, 'audit'],
  [/^\/v2\/watch\/audit\/replays/, 'audit'],
  [/\/evaluations\/import$/, 'author'],
  [/^\/v2\/watch\/evaluations/, 'analyse'],
  [/^\/v2\/watch\/statistics$/, 'analyse'],
  [/\/versions\/\{version_id\}\/verdicts$/, 'analyse'],
  [/\/comparison$/, 'analyse'],
  [/^\/v2\/watch\/rules\/report$/, 'analyse'],
  [/^GET \/v2\/watch\/management\/labels$/, 'analyse'],
  [/^\/v2\/watch\/management\/searches/, 'analyse'],
  [/^\/v2\/watch\/management\//, 'author'],
  [/^\/v2\/verification\/management\//, 'manage'],
  [/^\/v2\/session\/apps/, 'manage'],
  [/^\/v2\/watch\/retention$/, 'manage'],
]

const closed = routes.filter(({ admits }) => typeof admits === 'object')
const ofFrontEnds = routes.filter(({ admits }) => admits === 'front_end')
const open = routes.filter(({ admits }) => admits === 'anyone')

/** The scopes with which the route is expected to be open. */
function expected({ method, path }: (typeof routes)[number]): readonly Scope[] {
  if (path.startsWith(backtests) || path.startsWith(`${reviews}/`)) return []
  const holder = holders.find(
    ([pattern]) => pattern.test(path) || pattern.test(`${method} ${path}`),
  )?.[1]
  const own = scopes.filter((scope) => scope === holder)
  // a list of sealed values is of no use, nor is a file of them, and a scan tells what persons have sent
  const audited =
    method === 'GET' &&
    /^\/v2\/(?:watch|verification|session)\//.test(path) &&
    !/\/(?:\{action\}|entries)(?:\/export)?$/.test(path) &&
    !/\/(?:evaluations\/(?:export|top|missing)|(?:feedback|event)\/export|verdicts|review)$/.test(
      path,
    )
  return audited ? [...new Set([...own, 'audit' as const])] : own
}

/**
 * A token with each of the others alone is refused, which is what the table above says of a route that needs several.
 */
const ofSeveral = closed.filter(({ admits }) => typeof admits === 'object' && 'every' in admits)

test('what needs several scopes is open with all of them, and says so', async () => {
  const needed: Readonly<Record<string, readonly Scope[]>> = {
    [backtests]: ['author', 'analyse'],
    [`${backtests}/preview`]: ['author', 'analyse'],
    [`${backtests}/{backtest_id}`]: ['author', 'analyse'],
    [`${backtests}/{backtest_id}/cancel`]: ['author', 'analyse'],
    [`${backtests}/{backtest_id}/resume`]: ['author', 'analyse'],
    [`${reviews}/answer`]: ['analyse', 'feedback'],
    [`${reviews}/take`]: ['analyse', 'feedback'],
    '/v2/watch/subjects/erase': ['manage', 'audit'],
  }
  expect([...new Set(ofSeveral.map(({ path }) => path))].sort()).toEqual(Object.keys(needed))
  for (const route of ofSeveral) {
    const all = needed[route.path] ?? []
    expect((await asked(route, tokenWith(...all))).status).not.toBe(403)
    const operation = door.description.paths[route.path]?.[route.method.toLowerCase()]
    expect(operation?.security).toEqual([{ apiToken: all }])
  }
})

const asked = async (route: (typeof routes)[number], token: string) => {
  const { status, body } = await door.request(route.method, pathOf(route), {
    token,
    ...(route.body.schema && { body: {} }),
  })
  return { status, body }
}

test('only the health of the service and its description are open to anyone', () => {
  expect(open.map(({ path }) => path).sort()).toEqual([
    '/health/live',
    '/health/ready',
    '/openapi.json',
  ])
})

test('front ends send signals, and come in nowhere else', async () => {
  expect(ofFrontEnds.map(({ path }) => path)).toEqual(['/v1/signals'])
  for (const route of closed) {
    const { status } = await door.request(route.method, pathOf(route), {
      headers: { 'x-sdk-key': sdkKey },
    })
    expect(status).toBe(401)
    const asToken = await door.request(route.method, pathOf(route), { token: sdkKey })
    expect(asToken.status).toBe(401)
  }
})

test('no token opens what is for front ends', async () => {
  for (const route of ofFrontEnds) {
    for (const token of [operatorToken, tokenWith(...scopes)]) {
      const { status, headers, body } = await door.request(route.method, pathOf(route), {
        token,
        body: {},
      })
      expect(status).toBe(401)
      expect(headers['www-authenticate']).toBe('SDK-Key')
      expect(body).toMatchObject({ code: 'missing_sdk_key', type: 'unauthorized' })
    }
  }
})

describe.each(closed.map((route) => [route.method, route.path, route] as const))(
  '%s %s',
  (_method, _path, route) => {
    test.each(scopes)('is open with the scope %s, or refuses it, as it should', async (scope) => {
      const { status, body } = await asked(route, tokenWith(scope))

      if (expected(route).includes(scope)) {
        // what there is none of is not found, and what is in use stays, by whom it may be asked for
        // a state waits for what the other questions have written, and on a busy machine in vain
        expect([200, 201, 202, 204, 400, 404, 409, 503]).toContain(status)
      } else {
        expect(status).toBe(403)
        const kind = route.errors === 'migration' ? 'status' : 'type'
        expect(body).toMatchObject({ code: 'insufficient_scope', [kind]: 'forbidden' })
      }
    })

    test('is closed to a token without scopes', async () => {
      expect((await asked(route, tokenWith())).status).toBe(403)
    })

    test('is open to the operator, or refuses that, as it should', async () => {
      const { status } = await asked(route, operatorToken)

      const operated = /^\/(?:v2\/operator\/|metrics$)/.test(route.path)
      expect(status === 403).toBe(!operated)
    })

    test('says in its description who may come in', () => {
      const operation = door.description.paths[route.path]?.[route.method.toLowerCase()]

      const described = JSON.stringify(operation?.security)
      for (const scope of scopes) {
        expect(described.includes(`{"apiToken":["${scope}"]}`)).toBe(
          expected(route).includes(scope),
        )
      }
    })
  },
)

test('a token of an auditor changes nothing, whatever it asks: on record are only its replays', async () => {
  const service = memoryService()
  const changes = vi.spyOn(service.context.events, 'append')
  const watchedDoor = await openDoor(service)

  for (const route of closed) {
    await watchedDoor.request(route.method, pathOf(route), {
      token: tokenWith('audit'),
      ...(route.body.schema && { body: {} }),
    })
  }
  await watchedDoor.close()

  const written = changes.mock.calls.map(([{ stream }]) => stream.split('-')[0])
  expect(new Set(written)).toEqual(new Set(['token_use', 'replays']))
})
