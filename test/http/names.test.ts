/** Names that people read: what is removed from them, what is refused, and how it is said. */

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findHiddenCharacter } from '../../src/domain/text/visibleName.ts'
import {
  type Customer,
  openCustomer,
  openVigil,
  operatorToken,
  sendAs,
  type Vigil,
} from '../support/openVigil.ts'

let vigil: Vigil
let customer: Customer
let operator: Customer['send']
let recipe: string

beforeAll(async () => {
  vigil = await openVigil()
  customer = await openCustomer(vigil)
  operator = sendAs(vigil, operatorToken)
  recipe = await customer.recipe([])
})
afterAll(() => vigil.close())

/** Every route that takes a name, and the field under which the answer or a later read shows it. */
const routes: readonly (readonly [string, (name: string) => ReturnType<Customer['send']>])[] = [
  ['an account', (name) => operator('POST', '/v2/operator/accounts', { name })],
  ['a token', (name) => operator('POST', `${accountPath()}/tokens`, { name, scopes: ['eval'] })],
  ['an SDK key', (name) => operator('POST', `${accountPath()}/sdk-keys`, { name })],
  ['an app', (name) => customer.send('POST', '/v2/session/apps', { name })],
  [
    'a template',
    (name) => customer.send('POST', '/v2/verification/management/templates', { name }),
  ],
  ['a rule', (name) => customer.send('POST', `${management}/rules`, { name, expression: 'true' })],
  [
    'a recipe',
    (name) =>
      customer.send('POST', `${management}/recipes`, {
        name,
        threshold: 50,
        status: 'DRAFT',
        rules: [],
      }),
  ],
  ['a flow', (name) => customer.send('POST', `${management}/flows`, { name, recipes: [recipe] })],
]
const management = '/v2/watch/management'
const accountPath = () => `/v2/operator/accounts/${customer.accountId}`

describe.each(routes)('the name of %s', (_, create) => {
  test('is kept without the white space around it', async () => {
    const { status, text } = await create(' \u00a0Large cart\n')

    expect([status, text]).toEqual([201, expect.not.stringContaining('Large cart\\n')])
  })

  test.each([
    ['Large\u200bcart', 'Must not contain U+200B, which is a control character or invisible.'],
    ['Large\u202ecart', 'Must not contain U+202E, which is a control character or invisible.'],
    ['Large\u0007cart', 'Must not contain U+0007, which is a control character or invisible.'],
    [' \u00a0\t', 'Must be a string of 1 to 128 characters.'],
    ['\u3164', 'Must not contain U+3164, which is a control character or invisible.'],
  ])('is refused as %j', async (name, message) => {
    const { status, body } = await create(name)

    expect({ status, details: body['details'] }).toEqual({
      status: 400,
      details: [{ path: 'name', message }],
    })
  })
})

test('a rule has its name without the white space around it, also from one write of several changes', async () => {
  const [one, two] = [' One\t', '\ufeffTwo '].map((name) => ({ name, expression: 'true' }))
  const first = await customer.send('POST', `${management}/rules`, one)
  const rules = [{ content: two }]
  const changed = await customer.send('POST', `${management}/changes`, { rules })
  const listed = await customer.send('GET', `${management}/rules`)

  expect([first.body['name'], changed.status]).toEqual(['One', 200])
  expect(listed.text).toContain('"Two"')
})

test.each([
  'Ünïcödé, 日本語, عربي',
  'می\u200cخواهم',
  '👩\u200d👩\u200d👧 family',
  '❤\ufe0f and 1\ufe0f\u20e3',
  '🏳\ufe0f\u200d🌈',
])('%s has only characters that are shown', (name) => {
  expect(findHiddenCharacter(name)).toBeUndefined()
})

test.each([
  ['a\u200d', 'U+200D'],
  ['\u200ca', 'U+200C'],
  ['a \u200d b', 'U+200D'],
  ['\ufe0f', 'U+FE0F'],
  ['a\ufe0f\ufe0f', 'U+FE0F'],
  ['a\u00adb', 'U+00AD'],
  ['a\ud800b', 'U+D800'],
  ['a\u{e0061}', 'U+E0061'],
  ['\u2800', 'U+2800'],
  ['a\u2028b', 'U+2028'],
])('%j has a character that is not shown: %s', (name, character) => {
  expect(findHiddenCharacter(name)).toBe(character)
})
