import { randomUUID } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Route } from '../../src/http/request/route.ts'
import { listRoutes } from '../../src/http/routes.ts'
import { openLog } from '../../src/log.ts'
import { dpopKey } from '../support/dpopKey.ts'
import { answerValid, openLegacyShop } from '../support/legacyShop.ts'
import type { Vigil } from '../support/openVigil.ts'
import { type Customer, openCustomer, openVigil, operatorToken } from '../support/openVigil.ts'
import { refreshOnce, urlOf } from '../support/refreshing.ts'
import { startSession } from '../support/startSession.ts'

const secrets = {
  phone: '+33698765432',
  national: '698765432',
  email: 'ann.hidden@example.org',
  ip: '203.0.113.99',
  device: 'the-device-of-ann',
  password: 'correct-horse-battery',
  cookie: 'session-cookie-of-ann',
  legacyToken: 'legacy-session-of-ann',
  foreignToken: 'vgl_0a_0b_NobodyKnowsThisToken',
}

const target = { phone_number: secrets.phone, email_address: secrets.email }
const device = { ip: secrets.ip, device_id: secrets.device }
const signals = { ...device, ext: { password: secrets.password } }
const expression = `target.phone_number == "${secrets.phone}" || signal.ip == "${secrets.ip}"`

/** Ids to fill paths and bodies with. */
interface Things {
  readonly account_id: string
  readonly replay_id: string
  readonly token_id: string
  readonly key_id: string
  readonly sdkKey: string
  readonly evaluation_id: string
  readonly rule: string
  readonly recipe: string
  readonly otherRecipe: string
  readonly flow: string
  readonly list: string
  readonly managedRule: string
  readonly managedRecipe: string
  readonly appID: string
  readonly template_id: string
  readonly kid: string
  readonly userID: string
  readonly sessionID: string
  /** Of the session of another user. */
  readonly accessToken: string
  readonly refreshToken: string
  readonly proof: string
  readonly erasure_id: string
}

/** A body that is text is sent as it is, as lines of JSON. */
type Sent = {
  readonly body?: object | string
  readonly query?: string
  readonly headers?: Readonly<Record<string, string>>
}

const ruleInput = { name: secrets.email, expression }
const recipeInput = ({ rule }: Things) => ({
  name: secrets.phone,
  status: 'LIVE',
  threshold: 50,
  rules: [{ rule_id: rule, weight: 60 }],
})
const flowInput = ({ recipe }: Things) => ({ name: secrets.email, recipes: [recipe] })
const managedRuleInput = { ...ruleInput, description: `About ${secrets.email}.` }
const managedRecipeInput = (rules: readonly object[]) => ({
  name: secrets.email,
  description: `About ${secrets.phone}.`,
  threshold: 50,
  threshold_bounds: { min: 20, max: 80 },
  parameters: [],
  rules,
})

const device2 = { device_type: 'IOS', device_model: secrets.device, os_version: secrets.email }
const appSettings = { password_change_revokes: 'all' }
const legacy = await openLegacyShop()
legacy.answering = answerValid
const migrationUrl = `${legacy.url}?token=${secrets.password}`

/** What is sent to a route that takes more than its path; a route that is not here and needs it fails the test. */
const sentTo: Readonly<Record<string, (things: Things) => Sent>> = {
  evaluateFlow: ({ flow }) => ({ body: { flow_id: flow, target, signals } }),
  setPredictionFlow: ({ flow }) => ({ body: { flow_id: flow } }),
  predict: () => ({ body: { target, signals, metadata: { correlation_id: secrets.password } } }),
  sendFeedback: () => ({
    body: {
      feedbacks: [
        {
          target: { type: 'phone_number', value: secrets.phone },
          type: 'verification.started',
          signals: device,
          metadata: { correlation_id: secrets.email },
        },
      ],
    },
  }),
  reportEvents: () => ({
    body: {
      events: [
        {
          target: { type: 'email_address', value: secrets.email },
          label: 'account.banned',
          confidence: 'high',
        },
      ],
    },
  }),
  addPhoneNumber: () => ({ body: { phone_number: secrets.phone, reason: secrets.email } }),
  deletePhoneNumber: () => ({ body: { phone_number: secrets.phone } }),
  listPhoneNumberHistory: () => ({ query: `phone_number=${encodeURIComponent(secrets.phone)}` }),
  importPhoneNumbers: () => ({ body: `{"phone_number":"${secrets.phone}"}\n` }),
  exportPhoneNumbers: () => ({ query: 'format=csv' }),
  changeRulebook: () => ({ body: {} }),
  setRetention: () => ({ body: { evaluations_days: 400 } }),
  eraseSubject: () => ({ body: { phone_number: secrets.phone, reason: 'asked for' } }),
  createTemplate: () => ({ body: { name: secrets.phone } }),
  updateTemplate: () => ({ body: { name: secrets.email } }),
  submitSenderId: () => ({ body: { sender_id: 'Ada Shop' } }),
  approveSenderId: () => ({ body: { sender_id: 'Ada Shop', reason: secrets.email } }),
  rejectSenderId: () => ({ body: { sender_id: 'Ada Shop', reason: secrets.email } }),
  createList: () => ({ body: { name: 'made', kind: 'text', description: secrets.email } }),
  changeList: () => ({ body: { description: secrets.phone } }),
  addListEntry: () => ({ body: { value: secrets.email, reason: secrets.phone } }),
  deleteListEntry: () => ({ body: { value: secrets.email } }),
  listListEntryHistory: () => ({ query: `value=${encodeURIComponent(secrets.email)}` }),
  importListEntries: () => ({ body: `{"value":"${secrets.email}"}\n` }),
  exportListEntries: () => ({ query: 'format=csv' }),
  createRule: () => ({ body: ruleInput }),
  replaceRule: () => ({ body: ruleInput }),
  createRecipe: (things) => ({ body: recipeInput(things) }),
  replaceRecipe: (things) => ({ body: recipeInput(things) }),
  createFlow: (things) => ({ body: flowInput(things) }),
  replaceFlow: (things) => ({ body: flowInput(things) }),
  testRule: () => ({ body: { expression, evidence: { target, signals } } }),
  testFlow: () => ({ body: { target, signals, dispatch_signals: device } }),
  createManagedRule: () => ({ body: managedRuleInput }),
  replaceManagedRule: () => ({ body: managedRuleInput }),
  createManagedRecipe: ({ managedRule }) => ({
    body: managedRecipeInput([{ rule_id: managedRule, weight: 60 }]),
  }),
  replaceManagedRecipe: () => ({ body: managedRecipeInput([]) }),
  compareEvaluations: ({ evaluation_id }) => ({ query: `with=${evaluation_id}` }),
  listDifference: () => ({ query: 'from=1' }),
  compareRecipes: ({ otherRecipe }) => ({
    query: `with=${otherRecipe}&from=${new Date(Date.now() - 60_000).toISOString()}`,
  }),
  openAccount: () => ({ body: { name: secrets.email } }),
  setAccess: () => ({ body: { authoring: true, management: true } }),
  issueToken: () => ({ body: { scopes: ['eval'] } }),
  issueSdkKey: () => ({ body: { name: secrets.email } }),
  setSdkKeyOrigins: () => ({ body: { origins: [] } }),
  dispatchSignals: () => ({
    body: {
      dispatch_id: randomUUID(),
      signals: { device_id: secrets.device, user_agent: secrets.email },
    },
  }),
  registerApp: () => ({ body: { name: secrets.email } }),
  registerAppOfAccount: () => ({ body: { name: secrets.phone } }),
  configureApp: () => ({ body: appSettings }),
  configureAppOfAccount: () => ({ body: appSettings }),
  createUser: () => ({ body: { identifiers: [{ type: 'email_address', value: secrets.email }] } }),
  createUserOfAccount: () => ({
    body: { identifiers: [{ type: 'phone_number', value: secrets.phone }] },
  }),
  listUsers: () => ({ query: `type=email_address&value=${encodeURIComponent(secrets.email)}` }),
  changePassword: () => ({ body: { password: secrets.password } }),
  setPassword: () => ({ body: { password: `${secrets.password}-2` } }),
  setPasswordOfAccount: () => ({ body: { password: `${secrets.password}-3` } }),
  checkPassword: () => ({ body: { password: secrets.password } }),
  checkPasswordOfAccount: () => ({ body: { password: secrets.password } }),
  startSession: () => ({ body: device2 }),
  startSessionOfAccount: () => ({ body: device2 }),
  revokeOwnSessions: () => ({ query: 'target=others' }),
  grantScope: () => ({ body: { scope: 'prld:pwd:write' } }),
  grantScopeOfAccount: () => ({ body: { scope: 'prld:pwd:write' } }),
  refreshSession: ({ refreshToken, proof }) => ({
    headers: { 'x-refresh-token': refreshToken, dpop: proof },
  }),
  revokeSession: ({ refreshToken }) => ({ headers: { 'x-refresh-token': refreshToken } }),
  migrateSession: () => ({ body: { token: secrets.legacyToken } }),
  setMigrationConfig: () => ({ body: { session_validation_url: migrationUrl } }),
  recordDispatch: () => ({ body: { dispatch_id: randomUUID(), signals: device } }),
}

/** The path of a route with the ids that its place asks for. */
function pathOf({ path }: Route, things: Things, versionId: string): string {
  const kinds: Readonly<Record<string, string>> = {
    '/managed/rules/': things.managedRule,
    '/managed/recipes/': things.managedRecipe,
    '/management/rules/': things.rule,
    '/management/recipes/': things.recipe,
    '/management/flows/': things.flow,
    '/management/lists/': things.list,
  }
  const kind = Object.keys(kinds).find((part) => path.includes(part)) ?? ''
  const named: Readonly<Record<string, string>> = {
    ...things,
    id: kinds[kind] ?? '',
    version_id: versionId,
    name: 'rules',
    action: 'block',
  }
  return path.replaceAll(/\{(\w+)\}/g, (whole, name: string) => named[name] ?? whole)
}

/** A set of things; those of two sets have nothing to do with each other, so that one can be removed. */
async function thingsOf(vigil: Vigil, customer: Customer): Promise<Things> {
  const rule = await customer.rule(expression)
  const recipe = await customer.recipe([{ rule_id: rule, weight: 60 }])
  const always = await customer.rule('1 == 1')
  const otherRecipe = await customer.recipe([{ rule_id: always, weight: 20 }], { status: 'SHADOW' })
  const flow = await customer.flow([recipe, otherRecipe])
  const { body } = await customer.evaluate(flow, { target, signals })
  const operate = async (path: string, sent: object) => {
    const received = await vigil.door.request('POST', `/v2/operator/${path}`, {
      token: operatorToken,
      body: sent,
    })
    return received.body
  }
  const issued = await operate(`accounts/${customer.accountId}/tokens`, { scopes: ['eval'] })
  const key = await operate(`accounts/${customer.accountId}/sdk-keys`, {})
  const templates = '/v2/verification/management/templates'
  const { body: template } = await customer.send('POST', templates, { name: secrets.email })
  const managedRule = await operate('managed/rules', managedRuleInput)
  const managedRecipe = await operate('managed/recipes', managedRecipeInput([]))
  const app = await customer.send('POST', '/v2/session/apps', { name: 'Shop' })
  const config = `/v2/session/apps/${app.body['app_id']}/config/migration`
  const keys = `/v2/session/apps/${app.body['app_id']}/signing-keys`
  await customer.send('POST', keys)
  const signingKeys = (await customer.send('GET', keys)).body['signing_keys'] as { kid: string }[]
  const { body: user } = await customer.send(
    'POST',
    `/v2/session/apps/${app.body['app_id']}/users`,
    { identifiers: [{ type: 'customer_user_id', value: secrets.password }] },
  )
  const { body: other } = await customer.send(
    'POST',
    `/v2/session/apps/${app.body['app_id']}/users`,
    { identifiers: [{ type: 'customer_user_id', value: secrets.device }] },
  )
  const { body: own } = await customer.send(
    'POST',
    `/v2/session/apps/${app.body['app_id']}/users/${other['id']}/sessions`,
    { device_model: secrets.device, scopes: ['prld:pwd:write'] },
  )
  const { body: session } = await customer.send(
    'POST',
    `/v2/session/apps/${app.body['app_id']}/users/${user['id']}/sessions`,
    { device_model: secrets.phone },
  )
  const appID = String(app.body['app_id'])
  const { token: refreshToken } = await startSession(customer, appID)
  await customer.send('PUT', config, { session_validation_url: migrationUrl })
  const nobody = { email_address: 'nobody@example.org' }
  const { body: erasure } = await customer.send('POST', '/v2/watch/subjects/erase', nobody)
  const replays = '/v2/watch/audit/replays'
  // another one may be running
  await customer.send('POST', replays)
  const [replay] = (await customer.send('GET', replays)).body['replays'] as { id: string }[]
  return {
    account_id: customer.accountId,
    erasure_id: String(erasure['id']),
    replay_id: replay?.id ?? '',
    token_id: String(issued['token_id']),
    key_id: String(key['key_id']),
    sdkKey: String(key['sdk_key']),
    evaluation_id: String(body['id']),
    rule,
    recipe,
    otherRecipe,
    flow,
    list: await customer.list(`of_${rule}`, 'email_address'),
    managedRule: String(managedRule['id']),
    managedRecipe: String(managedRecipe['id']),
    appID,
    refreshToken,
    proof: await proofOf(vigil, appID, refreshToken),
    template_id: String(template['id']),
    kid: signingKeys[0]?.kid ?? '',
    userID: String(user['id']),
    accessToken: String(own['access_token']),
    sessionID: String((session['session'] as Record<string, unknown>)['id']),
  }
}

/** A proof that the token can be refreshed with. */
async function proofOf({ door }: Vigil, appId: string, token: string): Promise<string> {
  const key = dpopKey()
  const asked = { port: door.port, appId, token, key }
  const { nonce } = await refreshOnce(asked)
  return key.proof({ htu: urlOf({ appId, port: door.port }), nonce })
}

/** Of the thing that the path names, the version that is current. */
async function versionOf({ door }: Vigil, token: string, path: string): Promise<string> {
  const [, thing] = /^(.*)\/versions\//.exec(path) ?? []
  if (thing === undefined) return ''
  const { body } = await door.request<Record<string, unknown>>('GET', thing, { token })
  return String(body['version_id'])
}

/** Settings that others rest on come first; removals come last, and what others rest on comes last among them. */
const settings = ['setPredictionFlow']
const removals = [
  'deleteListEntry',
  'deleteFlow',
  'deleteRecipe',
  'deleteManagedRecipe',
  'deleteMigrationConfig',
  'revokeUserSession',
  'revokeUserSessionOfAccount',
  'revokeUserSessions',
  'revokeUserSessionsOfAccount',
  'deleteUser',
  'deleteUserOfAccount',
  'retireSigningKey',
  'retireSigningKeyOfAccount',
]
function inOrder(routes: readonly Route[]): readonly Route[] {
  const rank = ({ method, operationId }: Route) => {
    if (settings.includes(operationId)) return -1
    // the session ends with it
    if (operationId === 'changePassword') return 0.5
    // nothing of the person can be read afterwards
    if (operationId === 'eraseSubject') return 0.5
    if (method !== 'DELETE') return 0
    const place = removals.indexOf(operationId)
    return 1 + (place < 0 ? removals.length : place)
  }
  return routes.toSorted((one, other) => rank(one) - rank(other))
}

/** How a body of lines says what it is. */
function typeOf(body: Sent['body']): Readonly<Record<string, string>> {
  return typeof body === 'string' ? { 'content-type': 'application/x-ndjson' } : {}
}

/** The body with more secrets, where nobody expects them. */
function brokenOf(body: Sent['body']): object | string {
  if (typeof body === 'string') return `${body}${secrets.email},${secrets.ip}`
  return { ...body, [secrets.email]: secrets.password, ip: secrets.ip }
}

/** Of whoever may come in. */
function tokenFor({ admits }: Route, { token }: Customer, { accessToken }: Things): string {
  if (typeof admits !== 'object') return token
  if ('user' in admits) return accessToken
  return admits.operator ? operatorToken : token
}

test('secrets sent through every route of a real service never stand in its log', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'vigil-secrets-'))
  const file = join(folder, 'log')
  const log = openLog({ level: 'trace', destination: file })
  const vigil = await openVigil({
    logger: log.logger,
    linesPerSecond: 1_000_000,
    outside: { certificates: legacy.certificates },
    privateMigrationHosts: 'localhost',
  })
  const customer = await openCustomer(vigil)
  const [kept, removed] = [await thingsOf(vigil, customer), await thingsOf(vigil, customer)]
  const headers = { cookie: secrets.cookie, 'user-agent': `${secrets.email} ${secrets.ip}` }
  const routes = inOrder(listRoutes())
  const answered = new Map<string, number>()
  let sent = 0

  /** Sends one request with secrets in every part of it, and answers its status. */
  const send = async (route: Route, token: string | undefined, broken = false) => {
    const things = route.method === 'DELETE' ? removed : kept
    const template = pathOf(route, things, '{version_id}')
    const versionId = broken ? secrets.phone : await versionOf(vigil, token ?? '', template)
    const { body, query = '', headers: more } = sentTo[route.operationId]?.(things) ?? {}
    const given = broken ? brokenOf(body) : body
    const secretQuery = `x=${encodeURIComponent(secrets.phone)}&y=${secrets.foreignToken}&${query}`
    const path = `${pathOf(route, things, versionId)}?${broken ? secretQuery : query}`
    sent += 1
    const received = await vigil.door.request(route.method, path, {
      token,
      headers: {
        ...headers,
        ...typeOf(body),
        'x-sdk-key': things.sdkKey,
        ...(route.host === 'session' && { host: `${things.appID}.session.localhost` }),
        ...more,
      },
      ...(given && { body: given }),
    })
    return received.status
  }

  for (const route of routes) {
    answered.set(route.operationId, await send(route, tokenFor(route, customer, kept)))
  }
  for (const route of routes) {
    const tokens = [operatorToken, customer.token, kept.accessToken, secrets.foreignToken]
    for (const token of [...tokens, undefined]) {
      await send(route, token, true)
    }
  }
  await vigil.service.close()
  for (const route of routes) {
    for (const token of [operatorToken, customer.token]) {
      await send(route, token, true).catch(() => undefined)
    }
  }
  await vigil.door.close()
  legacy.close()
  await log.close()
  const text = readFileSync(file, 'utf8')
  rmSync(folder, { recursive: true })
  rmSync(vigil.folder, { recursive: true })

  const unanswered = [...answered].filter(([, status]) => status < 200 || status > 299)
  expect(unanswered).toEqual([])
  expect(
    text.split('\n').filter((line) => line.includes('"msg":"request"')).length,
  ).toBeGreaterThan(sent)
  const tokens = [kept.refreshToken, kept.proof, kept.accessToken, operatorToken, customer.token]
  const leaked = [...Object.values(secrets), ...tokens].filter((secret) => text.includes(secret))
  expect(leaked).toEqual([])
})
