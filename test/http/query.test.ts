import { describe, expect, test, vi } from 'vitest'
import { listEvaluations } from '../../src/queries/analysis/evaluationSearch.ts'
import { openDoorOfFile } from '../support/openOfFile.ts'
import { pathOf, routes, wayInto } from './support/everyRoute.ts'
import { everyScope, ids, memoryService } from './support/memoryService.ts'

interface Refusal {
  readonly code: string
  readonly message: string
  readonly details: readonly { readonly path: string; readonly message: string }[]
}

const asked: unknown[] = []
vi.mock('../../src/queries/analysis/evaluationSearch.ts', async (original) => ({
  ...(await original<object>()),
  listEvaluations: vi.fn(),
}))
vi.mocked(listEvaluations).mockImplementation(async (_context, _call, query) => {
  asked.push(query)
  return { evaluations: [], next_after: '7' }
})
const service = memoryService()

const door = await openDoorOfFile(service)

const list = (query: string) =>
  door.request<Refusal>('GET', `/v2/watch/evaluations?${query}`, { token: everyScope })

describe.each(routes.map((route) => [route.method, route.path, route] as const))(
  '%s %s',
  (method, _path, route) => {
    test('refuses a parameter that it does not know, and names it', async () => {
      const way = wayInto(route)

      const { status, body } = await door.request<Refusal>(method, `${pathOf(route)}?fulscan=1`, {
        ...way,
        ...(route.body.schema && { body: {} }),
      })

      expect(status).toBe(400)
      expect(body.code).toBe('invalid_request')
      if (route.errors === 'main') expect(body).toMatchObject({ param: 'request' })
      // a family without details says them in its message
      const inMessage = { path: body.message.split(':')[0], message: body.message }
      const { path, message } = route.errors !== 'main' ? inMessage : (body.details[0] ?? inMessage)
      expect(path).toBe('fulscan')
      for (const { name } of route.query.parameters) expect(message).toContain(name)
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

test('a page is asked for by its parameters, whatever stands around them', async () => {
  const { status, body } = await door.request<Refusal>(
    'GET',
    `/v2/watch/management/recipes/${ids.recipe}/comparison?with=${ids.recipe}&from=2026-01-01&zone=UTC`,
    { token: everyScope },
  )

  expect(status).toBe(400)
  expect(body.details.map(({ path }) => path)).toEqual(['zone', 'from'])
})

test('a record is not explained in a way that does not exist', async () => {
  const path = `/v2/watch/evaluations/${ids.evaluation}?explain=all`

  const { status, body } = await door.request<Refusal>('GET', path, { token: everyScope })

  expect(status).toBe(400)
  expect(body.details).toEqual([
    { path: 'explain', message: 'Must be one of: rules, expressions.' },
  ])
})

test('whoever has no token learns nothing of the parameters', async () => {
  const { status, text } = await door.request('GET', '/v2/watch/evaluations?phone=1')

  expect(status).toBe(401)
  expect(text).not.toContain('phone')
})
