import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { everyScope, fakeService, ids, operatorToken } from './support/fakeService.ts'
import { type Door, openDoor } from './support/openDoor.ts'

let door: Door

beforeAll(async () => {
  door = await openDoor(fakeService())
})

afterAll(() => door.close())

const account = `/v2/operator/accounts/${ids.account}`
const targets = [
  ['POST', '/v2/watch/eval'],
  ['POST', '/v2/watch/management/rules'],
  ['PUT', `/v2/watch/management/rules/${ids.rule}`],
  ['POST', '/v2/watch/management/rules/test'],
  ['POST', '/v2/watch/management/recipes'],
  ['POST', '/v2/watch/management/flows'],
  ['POST', `/v2/watch/management/flows/${ids.flow}/test`],
  ['POST', '/v2/operator/managed/rules'],
  ['PUT', `/v2/operator/managed/recipes/${ids.recipe}`],
  ['POST', '/v2/operator/accounts'],
  ['PUT', `${account}/access`],
  ['POST', `${account}/tokens`],
  ['POST', `${account}/dispatches`],
] as const

const known = fc.constantFrom(
  'flow_id',
  'target',
  'phone_number',
  'signals',
  'ext',
  'rules',
  'rule_id',
  'weight',
  'recipes',
  'name',
  'scopes',
  '__proto__',
  'constructor',
  'length',
)
const { value: json } = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.jsonValue({ maxDepth: 1 }),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(fc.oneof(known, fc.string()), tie('value'), { maxKeys: 6 }),
  ),
}))

test('no JSON body brings any route to a 500', () =>
  fc.assert(
    fc.asyncProperty(fc.constantFrom(...targets), json, async ([method, path], body) => {
      const token = path.startsWith('/v2/operator') ? operatorToken : everyScope

      const received = await door.request(method, path, { token, body: JSON.stringify(body) })

      expect([200, 201, 400]).toContain(received.status)
    }),
    { numRuns: 200 },
  ))

test('no bytes for a body bring any route to a 500', () =>
  fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...targets),
      fc.uint8Array(),
      async ([method, path], bytes) => {
        const token = path.startsWith('/v2/operator') ? operatorToken : everyScope

        const received = await door.request(method, path, { token, body: Buffer.from(bytes) })

        expect(received.status).toBe(400)
      },
    ),
  ))

test('no path, query or header brings the door to a 500', () => {
  const segment = fc.string({ unit: 'grapheme' }).map(encodeURIComponent)
  const place = fc.constantFrom('/', '/v2/watch/', '/v2/watch/management/rules/', `${account}/`)

  return fc.assert(
    fc.asyncProperty(place, segment, fc.webQueryParameters(), async (base, last, query) => {
      const headers = { 'idempotency-key': last.slice(0, 300), 'x-request-id': last.slice(0, 300) }

      const received = await door.request('GET', `${base}${last}?limit=${last}&${query}`, {
        token: everyScope,
        headers,
      })

      expect(received.status).toBeLessThan(500)
    }),
  )
})
