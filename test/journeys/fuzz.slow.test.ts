import fc from 'fast-check'
import { beforeAll, expect, test } from 'vitest'
import type { Route } from '../../src/http/request/route.ts'
import { listRoutes } from '../../src/http/routes.ts'
import { eachSecond } from '../support/eachSecond.ts'
import { expectErrorForm } from '../support/expectErrorForm.ts'
import { openDay } from './support/openDay.ts'
import { type Asked, requestOf } from './support/recordExamples.ts'

const { vigil, recorder, live } = await openDay({ nowMs: eachSecond() })
const routes = new Map(listRoutes().map((route) => [route.operationId, route]))
const asked: Asked[] = []

beforeAll(() =>
  live({
    ask: async (question) => {
      const { operation } = question
      // what is over could not be played with
      const isEnd = /^(?:delete|retire|revoke)/.test(operation)
      if (!isEnd || operation === 'revokeOwnSessions') asked.push(question)
      return isEnd ? {} : recorder.ask(question)
    },
    refused: async () => {},
  }),
)

type Path = readonly (string | number)[]

/** Every place in a value, itself first. */
function placesIn(value: unknown, path: Path = []): readonly Path[] {
  if (typeof value !== 'object' || value === null) return [path]
  const inner = Object.entries(value).flatMap(([key, part]) => placesIn(part, [...path, key]))
  return [path, ...inner]
}

/** The value with the part at the path changed; undefined leaves it out. */
function changed(
  value: unknown,
  [key, ...rest]: Path,
  change: (part: unknown) => unknown,
): unknown {
  if (key === undefined) return change(value)
  if (Array.isArray(value)) {
    return value.flatMap((part, index) => {
      const kept = index === Number(key) ? changed(part, rest, change) : part
      return kept === undefined ? [] : [kept]
    })
  }
  const { [key]: part, ...others } = Object(value)
  const kept = changed(part, rest, change)
  return kept === undefined ? others : { ...others, [key]: kept }
}

const texts = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc.constantFrom(
    '',
    '\u0000',
    '\ud800',
    'x'.repeat(9_000),
    '('.repeat(3_000),
    '1 == 1 && '.repeat(400),
    'signal.ext["\\u0000"] == ""',
    'target.phone_number.matches("(a+)+$")',
    '+33612345678',
    '2026-02-30T00:00:00Z',
  ),
)
const numbers = fc.oneof(
  fc.maxSafeInteger(),
  fc.constantFrom(-0, 0, 1, -1, 100, 101, 0.1, 1e308, 2 ** 53, -(2 ** 63)),
)
const anything = fc.oneof(
  texts,
  numbers,
  fc.jsonValue({ maxDepth: 2 }),
  fc.constantFrom<unknown>(
    [[[]]],
    { constructor: 1 },
    Array.from({ length: 600 }, () => ({})),
    null,
  ),
)

type Change = (part: unknown) => unknown

/** Something else of the same type, which gets past the schema, as often as anything at all. */
const change: fc.Arbitrary<Change> = fc.oneof(
  fc.record({ text: texts, number: numbers, other: anything }).map(
    ({ text, number, other }): Change =>
      (part) =>
        ({ string: text, number, boolean: !part })[typeof part as string] ?? other,
  ),
  anything.map((value) => () => value),
  fc.constant<Change>(() => undefined),
  fc.constant<Change>((part) => (Array.isArray(part) ? [...part, ...part] : part)),
  fc.tuple(fc.string(), anything).map(
    ([name, value]): Change =>
      (part) => ({ ...Object(part), [name]: value }),
  ),
)

/** The whole of a body is changed once in a while, since nothing else matters then. */
const place = fc.oneof(
  { weight: 9, arbitrary: fc.integer({ min: 1, max: 1_000 }) },
  { weight: 1, arbitrary: fc.constant(0) },
)
const mutation = fc.record({ place, change })

/** What takes the account's rights away would end the play. */
const isPlayed = ({ operation, body }: Asked) => body !== undefined && operation !== 'setAccess'

test('whatever is changed in a request that was well, the answer is described and no 500', () =>
  fc.assert(
    fc.asyncProperty(
      fc.nat(),
      fc.array(mutation, { minLength: 1, maxLength: 2 }),
      async (index, mutations) => {
        const questions = asked.filter(isPlayed)
        const question = questions[index % questions.length] ?? expect.fail('nothing was asked')
        const route = routes.get(question.operation) ?? expect.fail(question.operation)
        const { path, sent } = requestOf(route, question)
        const mutated = mutations.reduce((value: unknown, { place, change }) => {
          const places = placesIn(value)
          return changed(value, place === 0 ? [] : (places[place % places.length] ?? []), change)
        }, question.body)

        const received = await vigil.door.request<Record<string, unknown>>(route.method, path, {
          ...sent,
          body: JSON.stringify(mutated) ?? '',
        })

        // 502 says that the place where a customer validates sessions did not answer
        if (received.status !== 502) expect(received.status).toBeLessThan(500)
        if (received.status < 400) return
        expectErrorForm(route, received)
        expect(received.text.length).toBeLessThan(300_000)
      },
    ),
    { numRuns: 600 },
  ))

/** Something that was asked on the main host, as it is sent, of operations that are let through. */
function sentOnMain(index: number, isMeant: (route: Route) => boolean = () => true) {
  const all = asked.flatMap((question) => {
    const route = routes.get(question.operation) ?? expect.fail(question.operation)
    if (route.host !== 'main' || !isMeant(route)) return []
    return [{ route, ...requestOf(route, question) }]
  })
  return all[index % all.length] ?? expect.fail('nothing was asked')
}

const ask = (...request: Parameters<typeof vigil.door.request>) =>
  vigil.door.request<Record<string, unknown>>(...request)

test('no bytes for a body are read, or bring any operation to a 500', () =>
  fc.assert(
    fc.asyncProperty(fc.nat(), fc.uint8Array({ minLength: 1 }), async (index, bytes) => {
      const { route, path, sent } = sentOnMain(index, ({ body }) => body.schema !== undefined)
      const received = await ask(route.method, path, { ...sent, body: Buffer.from(bytes) })

      expect(received.status).toBe(400)
      expectErrorForm(route, received)
    }),
  ))

const inQuery = (text: string) => new URLSearchParams({ '': text }).toString().slice(1)
const word = fc.string({ unit: 'grapheme' }).map(inQuery)
const value = fc.oneof(
  word,
  texts.map((text) => inQuery(text.slice(0, 2_000))),
  fc.base64String(),
  fc.constantFrom('0', '1', '-1', '%', '%ff', '1e3', '200', '2026-11-21T09:30:00Z'),
)
/** A number is a parameter that the operation knows. */
const parameters = fc.array(fc.tuple(fc.oneof(fc.nat(), word), value), { maxLength: 3 })
const header = fc.string({ unit: fc.constantFrom(...'az09-_"*,;=/%\\ '), maxLength: 300 })

test('no query and no header brings any operation to a 500, or to an answer that is not described', () =>
  fc.assert(
    fc.asyncProperty(fc.nat(), parameters, header, async (index, given, text) => {
      const { route, path, sent } = sentOnMain(index)
      // a position that is still to come is waited for
      const known = route.query.parameters
        .map(({ name }) => name)
        .filter((name) => name !== 'min_position')
      const nameOf = (name: string | number) =>
        typeof name === 'string' ? name : (known[name % known.length] ?? 'limit')
      const query = given.map(([name, one]) => `${nameOf(name)}=${one}`).join('&')
      const names = ['idempotency-key', 'if-match', 'if-none-match', 'x-request-id', 'accept']
      const headers = Object.fromEntries(names.map((name) => [name, text]))

      const received = await ask(route.method, `${path.split('?')[0]}?${query}`, {
        token: sent.token,
        headers: { ...sent.headers, ...headers },
        ...(route.body.schema && { body: {} }),
      })

      expect(received.status).toBeLessThan(500)
      if (received.status >= 400) expectErrorForm(route, received)
      else expect([200, 201, 204, 304]).toContain(received.status)
    }),
    { numRuns: 800 },
  ))

test('no token brings any operation to a 500, and none that was not issued opens one', () =>
  fc.assert(
    fc.asyncProperty(fc.nat(), header, async (index, authorization) => {
      const { route, path } = sentOnMain(index)
      const received = await ask(route.method, path, { headers: { authorization } })

      expect(received.status).toBe(route.admits === 'anyone' ? 200 : 401)
      if (received.status === 401) expectErrorForm(route, received)
    }),
  ))

test('no path brings the door to a 500', () =>
  fc.assert(
    fc.asyncProperty(fc.nat(), word, async (index, last) => {
      const { path, sent } = sentOnMain(index)
      const received = await ask('GET', `${path.split('?')[0]}/${last}`, { token: sent.token })

      expect(received.status).toBeLessThan(500)
      if (received.status >= 400) expect(received.body).toHaveProperty('code')
    }),
    { numRuns: 200 },
  ))
