/** A day of a shop and of its operator, in which everything is asked that can be asked. */

import type { Recorder } from './recordExamples.ts'
import { manageApps, migrateUsers, operateApps, refuseApps, serveUsers } from './shopApps.ts'

type Parameters = Readonly<Record<string, string>>
type Ask = (
  operation: string,
  parameters?: Parameters,
  body?: object | string,
) => Promise<Readonly<Record<string, unknown>>>

interface Thing {
  readonly id: string
  readonly version_id: string
}

interface Things {
  readonly rule: Thing
  readonly recipe: Thing
  readonly shadow: Thing
  readonly flow: Thing
}

/** Asks every operation of the service at least once, and some of them for what they refuse. */
export async function liveThroughDay(recorder: Recorder, legacyUrl: string): Promise<void> {
  const operate = asking(recorder)
  const { token, account_id } = await openShop(recorder)
  const own = asking(recorder, token)
  await own('listSignals')
  await own('testRule', {}, { expression: large.expression, evidence })
  const things = await author(own)
  await change(own, things)
  await evaluate(own, things)
  await own('listLosses')
  await manageNumbers(own)
  await manageSenderIds(operate, own, account_id)
  await manageTemplates(own)
  await keepLists(own)
  await offerManaged(operate, own)
  await watch(operate)
  await remove(own, things)
  await manageApps(own)
  await operateApps(operate, account_id)
  await refuse(recorder, { token, ...things })
  await serveUsers(recorder, token)
  await migrateUsers(recorder, token, legacyUrl)
  await refuseApps(recorder, token)
  await erase(own)
  await setLabels(own)
  await importPast(own)
  await own('whoami')
}

function asking({ ask }: Recorder, token?: string): Ask {
  return (operation, parameters, body) =>
    ask({
      operation,
      ...(token !== undefined && { token }),
      ...(parameters && { parameters }),
      ...(body && { body }),
    })
}

async function made(ask: Ask, operation: string, body: object): Promise<Thing> {
  const { id, version_id } = await ask(operation, {}, body)
  return { id: String(id), version_id: String(version_id) }
}

const dispatchId = '0198c0de-7f4a-7b2c-9d1e-3a5b7c9d1e3f'
const pageDispatchId = '0198c0df-1c2d-7e3f-8a4b-5c6d7e8f9a0b'
const device = { device_platform: 'ios', device_model: 'iPhone17,2', ip: '192.0.2.7' }
const target = { phone_number: '+33612345678', email_address: 'ada@example.com' }
const signals = { app_version: '4.2.0', existing_user: false, ext: { cart_total: '900' } }
const evidence = { target, signals }

const large = {
  name: 'Large cart of a new customer',
  expression: 'double(signal.ext.cart_total) > 500.0 && !signal.existing_user',
}
const browser = { name: 'In a browser', expression: 'signal.device_platform == "web"' }
const checkout = { name: 'Checkout', status: 'LIVE', threshold: 50 }
const stricter = { name: 'Checkout, stricter', status: 'SHADOW', threshold: 30 }

async function openShop(
  recorder: Recorder,
): Promise<Readonly<Record<'token' | 'account_id', string>>> {
  const operate = asking(recorder)
  const { account_id: account } = await operate('openAccount', {}, { name: 'Corner shop' })
  const account_id = String(account)
  await operate(
    'setAccess',
    { account_id },
    { authoring: true, management: true, trusted_user: true, custom_suffix: true },
  )
  const scopes = ['eval', 'feedback', 'manage', 'author', 'analyse', 'audit']
  const { token } = await operate('issueToken', { account_id }, { scopes })
  const { token_id } = await operate('issueToken', { account_id }, { scopes: ['eval'] })
  await operate('revokeToken', { account_id, token_id: String(token_id) })
  await sendSignals(recorder, account_id)
  await operate('recordDispatch', { account_id }, { dispatch_id: dispatchId, signals: device })
  await operate('getAccount', { account_id })
  await operate('listAccounts', { limit: '1' })
  return { token: String(token), account_id }
}

/** What a page of the shop sends by itself. */
async function sendSignals(recorder: Recorder, account_id: string): Promise<void> {
  const operate = asking(recorder)
  const issued = await operate('issueSdkKey', { account_id }, { name: 'Web shop' })
  const restricted = { account_id, key_id: String(issued['key_id']) }
  await operate('setSdkKeyOrigins', restricted, { origins: ['https://shop.example'] })
  const { sdk_key } = await operate('setSdkKeyOrigins', restricted, { origins: [] })
  await asking(recorder, String(sdk_key))(
    'dispatchSignals',
    {},
    { dispatch_id: pageDispatchId, signals: { device_platform: 'web', app_version: '4.2.0' } },
  )
  const { key_id } = await operate('issueSdkKey', { account_id }, { name: 'Old app' })
  await operate('revokeSdkKey', { account_id, key_id: String(key_id) })
}

async function author(own: Ask): Promise<Things> {
  const rule = await made(own, 'createRule', { ...large, name: 'Large cart' })
  const other = await made(own, 'createRule', browser)
  const recipe = await made(own, 'createRecipe', {
    ...checkout,
    rules: [{ rule_id: rule.id, weight: 60 }],
  })
  const shadow = await made(own, 'createRecipe', {
    ...stricter,
    rules: [
      { rule_id: rule.id, weight: 40 },
      { rule_id: other.id, weight: 40, preempts: 'FLAG' },
    ],
  })
  const flow = await made(own, 'createFlow', { name: 'Checkout', recipes: [recipe.id] })
  return { rule, recipe, shadow, flow }
}

/** Each of them replaced, looked at and put back; then all of them at once. */
async function change(own: Ask, { rule, recipe, shadow, flow }: Things): Promise<void> {
  const members = [{ rule_id: rule.id, weight: 60 }]
  const recipes = [recipe.id, shadow.id]
  const cycles = [
    ['Rule', rule, large],
    ['Recipe', recipe, { ...checkout, threshold: 55, rules: members }],
    ['Flow', flow, { name: 'Checkout', recipes }],
  ] as const
  for (const [noun, thing, content] of cycles) {
    const { id } = thing
    await own(`replace${noun}`, { id }, content)
    await own(`restore${noun}Version`, { ...thing })
    await own(`list${noun}Versions`, { id, limit: '3' })
    await own(`get${noun}`, { id })
    await own(`list${noun}s`, { limit: '2' })
  }
  await own('testFlow', { id: flow.id, explain: 'rules' }, evidence)
  const trusted = { name: 'Trusted', expression: 'signal.is_trusted_user' }
  await own(
    'changeRulebook',
    {},
    {
      rules: [{ id: rule.id, content: large }, { content: trusted }],
      recipes: [
        {
          id: recipe.id,
          content: { ...checkout, rules: [...members, { rule_id: 'rules.1', weight: -20 }] },
        },
      ],
      flows: [{ id: flow.id, content: { name: 'Checkout', recipes } }],
    },
  )
}

async function evaluate(own: Ask, { rule, recipe, shadow, flow }: Things): Promise<void> {
  const asked = { flow_id: flow.id, dispatch_id: dispatchId, ...evidence }
  const { id } = await own('evaluateFlow', {}, asked)
  const evaluation_id = String(id)
  const record = await own('getEvaluation', { evaluation_id, explain: 'expressions' })
  const { position, flow_version_id } = record
  await own('replayEvaluation', { evaluation_id }, { as_of: String(position) })
  await own('setPredictionFlow', {}, { flow_id: flow.id })
  await own('getPredictionFlow')
  const typed = { type: 'phone_number', value: target.phone_number }
  const metadata = { correlation_id: 'signup-4711' }
  const predicted = await own('predict', {}, { target: typed, metadata })
  await own('compareEvaluations', { evaluation_id, with: String(predicted['id']) })
  await own('clearPredictionFlow')
  await report(own, evaluation_id)
  await search(own)
  await own('listEvaluations', { flow_id: flow.id, verdict: 'FLAG', limit: '10' })
  await own('listTopValues', { name: 'phone_country', limit: '5' })
  await own('reportMissing')
  await own('compareRecipes', { id: recipe.id, with: shadow.id })
  const reweighed = { flow_id: flow.id, recipe_id: recipe.id, threshold: 70 }
  const { id: backtest_id } = await own('startBacktest', {}, reweighed)
  await own('getBacktest', { backtest_id: String(backtest_id) })
  await own('listBacktests')
  await own('cancelBacktest', { backtest_id: String(backtest_id) })
  await own('resumeBacktest', { backtest_id: String(backtest_id) }, reweighed)
  await own('previewBacktest', {}, { flow_id: flow.id, recipe_id: recipe.id, threshold: 70 })
  await own('listVersionVerdicts', { version_id: String(flow_version_id) })
  await own('reportRules', { flow_id: flow.id })
  await own('getStatistics', { flow_id: flow.id })
  await own('getRuleUsage', { id: rule.id })
  await review(own, flow.id)
}

async function report(own: Ask, evaluation_id: string): Promise<void> {
  const phone = { type: 'phone_number', value: target.phone_number }
  const metadata = { correlation_id: 'signup-4711' }
  const started = { target: phone, type: 'verification.started', metadata }
  const completed = { ...started, type: 'verification.completed' }
  await own(
    'sendFeedback',
    {},
    { feedbacks: [{ ...started, dispatch_id: dispatchId, signals: device }, completed] },
  )
  const chargeback = { target: phone, label: 'payment.chargeback', confidence: 'maximum' }
  const said = { evaluation_id, amount: '129.90', currency: 'EUR' }
  const occurred_at = '2026-11-21T10:30:45+01:00'
  await own('reportEvents', {}, { events: [{ ...chargeback, ...said, occurred_at }] })
}

/** One of the shop takes what its search finds, and answers it twice. */
async function review(own: Ask, flow_id: string): Promise<void> {
  const search = await own('saveSearch', {}, { name: 'Flagged', where: 'verdict = FLAG', flow_id })
  const search_id = String(search['id'])
  await own('listSearches')
  const taken = await own('takeReview', { search_id }, {})
  const { evaluation_id } = taken['review'] as Readonly<Record<string, unknown>>
  await own('getReviewQueue', { search_id })
  const note = 'The same card as the order before.'
  await own('answerReview', { search_id }, { evaluation_id, answer: 'fraud', note })
  await own('answerReview', { search_id }, { evaluation_id, answer: 'withdrawn' })
  await own('deleteSearch', { search_id })
}

async function setLabels(own: Ask): Promise<void> {
  await own('getLabelClasses')
  const classes = [{ label: 'chargeback', class: 'fraud' }]
  await own('setLabelClasses', {}, { classes })
}

async function importPast(own: Ask): Promise<void> {
  const { flow } = await author(own)
  const rows = [
    {
      ...{ id: 'order-4711', flow_id: flow.id, occurred_at: '2025-11-20T10:00:00Z', ...evidence },
      labels: [{ label: 'payment.chargeback', confidence: 'maximum' }],
    },
    { id: 'order-4712', flow_id: flow.id, occurred_at: 'in November', target },
  ]
  const lines = rows.map((row) => `${JSON.stringify(row)}\n`).join('')
  await own('importEvaluations', { dry_run: 'false' }, lines)
}

const listedNumber = '+33698765432'
const importFile = `{"phone_number":"${listedNumber}","reason":"chargeback"}
{"phone_number":"+33698765433"}
{"phone_number":"06 12 34"}
`

async function erase(own: Ask): Promise<void> {
  const { id: replay_id } = await own('startReplay', {}, { from: '2026-11-01T00:00:00Z' })
  await own('getReplay', { replay_id: String(replay_id) })
  await own('listReplays')
  await own('cancelReplay', { replay_id: String(replay_id) })
  const { phone_number } = target
  const { id } = await own('eraseSubject', {}, { phone_number, reason: 'Ticket 4711' })
  await own('getErasure', { erasure_id: String(id) })
  await own('setRetention', {}, { evaluations_days: 400 })
  await own('getRetention')
  await own('listState', { kind: 'retention' })
  await own('listDifference', { from: '1', kind: 'retention' })
  await own('endRetention')
  await own('listEvents', { stream_type: 'retention', limit: '2' })
}

async function manageNumbers(own: Ask): Promise<void> {
  const list = { action: 'block' }
  const reason = 'chargeback'
  await own('addPhoneNumber', list, { phone_number: listedNumber, reason })
  await own('listPhoneNumbers', { ...list, limit: '10' })
  await own('importPhoneNumbers', list, importFile)
  await own('exportPhoneNumbers', { ...list, format: 'ndjson' })
  await own('listPhoneNumberHistory', { ...list, phone_number: listedNumber })
  await own('deletePhoneNumber', list, { phone_number: listedNumber })
}

async function manageSenderIds(operate: Ask, own: Ask, account_id: string): Promise<void> {
  const [sender_id, other] = ['Ada Shop', 'Other Bank']
  await own('submitSenderId', {}, { sender_id })
  await own('submitSenderId', {}, { sender_id: other })
  await operate('listSubmittedSenderIds', { status: 'pending', limit: '1' })
  await operate('approveSenderId', { account_id }, { sender_id, reason: 'The name of the shop.' })
  const reason = 'Registered by another company.'
  await operate('rejectSenderId', { account_id }, { sender_id: other, reason })
  await own('listSenderIds')
}

async function manageTemplates(own: Ask): Promise<void> {
  const created = await own('createTemplate', {}, { name: 'Ada Shop', suffix: 'Ada Shop' })
  const template = { template_id: String(created['id']) }
  await own('updateTemplate', template, { ttl_minutes: 5, suffix: null })
  await own('getTemplate', template)
  await own('listTemplates')
  await own('deleteTemplate', template)
}

const officesFile = `{"value":"203.0.113.0/24","reason":"Paris"}
{"value":"2001:DB8::/32"}
{"value":"somewhere"}
`

async function keepLists(own: Ask): Promise<void> {
  const made = await own('createList', {}, { name: 'offices', kind: 'ip_range' })
  const list = { id: String(made['id']) }
  await own('changeList', list, { description: 'Where our own people are' })
  await own('getList', list)
  await own('listLists', { limit: '2' })
  await own('addListEntry', list, { value: '203.0.113.0/24', reason: 'Paris' })
  await own('importListEntries', list, officesFile)
  await own('listListEntries', { ...list, limit: '10' })
  await own('exportListEntries', { ...list, format: 'ndjson' })
  await own('listListEntryHistory', { ...list, value: '203.0.113.0/24' })
  await own('deleteListEntry', list, { value: '203.0.113.0/24' })
  await own('deleteList', list)
}

async function search(own: Ask): Promise<void> {
  const { phone_number } = target
  await own('listFeedback', { phone_number, limit: '1' })
  await own('listReportedEvents', { phone_number, label: 'payment.chargeback' })
  await own('listEvaluations', { phone_number, order: 'oldest' })
  const columns = 'verdict,score,rules,signal.ip,ext.cart_total,labels'
  await own('exportEvaluations', { where: 'verdict = FLAG', columns })
  await own('exportFeedback', { phone_number, columns: 'received_at,type,target,correlation_id' })
  await own('exportReportedEvents', { label: 'payment.chargeback' })
}

const managedRule = {
  name: 'Foreign number',
  description: 'The number belongs to another country than that of the shop.',
  expression: 'phoneCountry(target.phone_number) != param.home_country',
  parameters: [{ name: 'home_country', type: 'STRING' }],
}
const managedRecipe = {
  name: 'Numbers from abroad',
  description: 'For shops that sell at home.',
  threshold: 50,
  threshold_bounds: { min: 20, max: 80 },
  parameters: [{ name: 'home_country', type: 'STRING', default_value: 'FR' }],
}

async function offerManaged(operate: Ask, own: Ask): Promise<void> {
  const rule = await made(operate, 'createManagedRule', managedRule)
  const content = { ...managedRecipe, rules: [{ rule_id: rule.id, weight: 60 }] }
  const recipe = await made(operate, 'createManagedRecipe', content)
  const cycles = [
    ['Rule', rule, { ...managedRule, name: 'A number from abroad' }],
    ['Recipe', recipe, { ...content, threshold: 60 }],
  ] as const
  for (const [noun, thing, changed] of cycles) {
    const { id } = thing
    await operate(`replaceManaged${noun}`, { id }, changed)
    await operate(`restoreManaged${noun}Version`, { ...thing })
    await operate(`listManaged${noun}Versions`, { id, limit: '3' })
    await operate(`getManaged${noun}`, { id })
    await operate(`listOperator${noun}s`, { limit: '1' })
    await own(`listManaged${noun}s`, { limit: '1' })
  }
  await operate('deleteManagedRecipe', { id: recipe.id })
  await operate('deleteManagedRule', { id: rule.id })
}

async function watch(operate: Ask): Promise<void> {
  for (const operation of ['live', 'ready', 'getMetrics', 'getInterfaceDescription']) {
    await operate(operation)
  }
  await operate('listProjections')
  await operate('retryProjection', { name: 'rules' })
}

async function remove(own: Ask, { flow }: Things): Promise<void> {
  const rule = await made(own, 'createRule', browser)
  const recipe = await made(own, 'createRecipe', { ...checkout, rules: [] })
  await own('deleteRecipe', { id: recipe.id })
  await own('deleteRule', { id: rule.id })
  await own('deleteFlow', { id: flow.id })
}

async function refuse(
  { refused }: Recorder,
  { token, rule, flow }: Things & { readonly token: string },
): Promise<void> {
  const { id } = rule
  await refused(400, {
    operation: 'evaluateFlow',
    token,
    body: { flow_id: flow.id, target: { phone_number: '06 12 34' }, signals: { ip: '10.0.0' } },
  })
  await refused(400, {
    operation: 'sendFeedback',
    token,
    body: {
      feedbacks: [{ target: { type: 'phone_number', value: '+1' }, type: 'verification.stopped' }],
    },
  })
  await refused(400, { operation: 'listEvaluations', token, parameters: { phone_numbr: '1' } })
  const pretending = { name: 'Ada Shop', suffix: 'PayPal' }
  await refused(400, { operation: 'createTemplate', token, body: pretending })
  const template_id = `template_${'0'.repeat(26)}`
  await refused(404, { operation: 'getTemplate', token, parameters: { template_id } })
  await refused(400, { operation: 'submitSenderId', token, body: { sender_id: 'Ada’s Shop' } })
  await refused(400, {
    operation: 'createRule',
    token,
    body: { ...large, expression: 'signal.existing_usr && true' },
  })
  await refused(401, { operation: 'evaluateFlow', token: 'vgl_unknown', body: {} })
  await refused(403, { operation: 'openAccount', token, body: { name: 'Corner shop' } })
  await refused(404, { operation: 'getFlow', token, parameters: { id: flow.id } })
  await refused(409, { operation: 'deleteRule', token, parameters: { id } })
}
