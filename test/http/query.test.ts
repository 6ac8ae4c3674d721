import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { draws } from '../support/draws.ts'
import { expectErrorForm } from '../support/expectErrorForm.ts'
import { pathOf, routes, wayInto } from './support/everyRoute.ts'
import { everyScope, fakeService, ids } from './support/fakeService.ts'
import { type Door, openDoor } from './support/openDoor.ts'

interface Refusal {
  readonly code: string
  readonly message: string
  readonly details: readonly { readonly path: string; readonly message: string }[]
}

const asked: unknown[] = []
const service = fakeService({
  listEvaluations: async (_call, query) => {
    asked.push(query)
    return { value: { items: [], nextAfter: '7' }, position: 7 }
  },
})

let door: Door

beforeAll(async () => {
  door = await openDoor(service)
})

afterAll(() => door.close())

const list = (query: string) =>
  door.request<Refusal>('GET', `/v2/watch/evaluations?${query}`, { token: everyScope })

describe.each(routes.map((route) => [route.method, route.path, route] as const))(
  '%s %s',
  (method, _path, route) => {
    test('refuses a parameter that it does not know, and names it', async () => {
      const way = wayInto(route)

      const { status, body } = await door.request<Refusal>(method, `${pathOf(route)}?fulscan=1`, {
        ...way,
        ...(route.bodySchema && { body: {} }),
      })

      expect(status).toBe(400)
      expect(body.code).toBe('invalid_request')
      if (route.errors === 'main') expect(body).toMatchObject({ param: 'request' })
      // a family without details says them in its message
      const inMessage = { path: body.message.split(':')[0], message: body.message }
      const { path, message } = route.errors !== 'main' ? inMessage : (body.details[0] ?? inMessage)
      expect(path).toBe('fulscan')
      for (const { name } of route.query) expect(message).toContain(name)
    })
  },
)

test('evaluations are asked for behind a position or before one, not both', async () => {
  asked.length = 0

  const both = await list('after=3&before=7')
  const before = await list('before=7')

  expect(both.status).toBe(400)
  expect(both.body.details).toEqual([
    { path: 'before', message: 'Must not stand together with after.' },
  ])
  expect(before.status).toBe(200)
  expect(asked).toEqual([{ before: 7, limit: 50 }])
})

test('a parameter that filters nothing is refused before anything is looked for', async () => {
  asked.length = 0

  const { status, body } = await list('phone=%2B33612345678')

  expect(status).toBe(400)
  expect(body.details[0]?.path).toBe('phone')
  expect(asked).toEqual([])
})

test.each([
  ['flow=x', 'There is no parameter flow; did you mean flow_id? Known: flow_id, verdict, '],
  ['lmit=1', 'There is no parameter lmit; did you mean limit? '],
  ['Limit=1', 'There is no parameter Limit; did you mean limit? '],
  ['weight=1', 'There is no parameter weight. Known: flow_id, '],
  ['__proto__=1', 'There is no parameter __proto__. Known: '],
  ['constructor=1', 'There is no parameter constructor. Known: '],
  ['limit[]=1', 'There is no parameter limit[]; did you mean limit? '],
  ['=1', 'There is no parameter . Known: '],
])('?%s is told what there is', async (query, message) => {
  const { status, body } = await list(query)

  expect(status).toBe(400)
  expect(body.details[0]?.message.startsWith(message)).toBe(true)
})

test.each([
  ['the same twice', 'limit=1&limit=1', ['limit']],
  ['another value', 'limit=1&limit=2', ['limit']],
  ['an encoded name', 'limit=1&%6Cimit=2', ['limit']],
  ['nothing', 'limit=1&limit', ['limit']],
  ['every problem', 'limit=0&limit=1&verdict=X&flw_id=1', ['limit', 'flw_id', 'verdict']],
])('a parameter given twice is refused, with %s', async (_what, query, paths) => {
  const { status, body } = await list(query)

  expect(status).toBe(400)
  expect(body.details.map(({ path }) => path)).toEqual(paths)
})

test('an encoded name is the name', async () => {
  asked.length = 0

  const { status } = await list('%6C%69mit=7&verd%69ct=FL%41G&&')

  expect(status).toBe(200)
  expect(asked).toEqual([{ limit: 7, verdict: 'FLAG' }])
})

test.each([
  ['flow_id=%zz', 'flow_id'],
  ['flow_id=%', 'flow_id'],
  ['flow_id=%ff%fe', 'flow_id'],
  ['flow_id=%ed%a0%80', 'flow_id'],
])('?%s is not the encoding of a text', async (query, path) => {
  const { status, body } = await list(query)

  expect(status).toBe(400)
  expect(body.details).toEqual([{ path, message: 'Must be percent-encoded UTF-8.' }])
})

test('so many parameters that nobody can mean them are one problem', async () => {
  const { status, body } = await list(
    Array.from({ length: 1_500 }, (_, index) => `p${index}=`).join('&'),
  )

  expect(status).toBe(400)
  expect(body.details).toEqual([{ path: '', message: 'Must have at most 50 parameters.' }])
})

test('a name as long as the headers allow does not come back whole', async () => {
  const { status, text } = await list(`${'x'.repeat(12_000)}=1`)

  expect(status).toBe(400)
  expect(text.length).toBeLessThan(1_000)
})

test('a page is asked for by its parameters, whatever stands around them', async () => {
  const { status, body } = await door.request<Refusal>(
    'GET',
    `/v2/watch/management/recipes/${ids.recipe}/comparison?with=${ids.recipe}&from=2026-01-01&zone=UTC`,
    { token: everyScope },
  )

  expect(status).toBe(400)
  expect(body.details.map(({ path }) => path)).toEqual(['zone', 'from'])
})

test('whoever has no token learns nothing of the parameters', async () => {
  const { status, text } = await door.request('GET', '/v2/watch/evaluations?phone=1')

  expect(status).toBe(401)
  expect(text).not.toContain('phone')
})

test('no query brings any route to a 500, or to an answer that is not described', () =>
  fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...routes.filter(({ method }) => method === 'GET')),
      fc.array(
        fc.tuple(
          fc.constantFrom(
            'limit',
            'cursor',
            'min_position',
            'with',
            'from',
            'after',
            '__proto__',
            '',
          ),
          fc.oneof(fc.string(), fc.constantFrom('0', '1', '%', '%00', '+', '=', '[]')),
        ),
        { maxLength: 4 },
      ),
      async (route, pairs) => {
        const query = pairs.map(([name, text]) => `${name}=${text.replaceAll(/[^!-~]|#/g, '%')}`)

        const received = await door.request(route.method, `${pathOf(route)}?${query.join('&')}`, {
          ...wayInto(route),
        })

        expect([200, 400]).toContain(received.status)
        if (received.status === 400) expectErrorForm(route, received)
      },
    ),
    { numRuns: draws(300) },
  ))
