/** Every question about a large account, in a process of 512 MiB: it lives, and no turn of its event loop does much. */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { PathParameter } from '../../src/http/request/pathParameters.ts'
import type { Route } from '../../src/http/request/route.ts'
import { listed } from '../http/support/everyRoute.ts'
import { type Customer, openCustomer, operatorToken } from '../support/openVigil.ts'
import { type StartedVigil, startVigil } from '../support/startedVigil.ts'
import { fillAccount, type LargeAccount, phone_number } from './support/largeAccount.ts'

/**
 * Characters of JSON that one turn may read and write: more than the slices of a fast machine do. A turn with more says
 * so.
 */
const turnMax = 8_000_000
const turnMeter = `
  import { isMainThread } from 'node:worker_threads'
  let chars = 0
  const end = () => {
    if (chars > ${turnMax}) console.error('a turn of ' + chars + ' characters')
    chars = 0
  }
  const count = (text) => {
    if (chars === 0) setImmediate(end)
    chars += text?.length ?? 0
    return text
  }
  const { parse, stringify } = JSON
  if (isMainThread) {
    JSON.parse = (text, ...more) => parse(count(text), ...more)
    JSON.stringify = (...given) => count(stringify(...given))
  }`
const nodeOptions = [
  '--max-old-space-size=512',
  `--import=data:text/javascript,${encodeURIComponent(turnMeter)}`,
].join(' ')

const folder = mkdtempSync(join(tmpdir(), 'vigil-'))
const token = operatorToken
let vigil: StartedVigil
let big: Customer
let neighbour: Customer
let account: LargeAccount
let managed: readonly string[]

beforeAll(async () => {
  vigil = await startVigil(folder, {
    ...{ NODE_OPTIONS: nodeOptions, VIGIL_OPERATOR_TOKEN: operatorToken, VIGIL_DEMO: 'false' },
  })
  neighbour = await openCustomer(vigil)
  big = await openCustomer(vigil)
  account = await fillAccount(big)
  managed = await Promise.all(
    ['rules', 'recipes'].map(async (kind) => {
      const path = `/v2/operator/managed/${kind}?limit=1`
      const { text } = await vigil.door.request('GET', path, { token })
      return /"id":"(\w+)"/.exec(text)?.[1] ?? expect.fail(text)
    }),
  )
}, 900_000)

afterAll(async () => {
  await vigil.stop('SIGKILL')
  rmSync(folder, { recursive: true, force: true })
})

/** They look only, though they are posted. */
const posts = new Set(['replayEvaluation', 'testFlow', 'testRule', 'previewBacktest'])
/** Asked by a user with a proof of possession, of whose sessions there are at most a hundred. */
const left = new Set(['listOwnSessions'])
/** A migration is set with a server that is reached. */
const absent = new Set(['getMigrationConfig'])

const questions = listed.filter(
  ({ method, operationId }) =>
    (method === 'GET' || posts.has(operationId)) && !left.has(operationId),
)

/** Of evaluations of the large flow one is asked for at a time; of all else as many as may wait for one account. */
const single = /\/evaluations\/|\/verdicts$|\/test$/
const atOnce = 64

/** A query, or a body. */
type Form = string | object

/** In which forms the question is asked. */
function formsOf({ operationId }: Route): readonly Form[] {
  const { passed, recipes, between, value } = account
  const target = { phone_number }
  const person = `phone_number=${encodeURIComponent(phone_number)}`
  const forms: Readonly<Record<string, readonly Form[]>> = {
    getEvaluation: ['explain=rules', 'explain=expressions'],
    compareEvaluations: [`with=${passed}`],
    replayEvaluation: [{}, { as_of: between }],
    testFlow: [{ target }],
    previewBacktest: [{ expression: 'signal.ip == "192.0.2.1"' }],
    testRule: [{ expression: 'signal.ip == "192.0.2.1"', evidence: { target } }],
    compareRecipes: [`with=${recipes[1]}`],
    listEvaluations: ['', person, 'where=fragile%20%3D%20false%20and%20score%20%3C%201'],
    listTopValues: ['name=signal.ip', 'name=missing'],
    exportEvaluations: ['', 'columns=rules,signal.ip&where=score%20%3E%200'],
    listEvents: ['', person, 'actor=service', 'type=PlanRulesRecorded', 'stream_type=rulebook'],
    listState: ['', 'kind=recipe', 'kind=entry'],
    listDifference: [`from=${between}`, 'from=0&kind=rule'],
    listFeedback: ['', person],
    listReportedEvents: ['', person],
    listPhoneNumberHistory: ['phone_number=%2B33612340000'],
    listListEntryHistory: [`value=${value}`],
  }
  return forms[operationId] ?? ['']
}

/** The path with what the account has of each kind. */
function fillPath({ path, ids }: Route): string {
  const own = path.includes('/operator/managed/') ? managed : account.ids
  const known = (kind: PathParameter): string | undefined => {
    if (typeof kind !== 'string') return kind.at(-1)
    if (kind === 'app') return account.appId
    return [...own, big.accountId].find((id) => id.startsWith(`${kind}_`))
  }
  return Object.entries(ids).reduce(
    (filled, [name, kind]) => filled.replace(`{${name}}`, known(kind) ?? expect.fail(path)),
    path,
  )
}

async function ask(route: Route, form: Form): Promise<number> {
  const { admits, method, host, query } = route
  const isLimited = query.parameters.some(({ name }) => name === 'limit')
  const asked = [isLimited ? 'limit=200' : '', typeof form === 'string' ? form : '']
  const isOperators = typeof admits === 'object' && 'operator' in admits && admits.operator
  const path = `${fillPath(route)}?${asked.filter((part) => part !== '').join('&')}`
  const answer = await vigil.door.request(method, path, {
    token: isOperators ? operatorToken : big.token,
    ...(host === 'session' && { headers: { host: `${account.appId}.session.localhost` } }),
    ...(typeof form === 'object' && { body: form }),
  })
  return answer.status
}

/** What is not as it should be when the question is asked so. */
async function findFaults(route: Route, form: Form): Promise<readonly string[]> {
  const { operationId, path } = route
  const before = vigil.printed().length
  const times = single.test(path) ? 1 : atOnce
  const statuses = await Promise.all(Array.from({ length: times }, () => ask(route, form)))
  // those that wait too long, as on a busy machine, are given up
  const right = [absent.has(operationId) ? 404 : 200, 429, 503]
  const wrong = statuses.filter((status) => !right.includes(status))
  const turns =
    vigil
      .printed()
      .slice(before)
      .match(/a turn of \d+ characters/g) ?? []
  return [...wrong, ...turns].map((fault) => `${operationId} ${JSON.stringify(form)}: ${fault}`)
}

test('every question is answered beside evaluations of another account, and none has a turn for itself', async () => {
  const flow = await neighbour.flowOf('signal.ip == "192.0.2.1"')
  let isAsking = true
  const statuses: number[] = []
  const evaluate = async () => {
    while (isAsking) statuses.push((await neighbour.evaluate(flow)).status)
  }
  const evaluating = evaluate()

  const faults: string[] = []
  for (const route of questions) {
    for (const form of formsOf(route)) faults.push(...(await findFaults(route, form)))
  }
  isAsking = false
  await evaluating

  expect(faults).toEqual([])
  expect(vigil.process.exitCode ?? vigil.process.signalCode).toBeNull()
  expect(new Set(statuses)).toEqual(new Set([200]))
  expect(statuses.length).toBeGreaterThan(questions.length)
}, 900_000)
