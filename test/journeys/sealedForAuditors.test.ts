/**
 * A token with the scope `audit` alone reads everything of its account but persons: they are sealed on every route it
 * may ask.
 */

import { beforeAll, expect, test } from 'vitest'
import type { Scope } from '../../src/domain/principal.ts'
import type { Route } from '../../src/http/request/route.ts'
import { listRoutes } from '../../src/http/routes.ts'
import { openCustomer, operatorToken, sendAs } from '../support/openVigil.ts'
import { projectedHead } from '../support/projectedHead.ts'
import { newApp } from '../support/startSession.ts'
import { openDay } from './support/openDay.ts'
import type { Asked, Recorder } from './support/recordExamples.ts'

const { vigil, recorder, live } = await openDay()
const routes = new Map(listRoutes().map((route) => [route.operationId, route]))

/**
 * Of the persons of the day: numbers, addresses, what they are on lists for, their devices and what the shop says of
 * them.
 */
const marks = [
  ...['+33612345678', '+33698765432', '+33698765433', 'ada@example.com', 'ann@example.com'],
  ...['203.0.113.0/24', '2001:db8::/32', 'Paris', '192.0.2.7', 'iPhone17,2', 'iPhone 15'],
  ...['0198c0de-7f4a-7b2c-9d1e-3a5b7c9d1e3f', 'signup-4711', '90017731', '"4712"'],
]

/** Whether an auditor may ask it, and it changes nothing. */
const isOfAuditors = ({ admits, method, operationId }: Route): boolean =>
  typeof admits === 'object' &&
  'scopes' in admits &&
  admits.scopes.includes('audit') &&
  (method === 'GET' || operationId === 'replayEvaluation')

type Answer = Readonly<Record<'operation' | 'text', string>> & { readonly status: number }
const sealedAnswers: Answer[] = []
const openAnswers: Answer[] = []
let account = ''
const tokens = new Map<string, string>()

async function tokenWith(...scopes: readonly Scope[]): Promise<string> {
  const path = `/v2/operator/accounts/${account}/tokens`
  const { body } = await sendAs(vigil, operatorToken)('POST', path, { scopes })
  return String(body['token'])
}

async function askAsAuditor(operation: string, asked: Omit<Asked, 'operation'>): Promise<void> {
  const route = routes.get(operation)
  if (!route || !isOfAuditors(route)) return
  for (const [scopes, answers] of [
    ['audit', sealedAnswers],
    ['both', openAnswers],
  ] as const) {
    const token = tokens.get(scopes) ?? ''
    const { status, text } = await recorder.send({ ...asked, operation, token })
    answers.push({ operation, status, text: text ?? '' })
  }
}

/** What is to be read before the person is erased. */
async function readEverything(): Promise<void> {
  await askAsAuditor('listState', { parameters: { limit: '200' } })
  await askAsAuditor('listDifference', { parameters: { from: '1', limit: '200' } })
  await askAsAuditor('listEvents', { parameters: { after: '0', limit: '200' } })
  await askAsAuditor('listEvents', { parameters: { phone_number: marks[0] ?? '' } })
}

beforeAll(async () => {
  const ask: Recorder['ask'] = async (asked) => {
    const { operation, parameters = {} } = asked
    if (operation === 'startReplay') await readEverything()
    const marked = JSON.parse(JSON.stringify(asked).replaceAll('"900"', '"90017731"')) as Asked
    const answer = await recorder.ask(marked)
    if (operation === 'openAccount') {
      account = String(answer['account_id'])
      tokens.set('audit', await tokenWith('audit'))
      tokens.set('both', await tokenWith('audit', 'analyse'))
    }
    await askAsAuditor(operation, marked)
    if (operation === 'startSession') await askAsAuditor('listUserSessions', { parameters })
    if (operation === 'startSession')
      await askAsAuditor('listUsers', { parameters: { appID: parameters['appID'] ?? '' } })
    return answer
  }
  await live({ ask, refused: async () => undefined })
})

test('when it asks every route that it may, then all are answered, and none has been left out', () => {
  const asked = new Set(sealedAnswers.map(({ operation }) => operation))
  const open = [...routes.values()].filter(isOfAuditors).map(({ operationId }) => operationId)
  expect(open.filter((operation) => !asked.has(operation))).toEqual([])
  expect(sealedAnswers.filter(({ status }) => status !== 200)).toEqual([])
})

test('then no answer has anything of a person in clear', () => {
  const telling = sealedAnswers.flatMap(({ operation, text }) =>
    marks.filter((mark) => text.includes(mark)).map((mark) => `${operation}: ${mark}`),
  )
  expect([...new Set(telling)]).toEqual([])
})

/**
 * What names no person, and where it is shown: the words of the account, what became of an evaluation, ids and times.
 */
const inClear = {
  getEvaluation: ['Large cart', 'double(signal.ext.cart_total) > 500.0', 'TRIGGERED', 'FLAG'],
  listRules: ['Large cart', 'rul_', 'ver_'],
  listRecipes: ['Checkout, stricter', 'rcp_'],
  listTemplates: ['Ada Shop'],
  getList: ['Where our own people are'],
  getErasure: ['Ticket 4711', 'requested_at'],
  listEvents: ['recorded_at', 'signal.ext.cart_total', 'digest'],
} as const

test.each(Object.entries(inClear))(
  'then %s has in clear what names no person',
  (operation, words) => {
    const texts = sealedAnswers.filter((answer) => answer.operation === operation)
    const untold = words.filter(
      (word) => !texts.some(({ text }) => text.includes(JSON.stringify(word).slice(1, -1))),
    )
    expect(untold).toEqual([])
  },
)

/** Where a person is, each with a mark that a token which may also analyse is shown there. */
const opened = {
  getEvaluation: '90017731',
  compareEvaluations: 'ada@example.com',
  listListEntryHistory: 'Paris',
  listFeedback: '+33612345678',
  listReportedEvents: '+33612345678',
  getUser: 'ann@example.com',
  listUsers: 'ann@example.com',
  listUserSessions: 'iPhone 15',
  listState: '+33698765433',
  listDifference: '+33698765433',
  listEvents: '+33612345678',
} as const

test.each(Object.entries(opened))(
  '%s says of what is sealed that it is, and opens it with analyse',
  (operation, mark) => {
    const of = (answers: readonly Answer[]) =>
      answers.filter((answer) => answer.operation === operation).map(({ text }) => text)
    expect(of(sealedAnswers).some((text) => text.includes('{"sealed":true}'))).toBe(true)
    expect(of(openAnswers).some((text) => text.includes(mark))).toBe(true)
  },
)

test('whoever is shown a person by any of them is on record', async () => {
  await projectedHead(vigil)
  const query = 'type=PersonOpened&limit=200'
  const send = sendAs(vigil, tokens.get('both') ?? '')
  const { body } = await send('GET', `/v2/watch/audit/events?${query}`)
  const events = body['events'] as readonly { readonly content: { readonly operation: string } }[]
  const recorded = new Set(events.map(({ content }) => content.operation))

  // the history that is asked for is that of a network
  const ofPersons = Object.keys(opened).filter((name) => name !== 'listListEntryHistory')
  expect(ofPersons.filter((operation) => !recorded.has(operation))).toEqual([])
})

test('users, their sessions and lists are in clear for whoever manages them, and with analyse on any route that the token opens', async () => {
  const shop = await openCustomer(vigil)
  const number = '+33612345678'
  const app = await newApp(shop)
  const identifiers = [{ type: 'phone_number', value: number }]
  const user = `${app}/users/${(await shop.send('POST', `${app}/users`, { identifiers })).body['id']}`
  const device_model = 'iPhone 15'
  await shop.send('POST', `${user}/sessions`, { device_type: 'IOS', device_model })
  const block = '/v2/verification/management/phone-numbers/block'
  await shop.send('POST', block, { phone_number: number })
  const list = `/v2/watch/management/lists/${await shop.list('vip', 'phone_number')}/entries`
  await shop.send('POST', list, { value: number })
  const paths = [user, `${user}/sessions`, block, list]
  const shownTo = async (...some: readonly Scope[]) => {
    const send = sendAs(vigil, await shop.tokenWith(some))
    const answers = await Promise.all(paths.map((path) => send('GET', path)))
    return answers.map(({ status, text }) => {
      if (status === 403) return 'closed'
      if (text.includes('{"sealed":true}')) return 'sealed'
      return text.includes(number) || text.includes(device_model) ? 'clear' : text
    })
  }

  expect(await shownTo('audit')).toEqual(['sealed', 'sealed', 'closed', 'closed'])
  expect(await shownTo('manage')).toEqual(['clear', 'clear', 'clear', 'closed'])
  expect(await shownTo('author')).toEqual(['closed', 'closed', 'closed', 'clear'])
  expect(await shownTo('audit', 'manage')).toEqual(['clear', 'clear', 'clear', 'closed'])
  expect(await shownTo('audit', 'analyse')).toEqual(['clear', 'clear', 'closed', 'closed'])
})
