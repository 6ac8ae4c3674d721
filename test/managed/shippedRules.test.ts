import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { isId, managedAccountId, shippedId } from '../../src/domain/ids.ts'
import { canonicalJson } from '../../src/domain/text/canonicalJson.ts'
import { bindParameters } from '../../src/engine/language/bindParameters.ts'
import type { RecipeParameter } from '../../src/events/rulebook/managedRulebook.ts'
import { disposableDomains, hostingNetworks, shippedRules } from '../../src/managed/shippedRules.ts'
import { shippedSet } from '../../src/managed/shippedSet.ts'
import { compileManagedRule } from '../../src/state/rulebook/compileRule.ts'
import { bindParameterValues } from '../../src/state/rulebook/recipeParameters.ts'
import { answered, compile, planOf, recipeOf, type Values } from '../engine/support/evaluate.ts'

/** `true`, `false` or `missing`: what the shipped rule makes of the evidence. */
function outcomeOf(key: string, values: Values, parameters: Readonly<Record<string, string>> = {}) {
  const rule = shippedRules.find((shipped) => shipped.key === key)
  if (!rule) throw new Error(`there is no rule ${key}`)
  const declared = (rule.parameters ?? []).map(
    ({ name, type }): RecipeParameter => ({ name, type, default_value: parameters[name] ?? '' }),
  )
  const compiled = compileManagedRule(rule.text, rule.parameters ?? [])
  const expression = bindParameters(compiled, bindParameterValues(declared))
  if (!expression) throw new Error(`a parameter of ${key} has no value`)
  const planned = { rule_id: key, type: 'MANAGED', name: key, version_id: 'v', weight: 1 } as const
  const plan = compile(planOf(recipeOf([{ ...planned, expression }])))
  const [result] = plan.run(answered(plan, values)).recipes[0]?.rules ?? []
  if (result?.unavailable) return 'unavailable'
  return result?.outcome === 'NOT_EVALUATED' ? 'missing' : String(result?.outcome === 'TRIGGERED')
}

const email = (value: string) => ({ 'target.email_address': value })
const phone = (value: string) => ({ 'target.phone_number': value })
const ip = (value: string) => ({ 'signal.ip': value })
const agent = (value: string) => ({ 'signal.user_agent': value })
const model = (value: string) => ({ 'signal.device_model': value })
const platform = (value: string) => ({ 'signal.device_platform': value })
const hour = (hours: number, minutes = 0) => ({
  'request.time': Date.UTC(2026, 10, 21, hours, minutes),
})

const safari =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 17_4 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.4 Mobile/15E148 Safari/604.1'
const chrome =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/124.0.0.0 Safari/537.36'
const android =
  'Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/124.0.0.0 Mobile Safari/537.36'

type Row = readonly [key: string, values: Values, outcome: string]

const rows: readonly Row[] = [
  ['allow-list', { 'list.allow': true }, 'true'],
  ['allow-list', { 'list.allow': false }, 'false'],

  ['block-list', { 'list.block': true }, 'true'],
  ['block-list', { 'list.block': false }, 'false'],

  ['disposable-email', email('ann@mailinator.com'), 'true'],
  ['disposable-email', email('ann@yopmail.fr'), 'true'],
  ['disposable-email', email('mailinator.com@example.com'), 'false'],
  ['disposable-email', email('ann@x.mailinator.com'), 'true'],
  ['disposable-email', email('ann@a.b.yopmail.fr'), 'true'],
  ['disposable-email', email('ann@notmailinator.com'), 'false'],
  ['disposable-email', email('ann@mailinator.com.example'), 'false'],
  ['disposable-email', email('x.mailinator.com@example.com'), 'false'],
  ['disposable-email', phone('+33612345678'), 'missing'],

  ['plus-address', email('ann+1@example.com'), 'true'],
  ['plus-address', email('ann@example.com'), 'false'],
  ['plus-address', email('+ann@example.com'), 'false'],
  ['plus-address', {}, 'missing'],

  ['digits-in-address', email('ada90210@example.com'), 'true'],
  ['digits-in-address', email('90210ada@example.com'), 'true'],
  ['digits-in-address', email('ada9021@example.com'), 'false'],
  ['digits-in-address', email('ada@90210.example.com'), 'false'],

  ['hosting-network', ip('144.76.1.2'), 'true'],
  ['hosting-network', ip('2a01:4f8:1::1'), 'true'],
  ['hosting-network', ip('144.77.1.2'), 'false'],
  ['hosting-network', ip('2a02::1'), 'false'],
  ['hosting-network', {}, 'missing'],

  ['reserved-network', ip('203.0.113.7'), 'true'],
  ['reserved-network', ip('2001:db8::7'), 'true'],
  ['reserved-network', ip('203.0.114.7'), 'false'],

  ['headless-user-agent', agent(chrome.replace('Chrome', 'HeadlessChrome')), 'true'],
  ['headless-user-agent', agent('PhantomJS/2.1'), 'true'],
  ['headless-user-agent', agent(chrome), 'false'],
  ['headless-user-agent', {}, 'missing'],

  ['script-user-agent', agent('curl/8.1.2'), 'true'],
  ['script-user-agent', agent('python-requests/2.31'), 'true'],
  ['script-user-agent', agent('Go-http-client/2.0'), 'true'],
  ['script-user-agent', agent(`${chrome} curl/8`), 'false'],
  ['script-user-agent', agent(safari), 'false'],

  ['emulator-model', model('sdk_gphone64_arm64'), 'true'],
  ['emulator-model', model('Android SDK built for x86'), 'true'],
  ['emulator-model', model('x86_64'), 'true'],
  ['emulator-model', model('iPhone Simulator'), 'true'],
  ['emulator-model', model('Pixel 8'), 'false'],
  ['emulator-model', model('iPhone15,2'), 'false'],

  ['mobile-without-app-version', platform('android'), 'true'],
  ['mobile-without-app-version', { ...platform('ios'), 'signal.app_version': '2.0' }, 'false'],
  ['mobile-without-app-version', platform('web'), 'false'],
  ['mobile-without-app-version', {}, 'missing'],

  ['platform-contradiction', { ...platform('ios'), ...agent(android) }, 'true'],
  ['platform-contradiction', { ...platform('android'), ...agent(safari) }, 'true'],
  ['platform-contradiction', { ...platform('ios'), ...agent(safari) }, 'false'],
  ['platform-contradiction', { ...platform('android'), ...agent(android) }, 'false'],
  ['platform-contradiction', { ...platform('web'), ...agent(android) }, 'false'],
  ['platform-contradiction', platform('ios'), 'missing'],

  ['new-user', { 'signal.existing_user': false }, 'true'],
  ['new-user', { 'signal.existing_user': true }, 'false'],
  ['new-user', {}, 'missing'],
]

test.each(rows)('%s with %o is %s', (key, values, outcome) => {
  expect(outcomeOf(key, values)).toBe(outcome)
})

type RowWith = readonly [
  key: string,
  parameters: Readonly<Record<string, string>>,
  values: Values,
  outcome: string,
]

const night = { quiet_from: '22', quiet_to: '5' }
const morning = { quiet_from: '2', quiet_to: '5' }

const rowsWithParameters: readonly RowWith[] = [
  ['foreign-number', { home_countries: '' }, phone('+33612345678'), 'false'],
  ['foreign-number', { home_countries: 'FR' }, phone('+33612345678'), 'false'],
  ['foreign-number', { home_countries: 'DE,FR' }, phone('+33612345678'), 'false'],
  ['foreign-number', { home_countries: 'DE,US' }, phone('+33612345678'), 'true'],
  ['foreign-number', { home_countries: 'DE' }, {}, 'missing'],

  ['blocked-country-number', { blocked_countries: '' }, phone('+33612345678'), 'false'],
  ['blocked-country-number', { blocked_countries: 'RU,FR' }, phone('+33612345678'), 'true'],
  ['blocked-country-number', { blocked_countries: 'RU' }, phone('+33612345678'), 'false'],

  ['unexpected-channel', { channel: 'any' }, platform('web'), 'false'],
  ['unexpected-channel', { channel: 'app' }, platform('web'), 'true'],
  ['unexpected-channel', { channel: 'app' }, platform('ios'), 'false'],
  ['unexpected-channel', { channel: 'web' }, platform('ios'), 'true'],
  ['unexpected-channel', { channel: 'web' }, platform('web'), 'false'],
  ['unexpected-channel', { channel: 'web' }, {}, 'missing'],

  ['quiet-hours', night, hour(22), 'true'],
  ['quiet-hours', night, hour(4, 59), 'true'],
  ['quiet-hours', night, hour(5), 'false'],
  ['quiet-hours', night, hour(21, 59), 'false'],
  ['quiet-hours', morning, hour(2), 'true'],
  ['quiet-hours', morning, hour(5), 'false'],
  ['quiet-hours', morning, hour(1, 59), 'false'],
]

test.each(rowsWithParameters)('%s under %o with %o is %s', (...row) => {
  const [key, parameters, values, outcome] = row

  expect(outcomeOf(key, values, parameters)).toBe(outcome)
})

describe('the set', () => {
  test('has a rule of each key once, and each is told to customers', () => {
    const keys = shippedRules.map(({ key }) => key)

    expect(new Set(keys).size).toBe(keys.length)
    expect(shippedRules.filter(({ name, description }) => !name || !description)).toEqual([])
  })

  test('has ids that are the same on every installation', () => {
    expect(managedAccountId).toBe('acc_065weqdsb9hq9vh5fx0scbx5n8')
    expect(shippedRules.every(({ key }) => isId('rul', shippedId('rul', key)))).toBe(true)
  })

  test('has no rule without a row above that triggers it and one that does not', () => {
    const came = (to: string) =>
      new Set(
        [...rows, ...rowsWithParameters].flatMap((row) => (row.at(-1) === to ? [row[0]] : [])),
      )
    const [triggers, rests] = [came('true'), came('false')]

    expect(shippedRules.filter(({ key }) => !triggers.has(key) || !rests.has(key))).toEqual([])
  })

  test('has another version whenever anything in it is another', () => {
    const { version, ...content } = shippedSet
    const digest = createHash('sha256').update(canonicalJson(content)).digest('hex')

    expect({ version, digest: digest.slice(0, 16) }).toEqual({
      version: 3,
      digest: 'e87375a12b2f23b8',
    })
  })

  test.each([
    ['domains', disposableDomains],
    ['networks', hostingNetworks],
  ])('lists none of its %s twice', (_, list) => {
    expect(new Set(list).size).toBe(list.length)
  })
})
