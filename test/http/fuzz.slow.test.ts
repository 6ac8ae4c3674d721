import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Route } from '../../src/http/request/route.ts'
import { expectErrorForm } from '../support/expectErrorForm.ts'
import { openDoorOfFile } from '../support/openOfFile.ts'
import { pathOf, routes, wayInto } from './support/everyRoute.ts'
import { everyScope, memoryService } from './support/memoryService.ts'
import type { Received } from './support/sendRequest.ts'

const door = await openDoorOfFile(memoryService())

const targets = routes.filter(({ bodySchema }) => bodySchema)

/** What every refusal says, of whatever. */
function expectRefusal(route: Route, received: Received<Record<string, unknown>>): void {
  expectErrorForm(route, received)
  expect(JSON.stringify(received.body).length, 'a refusal is short').toBeLessThan(100_000)
  if (received.status === 400 && route.errors === 'main')
    expect(received.body['param']).toBe('request')
}

const successes = [200, 201, 204]

test('no bytes for a body bring any route to a 500', () =>
  fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...targets),
      fc.uint8Array({ minLength: 1 }),
      async (route, bytes) => {
        const received = await door.request(route.method, pathOf(route), {
          ...wayInto(route),
          body: Buffer.from(bytes),
        })

        expect(received.status).toBe(400)
        expectRefusal(route, received)
      },
    ),
  ))

const word = fc
  .string({ unit: 'grapheme' })
  .map((text) => encodeURIComponent(text.replaceAll(/[\ud800-\udfff]/g, '')))
const parameter = fc.tuple(
  fc.oneof(
    fc.constantFrom(...new Set(routes.flatMap(({ query }) => query.map(({ name }) => name)))),
    word,
  ),
  fc.oneof(word, fc.constantFrom('0', '1', '-1', '%', '%ff', '1e3', '')),
)
const query = fc
  .array(parameter, { maxLength: 4 })
  .map((pairs) => pairs.map(([name, text]) => `${name}=${text}`).join('&'))
const header = fc.string({ unit: fc.constantFrom(...'az09-_"*,;=/%\\ '), maxLength: 300 })

test('no query and no header brings any route to a 500, or to an answer that is not described', () =>
  fc.assert(
    fc.asyncProperty(fc.constantFrom(...routes), query, header, async (route, text, value) => {
      const received = await door.request(route.method, `${pathOf(route)}?${text}`, {
        token: wayInto(route).token,
        headers: {
          ...wayInto(route).headers,
          'idempotency-key': value,
          'if-match': value,
          'if-none-match': value,
          'x-request-id': value,
          accept: value,
        },
        ...(route.bodySchema && { body: {} }),
      })

      expect(received.status).toBeLessThan(500)
      if (received.status >= 400) expectRefusal(route, received)
      else expect([...successes, 304]).toContain(received.status)
    }),
    { numRuns: 400 },
  ))

test('no token brings any route to a 500, and none that was not issued opens one', () =>
  fc.assert(
    fc.asyncProperty(fc.constantFrom(...routes), header, async (route, authorization) => {
      const received = await door.request(route.method, pathOf(route), {
        headers: { authorization },
      })

      expect(received.status).toBe(route.admits === 'anyone' ? 200 : 401)
      if (received.status === 401) expectRefusal(route, received)
    }),
  ))

test('no path brings the door to a 500', () => {
  const places = ['/', '/v2/watch/', ...new Set(routes.map((route) => `${pathOf(route)}/`))]

  return fc.assert(
    fc.asyncProperty(fc.constantFrom(...places), word, query, async (base, last, text) => {
      const received = await door.request('GET', `${base}${last}?${text}`, { token: everyScope })

      expect(received.status).toBeLessThan(500)
      if (received.status >= 400) expect(received.body).toHaveProperty('code')
    }),
    { numRuns: 200 },
  )
})
