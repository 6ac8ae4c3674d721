import { describe, expect, test } from 'vitest'
import { outcomeOf, type Values } from './support/evaluate.ts'

const evidence: Values = {
  'signal.ip': '203.0.113.7',
  'signal.device_id': 'd-1',
  'signal.user_agent': 'Mozilla/5.0 (iPhone) Safari/604.1',
  'signal.existing_user': true,
  'signal.is_trusted_user': false,
  'signal.ext.total': '129.90',
  'signal.ext.items': '3',
  'signal.ext.flag': 'True',
  'signal.ext.born': '2001-02-03T04:05:06.789+02:00',
  'signal.ext.wait': '1h30m',
  'signal.ext.word': 'naïve',
  'signal.ext.smile': 'a😀b',
  'signal.ext.v6': '2001:db8::1',
  'signal.ext.mapped': '::ffff:10.1.2.3',
  'signal.ext.zero': '0',
  'signal.ext.big': '9007199254740991',
  'signal.ext.nan': 'not a number',
  'signal.ext.empty': '',
  'target.phone_number': '+33612345678',
  'target.email_address': 'jane@mail.example.com',
  'list.allow': false,
  'list.block': true,
  'request.time': Date.UTC(2024, 1, 29, 23, 59, 58, 123),
}

const table: Readonly<Record<string, readonly (readonly [rule: string, outcome: string])[]>> = {
  'the names of the language': [
    ['signal.ip == "203.0.113.7"', 'true'],
    ['signal.existing_user', 'true'],
    ['signal.is_trusted_user', 'false'],
    ['signal.ext.word == "naïve"', 'true'],
    ['signal.ext["word"] == signal.ext.word', 'true'],
    ['target.phone_number.startsWith("+33")', 'true'],
    ['target.email_address.endsWith("example.com")', 'true'],
    ['list.block && !list.allow', 'true'],
    ['request.time > timestamp("2024-02-29T23:59:58Z")', 'true'],
  ],
  logic: [
    ['true && false', 'false'],
    ['true && true && true && true', 'true'],
    ['true && true && true && false', 'false'],
    ['false || false || false || signal.existing_user', 'true'],
    ['false || false', 'false'],
    ['!signal.is_trusted_user', 'true'],
    ['!(signal.existing_user && true)', 'false'],
    ['signal.existing_user ? 1 == 1 : 1 == 2', 'true'],
    ['(signal.is_trusted_user ? "a" : "b") == "b"', 'true'],
  ],
  'presence is asked without reading': [
    ['has(signal.ip)', 'true'],
    ['has(signal.os_version)', 'false'],
    ['!has(signal.ext.coupon)', 'true'],
    ['has(signal.ext["coupon"]) || true', 'true'],
    ['has(signal.ext.nan)', 'true'],
    ['has(signal.ext.empty)', 'false'],
  ],
  'loops over written lists': [
    ['["a", "d-1"].exists(x, x == signal.device_id)', 'true'],
    ['["a", "b"].exists(x, x == signal.device_id)', 'false'],
    ['["203", "0", "113"].all(part, signal.ip.contains(part))', 'true'],
    ['["203", "99"].all(part, signal.ip.contains(part))', 'false'],
    ['[1, 2].exists(x, [3, 4].exists(y, x * y == 8))', 'true'],
    ['[1, 2].exists(x, [x, 4].all(x, x == 4))', 'false'],
    ['[1, 2].all(x, [x].exists(x, x > 0) && x < 3)', 'true'],
    ['[1].all(x, [2].all(x, [3].all(y, x == 2 && y == 3)))', 'true'],
    ['[1].all(x, [2].all(x, [3].all(y, x + y == 5)) && x == 1)', 'true'],
    ['[signal.ip, signal.device_id].exists(x, x.startsWith("d-"))', 'true'],
  ],
}

for (const [topic, rows] of Object.entries(table)) {
  describe(topic, () => {
    test.each(rows)('%s is %s', (rule, outcome) => {
      expect(outcomeOf(rule, evidence)).toBe(outcome)
    })
  })
}

describe('missing evidence', () => {
  const rows: readonly (readonly [string, string])[] = [
    ['signal.os_version == "1"', 'missing signal.os_version'],
    ['signal.existing_user || signal.os_version == "1"', 'missing signal.os_version'],
    ['signal.os_version == "1" || signal.app_version == "1"', 'missing signal.os_version'],
    ['signal.app_version == "1" || signal.os_version == "1"', 'missing signal.app_version'],
    ['signal.existing_user ? true : signal.ext.coupon == ""', 'missing signal.ext.coupon'],
    ['has(signal.ext.coupon) && signal.ext.coupon == "X"', 'false'],
    ['signal.ext.coupon == "X" && has(signal.ext.coupon)', 'missing signal.ext.coupon'],
    ['signal.ext["a b"] == ""', 'missing signal.ext.a b'],
    ['signal.ext.empty == ""', 'missing signal.ext.empty'],
    ['["a"].exists(x, x == signal.ext.coupon)', 'missing signal.ext.coupon'],
    ['int(signal.ext.nan) > 3', 'missing signal.ext.nan'],
    ['signal.existing_user || int(signal.ext.nan) > 3', 'missing signal.ext.nan'],
    ['signal.ext.nan == "x" || int(signal.ext.nan) > 3', 'missing signal.ext.nan'],
    ['int(signal.ext.total) > 3', 'missing signal.ext.total'],
    ['bool(signal.ext.items)', 'missing signal.ext.items'],
    ['timestamp(signal.ext.word) < request.time', 'missing signal.ext.word'],
    ['duration(signal.ext.total) < duration("1s")', 'missing signal.ext.total'],
  ]

  test.each(rows)('%s is %s', (rule, outcome) => {
    expect(outcomeOf(rule, evidence)).toBe(outcome)
  })
})

describe('operations that fail on evidence wait for the first name of the part that failed', () => {
  const rows: readonly (readonly [string, string])[] = [
    ['int(signal.ext.word + signal.ext.items) == 1', 'missing signal.ext.word'],
    ['signal.ip == "x" || 1 / int(signal.ext.zero) == 1', 'missing signal.ext.zero'],
    ['1 % int(signal.ext.zero) == 1', 'missing signal.ext.zero'],
    ['signal.existing_user || 1 / int(signal.ext.zero) == 1', 'true'],
    ['1 / int(signal.ext.zero) == 1 || signal.existing_user', 'missing signal.ext.zero'],
    ['false && 1 / int(signal.ext.zero) == 1', 'false'],
    ['int(signal.ext.big) + 1 > 0', 'missing signal.ext.big'],
    ['int(signal.ext.big) * int(signal.ext.items) > 0', 'missing signal.ext.big'],
    ['-int(signal.ext.big) - 1 < 0', 'missing signal.ext.big'],
    ['int(double(signal.ext.big) * 2.0) > 0', 'missing signal.ext.big'],
    ['timestamp(int(signal.ext.big)) > request.time', 'missing signal.ext.big'],
    ['timestamp(signal.ext.items + "!") > request.time', 'missing signal.ext.items'],
    [
      'request.time + duration(signal.ext.items + "00000000000s") > request.time',
      'missing request.time',
    ],
    ['double(signal.ext.big + "e999") > 1.0', 'missing signal.ext.big'],
    ['emailDomain(signal.ext.word) == "a"', 'missing signal.ext.word'],
    ['phoneCountry(signal.ip) == "FR"', 'missing signal.ip'],
    ['emailDomain(signal.ip) == emailDomain(signal.ext.word)', 'missing signal.ip'],
    ['phoneCountry(signal.ip) == string(1 / int(signal.ext.zero))', 'missing signal.ip'],
    ['inCidr(signal.device_id, "10.0.0.0/8")', 'missing signal.device_id'],
    ['[signal.ext.word, "1"].exists(x, int(x) == 1)', 'missing signal.ext.word'],
    ['["1", signal.ext.word].exists(x, int(x) == 1)', 'true'],
    ['[0, 1].exists(x, int(signal.ext.items) / x == 2)', 'missing signal.ext.items'],
    ['["0"].exists(x, 1 / int(x) == int(signal.ext.items))', 'missing signal.ext.items'],
    ['(1 / int(signal.ext.zero) == 1 ? signal.ip : "") == ""', 'missing signal.ext.zero'],
  ]

  test.each(rows)('%s is %s', (rule, outcome) => {
    expect(outcomeOf(rule, evidence)).toBe(outcome)
  })
})
