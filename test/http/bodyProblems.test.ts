/**
 * What is wrong with a body is named by its place, all of it at once, and the service is not asked. What the service
 * makes of a good one, journeys show.
 */

import { expect, test } from 'vitest'
import { openDoorOfFile } from '../support/openOfFile.ts'
import { pathOf, routes, wayInto } from './support/everyRoute.ts'
import { everyScope, ids, memoryService, operatorToken } from './support/memoryService.ts'

const door = await openDoorOfFile(memoryService())

const management = '/v2/watch/management'
const managed = '/v2/operator/managed'
const account = `/v2/operator/accounts/${ids.account}`
const dispatch_id = 'd'.repeat(36)
const recipe = { name: 'signup', status: 'SHADOW', threshold: 50, rules: [] }
const extended = { ...recipe, base_recipe_id: ids.recipe }
const flow = { name: 'signup', recipes: [ids.recipe] }
const managedRule = { name: 'n', description: 'd', expression: 'list.block' }
const managedRecipe = {
  description: 'd',
  threshold: 50,
  threshold_bounds: { min: 1, max: 99 },
  rules: [],
}
const parameter = { name: 'x', type: 'INT', default_value: null, value_min: '1', values: [] }
const target = { type: 'phone_number', value: '+33612345678' }
const sample = {
  target: { phone_number: '12', email_address: 'nobody' },
  signals: { ip: '10.0.0' },
  time: 'yesterday',
}
const sampleMistakes = ['signals.ip', 'target.email_address', 'target.phone_number', 'time']
const tryFlow = `${management}/flows/${ids.flow}/test`
const replays = '/v2/watch/audit/replays'
const erase = '/v2/watch/subjects/erase'
const feedback = { target, type: 'verification.started' }
const many = <Entry>(count: number, entry: Entry) => Array.from({ length: count }, () => entry)

test.each<readonly [what: string, path: string, body: object, places: readonly string[]]>([
  [
    'a rule with a misspelt field and nothing else',
    `${management}/rules`,
    { nmae: 1 },
    ['expression', 'nmae'],
  ],
  [
    'a recipe with a misspelt field and nothing else',
    `${management}/recipes`,
    { nmae: 1 },
    ['nmae', 'rules', 'status', 'threshold'],
  ],
  [
    'a flow with a misspelt field and nothing else',
    `${management}/flows`,
    { nmae: 1 },
    ['nmae', 'recipes'],
  ],
  [
    'a recipe with problems deep inside',
    `${management}/recipes`,
    {
      name: 'x'.repeat(129),
      status: 'ON',
      threshold: 1.5,
      rules: [
        { weight: 2 ** 53 },
        { rule_id: ids.rule, weight: 1, preempts: 'MAYBE', wieght: 2 },
        { rule_id: '', weight: '1' },
      ],
    },
    [
      'name',
      'rules.0.rule_id',
      'rules.0.weight',
      'rules.1.preempts',
      'rules.1.wieght',
      'rules.2.rule_id',
      'rules.2.weight',
      'status',
      'threshold',
    ],
  ],
  [
    'a recipe of 501 rules',
    `${management}/recipes`,
    { ...recipe, rules: many(501, { rule_id: ids.rule, weight: 1 }) },
    ['rules'],
  ],
  [
    'a recipe with a list and a long text as parameters',
    `${management}/recipes`,
    { ...extended, parameters: { a: ['x'], b: 'x'.repeat(1025) } },
    ['parameters.a', 'parameters.b'],
  ],
  [
    'a flow of 51 recipes',
    `${management}/flows`,
    { ...flow, recipes: many(51, ids.recipe) },
    ['recipes'],
  ],
  ['a flow of no recipe', `${management}/flows`, { ...flow, recipes: [] }, ['recipes']],
  [
    'a managed rule without anything',
    `${managed}/rules`,
    {},
    ['description', 'expression', 'name'],
  ],
  [
    'a managed rule with a colour and wrong parameters',
    `${managed}/rules`,
    {
      ...managedRule,
      name: '',
      colour: 'red',
      parameters: [{ name: 'Upper', type: 'ENUM' }, { name: 'x' }],
    },
    ['colour', 'name', 'parameters.0.name', 'parameters.0.type', 'parameters.1.type'],
  ],
  [
    'a managed recipe that pins a rule and bounds half',
    `${managed}/recipes`,
    {
      ...managedRecipe,
      threshold_bounds: { min: 1 },
      parameters: [parameter],
      rules: [{ rule_id: ids.rule, weight: 5, version_id: ids.version }],
    },
    [
      'parameters.0.default_value',
      'parameters.0.value_min',
      'parameters.0.values',
      'rules.0.version_id',
      'threshold_bounds.max',
    ],
  ],
  ['an account without a name', '/v2/operator/accounts', {}, ['name']],
  ['an account with an empty name', '/v2/operator/accounts', { name: '' }, ['name']],
  ['an access that says nothing', `${account}/access`, {}, ['']],
  ['an unknown scope', `${account}/tokens`, { scopes: ['root'] }, ['scopes.0']],
  ['a scope named twice', `${account}/tokens`, { scopes: ['eval', 'eval'] }, ['scopes']],
  ['a token without scopes', `${account}/tokens`, { scopes: [] }, ['scopes']],
  [
    'a dispatch from a private address',
    `${account}/dispatches`,
    { dispatch_id, signals: { ip: '10.0.0.1' } },
    ['signals.ip'],
  ],
  [
    'a dispatch with a signal that no front end has',
    `${account}/dispatches`,
    { dispatch_id, signals: { existing_user: true } },
    ['signals.existing_user'],
  ],
  [
    'feedback with a mistake in every field',
    '/v2/watch/feedback',
    {
      feedbacks: [
        { type: 'verification.started' },
        { ...feedback, signals: { ip: '10.0.0.1' } },
        {
          ...{ ...feedback, type: 'verification.stopped', dispatch_id: 'short' },
          signals: { device_platform: 'amiga' },
          metadata: { correlation_id: 'c'.repeat(65) },
        },
      ],
    },
    [
      ...['feedbacks.0.target', 'feedbacks.1.signals.ip', 'feedbacks.2.dispatch_id'],
      'feedbacks.2.metadata.correlation_id',
      ...['feedbacks.2.signals.device_platform', 'feedbacks.2.type'],
    ],
  ],
  [
    'an event that may name a person, or of no known confidence',
    '/v2/watch/event',
    {
      events: [
        ...['account banned', 'ann@example.com', '', 'l'.repeat(129)].map((label) => ({
          ...{ target, label, confidence: 'high' },
        })),
        { target, label: 'account.banned', confidence: 'sure' },
      ],
    },
    [
      ...['events.0.label', 'events.1.label', 'events.2.label', 'events.3.label'],
      'events.4.confidence',
    ],
  ],
  [
    'a prediction with a mistake in every field',
    '/v2/watch/predict',
    {
      target: { type: 'phone_number', value: '06' },
      signals: { ip: '10.0.0' },
      dispatch_id: 'short',
      metadata: { correlation_id: 'c'.repeat(65) },
    },
    ['dispatch_id', 'metadata.correlation_id', 'signals.ip', 'target.value'],
  ],
  ['a retention of no day', '/v2/watch/retention', { evaluations_days: 0 }, ['evaluations_days']],
  [
    'a replay of no flow and no time',
    replays,
    { flow_id: ids.rule, from: '1' },
    ['flow_id', 'from'],
  ],
  ['a replay behind no position', replays, { after: '-1' }, ['after']],
  ['an erasure of nobody', erase, {}, ['phone_number']],
  ['an erasure of what is no number', erase, { phone_number: '12' }, ['phone_number']],
  ['an erasure of what is no user', erase, { user: { app_id: 'a', user_id: 'b' } }, ['user']],
  [
    'an erasure of two persons, with a reason of two lines',
    erase,
    { phone_number: '+33612345678', email_address: 'ann@example.com', reason: 'a\nb' },
    ['email_address', 'reason'],
  ],
  [
    'a rule tried with a sample that is wrong',
    `${management}/rules/test`,
    { expression: '1 == 1', evidence: { ...sample, dispatch_signals: { ip: '::1' } } },
    ['dispatch_signals.ip', ...sampleMistakes].map((place) => `evidence.${place}`),
  ],
  [
    'a rule tried with an unknown list',
    `${management}/rules/test`,
    { expression: '1 == 1', evidence: { lists: { grey: true } } },
    ['evidence.lists.grey'],
  ],
  ['a flow tried without a target', tryFlow, {}, ['target']],
  ['a flow tried with a sample that is wrong', tryFlow, sample, sampleMistakes],
])('%s is refused', async (...row) => {
  const [, path, body, places] = row

  const received = await door.request(/(?:access|retention)$/.test(path) ? 'PUT' : 'POST', path, {
    token: path.startsWith('/v2/operator/') ? operatorToken : everyScope,
    body,
  })

  expect(received.status).toBe(400)
  const details = received.body['details'] as readonly { readonly path: string }[]
  expect(details.map((detail) => detail.path).toSorted()).toEqual(places)
})

const needingBody = routes.filter(
  ({ body: { schema, contentTypes, mayBeAbsent = false } }) =>
    !mayBeAbsent && (schema !== undefined || contentTypes !== undefined),
)

test.each(needingBody.map((route) => [route.method, route.path, route] as const))(
  '%s %s without a body is refused, also where nothing in it is required',
  async (method, _path, route) => {
    const types = Object.keys(route.body.contentTypes ?? {})
    const { headers, ...way } = wayInto(route)
    const asked = await door.request(method, pathOf(route), {
      ...way,
      headers: { ...headers, 'content-type': types[0] ?? 'application/json' },
    })

    expect([asked.status, asked.body['code']]).toEqual([400, 'invalid_request'])
  },
)
