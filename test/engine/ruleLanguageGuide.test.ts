import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { charges } from '../../src/engine/language/operationCosts.ts'
import { findCallStyle } from '../../src/engine/language/operators/operationTable.ts'
import { ruleLimits } from '../../src/engine/language/ruleLimits.ts'
import { expressionOf, outcomeOf, problemsOf, type Values } from './support/evaluate.ts'

const guide = readFileSync('docs/guide/rule-language.md', 'utf8')

const evidence: Values = {
  'signal.ip': '203.0.113.7',
  'signal.device_platform': 'ios',
  'signal.user_agent': 'Mozilla/5.0 (iPhone) Safari/604.1',
  'signal.existing_user': true,
  'signal.ext.cart_total': '129.90',
  'signal.ext.items': '3',
  'signal.ext.free_items': '0',
  'signal.ext.country': 'FR',
  'signal.ext.note': 'café',
  'signal.ext.registered': '2024-05-01T08:00:00Z',
  'target.phone_number': '+33612345678',
  'target.email_address': 'jane@mail.example.com',
  'list.allow': false,
  'list.block': true,
  'inList("vip", target.email_address)': true,
  'inList("offices", signal.ip)': false,
  'count(evaluations, by(network(signal.ip)), "10m")': 7,
  'distinct(evaluations, target.phone_number, by(network(signal.ip)), "24h")': 256,
  'sum(flagged, int(signal.ext.items), by(phoneCountry(target.phone_number), prefix(target.phone_number, 6)), "7d")': 40,
  'flow.id': 'flo_01jz0000000000000000000001',
  'request.time': Date.parse('2024-05-31T22:15:30Z'),
}

const lists = new Map([
  ['vip', 'email_address'],
  ['offices', 'ip_range'],
] as const)
const givenBy = (rule: string) => outcomeOf(expressionOf(rule, { lists }), evidence)

const examples = [...guide.matchAll(/```cel\n(.*?)```/gs)]
  .flatMap(([, block = '']) => block.trim().split('\n'))
  .map((line): [rule: string, outcome: string] => {
    const at = line.lastIndexOf('// ')
    return [line.slice(0, at).trim(), line.slice(at + 3)]
  })

describe('every example of the guide gives what the guide says', () => {
  test('and there are examples', () => {
    expect(examples.length).toBeGreaterThan(60)
  })

  test.each(examples)('%s // %s', (rule, outcome) => {
    const [problem] = problemsOf(rule, { lists })

    expect(problem ? `refused: ${problem}` : givenBy(rule)).toBe(outcome)
  })
})

test('the guide shows the evidence that its examples run over', () => {
  for (const [name, value] of Object.entries(evidence)) {
    const shown = name === 'request.time' ? '2024-05-31T22:15:30Z' : String(value)

    expect(guide).toContain(`| \`${name}\` | \`${shown}\``)
  }
})

test('the guide has an example of every function', () => {
  const functions = [
    ...['has', 'exists', 'all', 'size', 'contains', 'startsWith', 'endsWith', 'matches'],
    ...['lowerAscii', 'upperAscii', 'int', 'double', 'bool', 'string', 'timestamp', 'duration'],
    ...['getFullYear', 'getMonth', 'getDate', 'getDayOfMonth', 'getDayOfWeek', 'getDayOfYear'],
    ...['getHours', 'getMinutes', 'getSeconds', 'getMilliseconds'],
    ...['inCidr', 'network', 'emailDomain', 'phoneCountry', 'prefix', 'inList'],
    ...['count', 'distinct', 'sum'],
  ]
  const accepted = examples
    .filter(([, outcome]) => !outcome.startsWith('refused'))
    .map(([rule]) => rule)

  for (const name of functions) {
    const written = findCallStyle(name) === 'receiver' ? `.${name}(` : `${name}(`

    expect(accepted.some((rule) => rule.includes(written))).toBe(true)
  }
})

test('the limits of the guide are those that hold', () => {
  const shown = [
    ...[
      ruleLimits.textChars,
      ruleLimits.nodes,
      ruleLimits.depth,
      ruleLimits.listItems,
      ruleLimits.literalChars,
    ],
    ...[
      ruleLimits.patternChars,
      ruleLimits.patternSize,
      ruleLimits.rulePatterns,
      ruleLimits.recipePatterns,
    ],
    ...[ruleLimits.lookups, ruleLimits.flowPatterns, charges.ruleStepsMax],
    charges.countedStepsMax,
    ruleLimits.counters,
  ]

  for (const limit of shown) expect(guide).toContain(`${limit.toLocaleString('en')} `)
})
