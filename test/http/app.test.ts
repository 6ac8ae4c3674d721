import { describe, expect, test } from 'vitest'
import { openDoorOfFile } from '../support/openOfFile.ts'
import { ids, memoryService, everyScope as token } from './support/memoryService.ts'

interface ErrorBody {
  readonly code: string
  readonly message: string
  readonly details?: readonly { readonly path: string }[]
}

const path = '/v2/watch/eval'
const body = { flow_id: ids.flow, target: { phone_number: '+15551234567' } }
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

const door = await openDoorOfFile(memoryService())

const post = (sent: unknown, headers = {}) =>
  door.request<ErrorBody>('POST', path, { token, body: sent, headers })

describe('the request id', () => {
  test('is a new UUID for every request', async () => {
    const [first, second] = await Promise.all([post(body), post(body)])

    expect(first?.headers['x-request-id']).toMatch(uuid)
    expect(second?.headers['x-request-id']).not.toBe(first?.headers['x-request-id'])
  })

  test("is the caller's when it is a UUID", async () => {
    const requestId = '3d19215e-2991-4a05-a41a-527314e6ff6a'

    const received = await door.request('GET', '/nowhere', {
      headers: { 'x-request-id': requestId },
    })

    expect(received.headers['x-request-id']).toBe(requestId)
    expect(received.body).toMatchObject({ request_id: requestId })
  })

  test("is not the caller's otherwise", async () => {
    const received = await post(body, { 'x-request-id': 'a"}{"b' })

    expect(received.headers['x-request-id']).toMatch(uuid)
  })
})

test('no answer may be kept by a cache or guessed at by a browser', async () => {
  const answers = [await post(body), await post({}), await door.request('GET', '/nowhere')]

  for (const { headers } of answers) {
    expect(headers['cache-control']).toBe('no-store')
    expect(headers['x-content-type-options']).toBe('nosniff')
  }
})

describe('a request that no route takes', () => {
  test.each([['/v2/watch/eval/'], ['/V2/watch/eval'], ['//v2/watch/eval'], ['/v2/watch/eval%2f']])(
    'is 404 for %s, which only looks like a path',
    async (other) => {
      const received = await door.request('POST', other, { token, body })

      expect(received.status).toBe(404)
    },
  )

  test('is 404 for a path that is not even one', async () => {
    const received = await door.request('GET', '/v2/watch/evaluations/%zz', { token })

    expect(received.status).toBe(404)
  })
})

describe('a body', () => {
  test('that is broken is 400 with an empty path, and never quoted', async () => {
    const received = await post('{"password": hunter2}')

    expect(received.status).toBe(400)
    expect(received.body.code).toBe('invalid_request')
    expect(received.body.details).toEqual([expect.objectContaining({ path: '' })])
    expect(received.text).not.toContain('hunter2')
  })

  test('that is absent lacks what is required', async () => {
    const received = await door.request<ErrorBody>('POST', path, { token })

    expect(received.status).toBe(400)
    expect(received.body.details?.map((detail) => detail.path)).toEqual(['flow_id', 'target'])
  })

  test('may be longer where authors write', async () => {
    const rule = { name: 'n', expression: 'x'.repeat(4_096), ['x'.repeat(100_000)]: 1 }

    const received = await door.request('POST', '/v2/watch/management/rules', { token, body: rule })

    expect(received.status).toBe(400)
    expect(received.text.length).toBeLessThan(1_000)
  })
})
