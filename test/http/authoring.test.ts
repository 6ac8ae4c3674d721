import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { Failure } from '../../src/domain/failure.ts'
import type { Service } from '../../src/service.ts'
import { fakeService, ids, tokenWith } from './support/fakeService.ts'
import { type Door, openDoor } from './support/openDoor.ts'

interface ErrorBody {
  readonly code: string
  readonly details: readonly { readonly path: string; readonly message: string }[]
}

const token = tokenWith('author')
const plain = fakeService()

let asked: unknown[][] = []
let fail: Failure | undefined
let door: Door

/** The same resource, which writes down what it is asked, or fails. */
function watched<VersionedResource extends object>(resource: VersionedResource): VersionedResource {
  const entries = Object.entries(resource).map(([name, ask]) => [
    name,
    async (...given: unknown[]) => {
      asked.push([name, ...given.slice(1)])
      if (fail) throw fail
      return ask(...given)
    },
  ])
  return Object.fromEntries(entries)
}

beforeAll(async () => {
  const { rules, recipes, flows } = plain
  door = await openDoor(
    fakeService({ rules: watched(rules), recipes: watched(recipes), flows: watched(flows) }),
  )
})

beforeEach(() => {
  asked = []
  fail = undefined
})

afterAll(() => door.close())

const resources = [
  {
    plural: 'rules',
    id: ids.rule,
    input: { name: 'large cart', expression: 'int(signal.ext.cart) > 100' },
  },
  {
    plural: 'recipes',
    id: ids.recipe,
    input: {
      name: 'signup',
      status: 'SHADOW',
      threshold: 50,
      rules: [{ rule_id: ids.rule, weight: -3, preempts: 'FLAG', version_id: ids.version }],
    },
  },
  { plural: 'flows', id: ids.flow, input: { name: 'signup', recipes: [ids.recipe] } },
] as const

describe.each(resources)('$plural', ({ plural, id, input }) => {
  const collection = `/v2/watch/management/${plural}`

  test('are listed by page', async () => {
    const query = '?limit=2&cursor=abc&min_position=6'

    const received = await door.request(`GET`, `${collection}${query}`, { token })

    expect(received.status).toBe(200)
    expect(received.body).toEqual({
      [plural]: [expect.objectContaining({ id })],
      next_cursor: 'next',
    })
    expect(received.headers['x-vigil-position']).toBe('7')
    expect(asked).toEqual([['list', { limit: 2, cursor: 'abc', minPosition: 6 }]])
  })

  test('are listed fifty at a time unless asked otherwise', async () => {
    await door.request('GET', collection, { token })

    expect(asked).toEqual([['list', { limit: 50 }]])
  })

  test('are made', async () => {
    const received = await door.request('POST', collection, { token, body: input })

    expect(received.status).toBe(201)
    expect(received.body).toMatchObject({ id, version_id: ids.version })
    expect(received.headers['x-vigil-position']).toBe('8')
    expect(asked).toEqual([['create', input]])
  })

  test('are read, from a state that is new enough', async () => {
    const received = await door.request('GET', `${collection}/${id}?min_position=3`, { token })

    expect(received.status).toBe(200)
    expect(received.headers['x-vigil-position']).toBe('7')
    expect(asked).toEqual([['get', id, { minPosition: 3 }]])
  })

  test('are replaced', async () => {
    const received = await door.request('PUT', `${collection}/${id}`, { token, body: input })

    expect(received.status).toBe(200)
    expect(received.headers['x-vigil-position']).toBe('9')
    expect(asked).toEqual([['replace', id, input]])
  })

  test('are removed', async () => {
    const received = await door.request('DELETE', `${collection}/${id}`, { token })

    expect(received.status).toBe(204)
    expect(received.text).toBe('')
    expect(received.headers['x-vigil-position']).toBe('10')
    expect(asked).toEqual([['remove', id]])
  })

  test.each([['GET'], ['PUT'], ['DELETE']])('have ids of their own form (%s)', async (method) => {
    const body = method === 'PUT' ? input : undefined
    const malformed = [ids.token, 'x', `${id}0`, id.toUpperCase(), '%00', '..%2f']

    for (const other of malformed) {
      const received = await door.request(method, `${collection}/${other}`, { token, body })
      expect(received.status).toBe(404)
      expect(received.body).toMatchObject({ code: 'not_found' })
    }
    expect(asked).toEqual([])
  })

  test.each([
    ['limit=0', 'limit'],
    ['limit=201', 'limit'],
    ['limit=ten', 'limit'],
    ['limit=1&limit=2', 'limit'],
    ['limit=', 'limit'],
    ['cursor=', 'cursor'],
    ['min_position=-1', 'min_position'],
    ['min_position=9007199254740992', 'min_position'],
  ])('are not listed for ?%s', async (query, path) => {
    const received = await door.request<ErrorBody>('GET', `${collection}?${query}`, { token })

    expect(received.status).toBe(400)
    expect(received.body.details.map((detail) => detail.path)).toEqual([path])
  })

  test('are for the scope author on an account that has access', async () => {
    const scopeless = await door.request('GET', collection, { token: tokenWith('eval', 'analyse') })
    fail = new Failure('access_not_enabled', 'Authoring is not enabled on this account.')
    const closed = await door.request('GET', collection, { token })

    expect(scopeless.status).toBe(403)
    expect(scopeless.body).toMatchObject({
      code: 'insufficient_scope',
      message: expect.stringContaining('author'),
    })
    expect(closed.status).toBe(403)
    expect(closed.body).toMatchObject({ code: 'access_not_enabled' })
  })

  test('refuse fields that nobody knows, by name, and name all that is missing', async () => {
    const fields = Object.keys(input)

    const received = await door.request<ErrorBody>('POST', collection, { token, body: { nmae: 1 } })

    expect(received.status).toBe(400)
    expect(received.body.details.map(({ path }) => path).sort()).toEqual([...fields, 'nmae'].sort())
  })
})

test('problems deep in a recipe are named by their place', async () => {
  const body = {
    name: 'x'.repeat(129),
    status: 'ON',
    threshold: 1.5,
    rules: [
      { weight: 2 ** 53 },
      { rule_id: ids.rule, weight: 1, preempts: 'MAYBE', wieght: 2 },
      { rule_id: '', weight: '1' },
    ],
  }

  const received = await door.request<ErrorBody>('POST', '/v2/watch/management/recipes', {
    token,
    body,
  })

  expect(received.body.details.map(({ path }) => path).sort()).toEqual([
    'name',
    'rules.0.rule_id',
    'rules.0.weight',
    'rules.1.preempts',
    'rules.1.wieght',
    'rules.2.rule_id',
    'rules.2.weight',
    'status',
    'threshold',
  ])
})

test.each([
  ['a recipe of 501 rules', 'recipes', { rules: 501 }, 'rules'],
  ['a flow of 51 recipes', 'flows', { recipes: 51 }, 'recipes'],
  ['a flow of no recipe', 'flows', { recipes: 0 }, 'recipes'],
] as const)('%s is refused', async (...row) => {
  const [, plural, sizes, path] = row
  const base = resources.find((resource) => resource.plural === plural)?.input
  const [[field, size] = ['', 0]] = Object.entries(sizes)
  const entry = plural === 'recipes' ? { rule_id: ids.rule, weight: 1 } : ids.recipe

  const received = await door.request<ErrorBody>('POST', `/v2/watch/management/${plural}`, {
    token,
    body: { ...base, [field]: Array.from({ length: size }, () => entry) },
  })

  expect(received.status).toBe(400)
  expect(received.body.details.map((detail) => detail.path)).toEqual([path])
})

test('a rule in use stays, and every referrer is named', async () => {
  const details = [{ path: 'id', message: ids.recipe }]
  fail = new Failure('rule_in_use', 'The rule is still referenced.', { details })

  const received = await door.request('DELETE', `/v2/watch/management/rules/${ids.rule}`, { token })

  expect(received.status).toBe(409)
  expect(received.body).toMatchObject({ code: 'rule_in_use', type: 'conflict', details })
})

test('a rule that does not compile is refused as the service says', async () => {
  const details = [{ path: 'expression', message: '1:1: undeclared reference' }]
  fail = new Failure('invalid_rule', 'The rule is invalid.', { param: 'request', details })

  const received = await door.request('POST', '/v2/watch/management/rules', {
    token,
    body: { name: 'n', expression: 'attr.x' },
  })

  expect(received.status).toBe(400)
  expect(received.body).toMatchObject({ code: 'invalid_rule', details })
})

test('a read whose wait ran out says when to come again', async () => {
  fail = new Failure('unavailable', 'Not there yet.', { retryAfterSeconds: 1 })

  const received = await door.request('GET', '/v2/watch/management/flows?min_position=9', { token })

  expect(received.status).toBe(503)
  expect(received.headers['retry-after']).toBe('1')
})

test('the last page has no next_cursor', async () => {
  const flows: Service['flows'] = {
    ...plain.flows,
    list: async () => ({ value: { items: [] }, position: 3 }),
  }
  const own = await openDoor(fakeService({ flows }))

  const received = await own.request('GET', '/v2/watch/management/flows', { token })
  await own.close()

  expect(received.body).toEqual({ flows: [] })
})
