import { once } from 'node:events'
import type { IncomingHttpHeaders } from 'node:http'
import { connect as connectTo } from 'node:net'
import { describe, expect, test } from 'vitest'
import type { Route } from '../../src/http/request/route.ts'
import { openDoorOfFile } from '../support/openOfFile.ts'
import { pathOf, routes, wayInto } from './support/everyRoute.ts'
import { exchange, lastAnswer } from './support/exchange.ts'
import { memoryService } from './support/memoryService.ts'

const door = await openDoorOfFile(memoryService())

const paths = [...new Set(routes.map(({ path }) => path))].map((path) => {
  const having = routes.filter((route) => route.path === path)
  const names = having.map(({ method }) => method)
  const allowed = [...names, ...(names.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].sort()
  const [first] = having
  return { path, address: first ? pathOf(first) : path, allowed }
})
const refused = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'PROPFIND', 'TRACE']

const allowIn = (headers: { readonly allow?: string | undefined }) =>
  headers.allow?.split(', ').sort()

describe.each(paths)('$path', ({ address, allowed }) => {
  test('tells the methods that it has, and no other, to OPTIONS', async () => {
    const { status, headers, text } = await door.request('OPTIONS', address)

    expect(status).toBe(204)
    expect(allowIn(headers)).toEqual(allowed)
    expect(text).toBe('')
  })

  test.each(refused.filter((method) => !allowed.includes(method)))(
    'refuses %s with the methods that it has',
    async (method) => {
      const { status, headers, body } = await door.request(method, address)

      expect(status).toBe(405)
      expect(allowIn(headers)).toEqual(allowed)
      if (method !== 'HEAD') expect(body).toMatchObject({ code: 'method_not_allowed' })
    },
  )
})

const isLengthTold = ({ path }: Route, headers: IncomingHttpHeaders) =>
  path !== '/metrics' && headers['content-length'] !== '0'

describe.each(
  routes.filter(({ method }) => method === 'GET').map((route) => [route.path, route] as const),
)('HEAD %s', (_path, route) => {
  test('is answered as GET is, without the body', async () => {
    const way = wayInto(route)

    const get = await door.request('GET', pathOf(route), way)
    const head = await door.request('HEAD', pathOf(route), way)

    expect(head.status).toBe(get.status)
    expect(head.text).toBe('')
    const told = ({ headers }: typeof get) => ({
      ...headers,
      date: undefined,
      'x-request-id': undefined,
      // of a body that is made while it is sent; without one there is nothing to transfer
      'transfer-encoding': undefined,
      // the metrics have counted one request more, and a body of pieces that has none is known to be empty
      'content-length': isLengthTold(route, headers) ? headers['content-length'] : undefined,
    })
    expect(told(head)).toEqual(told(get))
  })
})

test.each(['OPTIONS', 'GET', 'POST', 'HEAD'])('an unknown path is 404 to %s', async (method) => {
  const { status, headers } = await door.request(method, '/v2/watch/evil')

  expect(status).toBe(404)
  expect(headers.allow).toBeUndefined()
})

test('the service as a whole tells every method to OPTIONS', async () => {
  const text = 'OPTIONS * HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'

  const { status, headers } = lastAnswer(await exchange(door.port, text))

  expect(status).toBe(204)
  expect(headers.get('allow')?.split(', ').sort()).toEqual(
    [...new Set(paths.flatMap(({ allowed }) => allowed))].sort(),
  )
})

describe('CONNECT', () => {
  const connect = 'CONNECT example.com:443 HTTP/1.1\r\nHost: example.com:443\r\n\r\n'

  test('is refused like a method that a path does not have, and the connection is closed', async () => {
    const { status, headers, body } = lastAnswer(await exchange(door.port, `${connect}and more`))

    expect(status).toBe(405)
    expect(headers.get('connection')).toBe('close')
    expect(headers.get('allow')?.trim()).toBe('')
    expect(body).toMatchObject({ code: 'method_not_allowed', type: 'method_not_allowed' })
  })

  test('a client that leaves after it harms nobody', async () => {
    const socket = connectTo(door.port, '127.0.0.1')
    await once(socket, 'connect')
    socket.write(connect)
    socket.resetAndDestroy()
    await once(socket, 'close')

    expect((await door.request('OPTIONS', '/health/live')).status).toBe(204)
  })
})
