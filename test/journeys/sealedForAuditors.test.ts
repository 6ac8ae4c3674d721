/** A token with the scope `audit` alone reads everything of its account but persons: they are sealed on every route it may ask. */

import { beforeAll, expect, test } from 'vitest'
import type { Scope } from '../../src/domain/principal.ts'
import type { Route } from '../../src/http/request/route.ts'
import { listRoutes } from '../../src/http/routes.ts'
import { operatorToken, sendAs } from '../support/openVigil.ts'
import { openDay } from './support/openDay.ts'
import type { Asked, Recorder } from './support/recordExamples.ts'

const { vigil, recorder, live } = await openDay()
const routes = new Map(listRoutes().map((route) => [route.operationId, route]))

/** Of the persons of the day: numbers, addresses, what they are on lists for, their devices and what the shop says of them. */
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

test.each(Object.entries(opened))('%s says of what is sealed that it is', (operation, mark) => {
  const of = (answers: readonly Answer[]) =>
    answers.filter((answer) => answer.operation === operation).map(({ text }) => text)
  expect(of(sealedAnswers).some((text) => text.includes('{"sealed":true}'))).toBe(true)
  expect(of(openAnswers).some((text) => text.includes(mark))).toBe(true)
})
