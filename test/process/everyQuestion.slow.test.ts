/** Every question about a large account, in a process of 512 MiB: it lives, and no turn of its event loop does much. */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Route } from '../../src/http/request/route.ts'
import { listed, pathOf } from '../http/support/everyRoute.ts'
import { type Customer, openCustomer, operatorToken } from '../support/openVigil.ts'
import { type StartedVigil, startVigil } from '../support/startedVigil.ts'
import { fillAccount, type LargeAccount, phone_number } from './support/largeAccount.ts'

/** Characters of JSON that one turn may read and write: more than the slices of a fast machine. A turn that does more says so. */
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

const folder = mkdtempSync(join(tmpdir(), 'vigil-'))
let vigil: StartedVigil
let big: Customer
let neighbour: Customer
let account: LargeAccount
let managed: readonly string[]

beforeAll(async () => {
  vigil = await startVigil(folder, {
    NODE_OPTIONS: `--max-old-space-size=512 --import=data:text/javascript,${encodeURIComponent(turnMeter)}`,
    VIGIL_OPERATOR_TOKEN: operatorToken,
    VIGIL_DEMO: 'false',
  })
  neighbour = await openCustomer(vigil)
  big = await openCustomer(vigil)
  account = await fillAccount(big)
  const kinds = ['rules', 'recipes']
  const found = kinds.map((kind) => operate(`/v2/operator/managed/${kind}?limit=1`))
  managed = (await Promise.all(found)).map(({ text }) => /"id":"(\w+)"/.exec(text)?.[1] ?? '')
}, 600_000)

afterAll(async () => {
  await vigil?.stop('SIGKILL')
  rmSync(folder, { recursive: true, force: true })
})

const operate = (path: string) => vigil.door.request('GET', path, { token: operatorToken })

/** What is asked beside the reads, since it looks only. */
const posts = new Set(['replayEvaluation', 'testFlow', 'testRule'])
const questions = listed.filter(
  ({ method, operationId }) => method === 'GET' || posts.has(operationId),
)

/** Asked by a user with a proof of possession: one user's sessions. */
const left = new Set(['listOwnSessions'])

/** Of large evaluations one is asked for at a time, of everything else as many as wait for one account. */
const single = /\/evaluations\/|\/test$/
const atOnce = 64

/** Several forms of a question, by its operation: what it needs in the query, or its body. */
function formsOf({ operationId }: Route): readonly (string | object)[] {
  const { passed, flagged, recipes, between, value } = account
  const sample = { target: { phone_number } }
  const person = `phone_number=${encodeURIComponent(phone_number)}`
  const forms: Readonly<Record<string, readonly (string | object)[]>> = {
    getEvaluation: ['explain=rules', 'explain=expressions'],
    compareEvaluations: [`with=${passed}`],
    replayEvaluation: [{}, { as_of: between }],
    testFlow: [sample],
    testRule: [{ expression: 'signal.ip == "192.0.2.1"', evidence: sample }],
    compareRecipes: [`with=${recipes[1]}`],
    listEvaluations: ['', person, `${person}&flow_id=${account.ids[1]}`],
    listEvents: ['', person, 'actor=service', 'type=PlanRulesRecorded', 'stream_type=rulebook'],
    listState: ['', 'kind=recipe', 'kind=entry'],
    listDifference: [`from=${between}`, 'from=0&kind=rule'],
    listFeedback: ['', person],
    listReportedEvents: ['', person],
    listPhoneNumberHistory: ['phone_number=%2B33612340000'],
    listListEntryHistory: [`value=${value}`],
  }
  void flagged
  return forms[operationId] ?? ['']
}

/** With what the account has in place of each id. */
function fillPath(route: Route): string {
  const { path, ids } = route
  const own = path.includes('/operator/managed/') ? managed : account.ids
  const known = (kind: unknown): string | undefined => {
    if (kind === 'app') return account.appId
    if (kind === 'acc') return big.accountId
    if (Array.isArray(kind)) return kind.find((word) => word === 'block') ?? kind[0]
    return own.find((id) => id.startsWith(`${kind}_`))
  }
  return Object.entries(ids).reduce(
    (filled, [name, kind]) => filled.replace(`{${name}}`, known(kind) ?? expect.fail(`${kind}`)),
    path,
  )
}

async function ask(route: Route, form: string | object): Promise<number> {
  const { admits, method, host } = route
  const isLimited = route.query.parameters.some(({ name }) => name === 'limit')
  const query = [isLimited ? 'limit=200' : '', typeof form === 'string' ? form : ''].filter(Boolean)
  const isOperators = typeof admits === 'object' && 'operator' in admits && admits.operator
  const answer = await vigil.door.request(method, `${fillPath(route)}?${query.join('&')}`, {
    token: isOperators ? operatorToken : big.token,
    ...(host === 'session' && { headers: { host: `${account.appId}.session.localhost` } }),
    ...(typeof form === 'object' && { body: form }),
  })
  return answer.status
}

test('every question is answered beside evaluations of another account, and none takes a turn for itself', async () => {
  const flow = await neighbour.flowOf('signal.ip == "192.0.2.1"')
  const refused: string[] = []
  const long: string[] = []
  let evaluated = 0
  let isAsking = true
  const evaluating = (async () => {
    for (; isAsking; evaluated += 1) expect((await neighbour.evaluate(flow)).status).toBe(200)
  })()

  for (const route of questions.filter(({ operationId }) => !left.has(operationId))) {
    const { operationId } = route
    for (const form of formsOf(route)) {
      const before = vigil.printed().length
      const times = single.test(route.path) ? 1 : atOnce
      const asked = Array.from({ length: times }, () => ask(route, form))
      const statuses = new Set(await Promise.all(asked))
      // a question that waits too long on a busy machine is given up
      for (const busy of [429, 503]) statuses.delete(busy)
      if ([...statuses].some((status) => status !== 200)) refused.push(`${operationId} ${[...statuses]}`)
      const turns = vigil.printed().slice(before).match(/a turn of \d+ characters/g) ?? []
      long.push(...turns.map((turn) => `${operationId} ${JSON.stringify(form)}: ${turn}`))
    }
  }
  isAsking = false
  await evaluating

  expect(vigil.process.exitCode ?? vigil.process.signalCode).toBeNull()
  expect(refused).toEqual(['getMigrationConfig 404'])
  expect(long).toEqual([])
  expect(evaluated).toBeGreaterThan(questions.length)
}, 900_000)
void pathOf
