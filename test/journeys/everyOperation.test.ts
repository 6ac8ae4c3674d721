/**
 * What holds of every operation: a repeat is answered as the first time, and nothing of one account is there for
 * another.
 */

import { beforeAll, expect, test } from 'vitest'
import { decode, versions } from '../../src/events/catalogue.ts'
import type { Route } from '../../src/http/request/route.ts'
import { listRoutes } from '../../src/http/routes.ts'
import { openCustomer } from '../support/openVigil.ts'
import { openDay } from './support/openDay.ts'
import type { Asked, Recorder } from './support/recordExamples.ts'

const { vigil, recorder, live } = await openDay()
const { events } = vigil.service.context
const { token: stranger } = await openCustomer(vigil)
const routes = new Map(listRoutes().map((route) => [route.operationId, route]))

/** The secret of a token is shown once. */
const shownOnce = new Set(['issueToken'])

type Answer = Awaited<ReturnType<Recorder['send']>>
interface Compared {
  readonly operation: string
  readonly answers: readonly Answer[]
}
const repeats: (Compared & { readonly written: number })[] = []
const reused: Compared[] = []
const foreign: Compared[] = []

beforeAll(async () => {
  let keys = 0
  const ask = async (asked: Asked) => {
    const route = routes.get(asked.operation) ?? expect.fail(asked.operation)
    await askAsStranger(route, asked)
    if (route.kind !== 'write') return recorder.ask(asked)
    keys += 1
    const keyed = { ...asked, headers: { ...asked.headers, 'idempotency-key': `key-${keys}` } }
    const first = await recorder.send(keyed)
    if (!shownOnce.has(asked.operation)) await askAgain(keyed, first)
    return first.body
  }
  await live({ ask, refused: async () => undefined })
})

async function askAgain(keyed: Asked, first: Answer): Promise<void> {
  const { operation, body } = keyed
  const before = await events.head()
  const again = await recorder.send(keyed)
  const written = (await events.head()) - before
  repeats.push({ operation, answers: [first, again], written })
  const other = otherwise(body)
  if (JSON.stringify(other) === JSON.stringify(body)) return
  reused.push({
    operation,
    answers: [await recorder.send({ ...keyed, ...(other && { body: other }) })],
  })
}

/** The same with every reason and name changed, but for names that expressions spell. */
function otherwise(body: Asked['body']): Asked['body'] {
  if (typeof body !== 'object') return body
  const isSaid = (key: string, value: string) =>
    key === 'name' ? !/^[a-z_]+$/.test(value) : key === 'reason' || key === 'description'
  const change = (key: string, value: unknown) =>
    typeof value === 'string' && isSaid(key, value) ? `${value}x` : value
  return JSON.parse(JSON.stringify(body, change))
}

/** The other account asks the same, and the same of what never was. */
async function askAsStranger({ ids, admits }: Route, asked: Asked): Promise<void> {
  const [name] = Object.keys(ids)
  const kind = name && ids[name]
  const isOfAccount = typeof admits === 'object' && 'scopes' in admits && admits.scopes.length > 0
  if (typeof kind !== 'string' || asked.token === undefined || !isOfAccount) return
  const never = kind === 'app' ? '0000000' : `${kind}_${'0'.repeat(26)}`
  const theirs = { ...asked, token: stranger }
  const unknown = { ...theirs, parameters: { ...asked.parameters, [name ?? '']: never } }
  const answers = [await recorder.send(theirs), await recorder.send(unknown)]
  foreign.push({ operation: asked.operation, answers })
}

test('a request sent again under its Idempotency-Key is answered in the same bytes, and writes nothing', () => {
  for (const { operation, answers, written } of repeats) {
    const [first, again] = answers.map(({ status, text }) => `${operation}: ${status} ${text}`)
    expect(again).toBe(first)
    // the job that it starts reports meanwhile
    if (!/^(?:start|resume)(?:Replay|Backtest)$/.test(operation))
      expect([operation, written]).toEqual([operation, 0])
  }
  expect(new Set(repeats.map(({ operation }) => operation)).size).toBeGreaterThan(60)
})

test('a request with another body under the same Idempotency-Key is refused', () => {
  for (const { operation, answers } of reused) {
    const said = answers.map(({ status, body }) => [operation, status, body['code']])
    expect(said).toEqual([[operation, 422, 'idempotency_key_reused']])
  }
  expect(new Set(reused.map(({ operation }) => operation)).size).toBeGreaterThan(15)
})

test('what is another account’s is answered in the same bytes as what never was', () => {
  for (const { operation, answers } of foreign) {
    const [theirs, never] = answers.map(({ status, text }) => `${operation}: ${status} ${text}`)
    expect(theirs).toBe(never)
    expect(theirs).toMatch(/: 404 /)
  }
  expect(new Set(foreign.map(({ operation }) => operation)).size).toBeGreaterThan(50)
})

test('every event names as its actor what the history promises: a token, key, user or application, the operator or the service', async () => {
  const log = (await events.readAll({ after: 0, limit: 10_000 })).map(decode)
  const made = log.flatMap(({ event: { data } }) => {
    const { token_id, key_id, user_id, app_id } = data as Readonly<Record<string, unknown>>
    return [token_id, key_id, user_id, app_id]
  })
  const actors = new Set<unknown>([...made, 'operator', 'service'])

  const others = log.filter(({ metadata: { actor } }) => !actors.has(actor))

  expect(others.map(({ event: { type }, metadata: { actor } }) => `${type}: ${actor}`)).toEqual([])
  const refreshed = log.filter(({ event: { type } }) => type === 'SessionRefreshed')
  expect(refreshed.length).toBeGreaterThan(0)
  for (const { event, metadata } of refreshed) {
    expect(event.data).toMatchObject({ user_id: metadata.actor })
  }
  // written where one of the others is, or by the operator or the service alone
  const types = new Set<string>(log.map(({ event: { type } }) => type))
  const unseen = [...versions.keys()].filter((type) => !types.has(type))
  expect(unseen.toSorted()).toEqual([
    ...[
      'AuthoringDisabled',
      'BacktestResumed',
      'CounterWarmed',
      'CustomSuffixDisabled',
      'EvidenceExpired',
      'KeyLossAccepted',
    ],
    ...['LogLossAccepted', 'ManagementDisabled', 'NameClaimed', 'RecipeStatusSet'],
    ...['RefreshRepeated', 'TrustedUserWithdrawn', 'UserCreationAbandoned', 'UserNamed'],
  ])
})
