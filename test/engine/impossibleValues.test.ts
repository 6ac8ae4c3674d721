import { describe, expect, test } from 'vitest'
import { detectImpossibleValues } from '../../src/engine/analyse/impossibleValues.ts'
import { parseRule } from '../../src/engine/language/parse/parseRule.ts'

function partsOf(text: string): readonly string[] {
  const parsed = parseRule(text)
  if (!('expression' in parsed)) throw new Error(`${text} does not compile`)
  return detectImpossibleValues(parsed.expression).map(({ message }) => message)
}

describe('a text that never arrives', () => {
  test.each([
    ['phoneCountry(target.phone_number) == "FRA"', 'phoneCountry(…) is never "FRA"'],
    ['"UK" == phoneCountry(target.phone_number)', 'phoneCountry(…) is never "UK"'],
    ['!(phoneCountry(signal.ext.other) in ["FR", "fr"])', 'phoneCountry(…) is never "fr"'],
    ['signal.device_platform != "windows"', 'signal.device_platform is never "windows"'],
    ['list.block || signal.ip == "10.0.0.1"', 'signal.ip is never "10.0.0.1"'],
    ['signal.ip == "2001:DB8::1"', 'signal.ip is never "2001:DB8::1"'],
    ['target.phone_number == "0612345678"', 'target.phone_number is never "0612345678"'],
    ['target.email_address == "Ada@x.org"', 'target.email_address is never "Ada@x.org"'],
    ['emailDomain(target.email_address) == "@x.org"', 'emailDomain(…) is never "@x.org"'],
    ['network(signal.ip) == "203.0.113.7"', 'network(…) is never "203.0.113.7"'],
    ['network(signal.ip) in ["203.0.113.0/24"]', 'network(…) is never "203.0.113.0/24"'],
    ['network(signal.ip) == "2001:db8::1/64"', 'network(…) is never "2001:db8::1/64"'],
    ['signal.ext.a.lowerAscii() == "Yes"', 'lowerAscii(…) is never "Yes"'],
    ['signal.ext.a.upperAscii() == "Yes"', 'upperAscii(…) is never "Yes"'],
    ['signal.ext.coupon == ""', 'signal.ext.coupon is never ""'],
  ])('is told: %s', (rule, said) => {
    expect(partsOf(rule)).toEqual([expect.stringContaining(said)])
  })

  test.each([
    'phoneCountry(target.phone_number) in ["FR", "GB", "XK"]',
    'signal.device_platform in ["android", "ios", "ipados", "tvos", "web"]',
    'signal.ip == "203.0.113.7" || signal.ip == "2001:db8::1"',
    'target.phone_number == "+33612345678"',
    'target.email_address == "ada@x.org"',
    'emailDomain(target.email_address) == "x.org"',
    'network(signal.ip) in ["203.0.113.7/32", "2001:db8:1:2::/64"]',
    'signal.ext.a.lowerAscii() == "yes" && signal.ext.a == "Yes"',
    'signal.ext.platform == "windows"',
    'int(signal.ext.a) == 1 || signal.existing_user == true',
    '"FRA" == "FR"',
  ])('one that may arrive is not: %s', (rule) => {
    expect(partsOf(rule)).toEqual([])
  })
})

describe('a network without public addresses', () => {
  test.each([
    ['10.0.0.0/8'],
    ['172.16.0.0/12'],
    ['192.168.1.0/24'],
    ['127.0.0.1/32'],
    ['100.64.0.0/10'],
    ['fc00::/7'],
    ['fe80::/10'],
    ['::1/128'],
  ])('is told of the address of the end user: %s', (network) => {
    expect(partsOf(`inCidr(signal.ip, "${network}")`)).toEqual([
      expect.stringContaining(`signal.ip is never in ${network}`),
    ])
    expect(partsOf(`inCidr(signal.ext.ip, "${network}")`)).toEqual([])
  })

  test.each([
    ['0.0.0.0/0'],
    ['8.0.0.0/6'],
    ['128.0.0.0/1'],
    ['203.0.113.0/24'],
    ['::/0'],
    ['2001:db8::/32'],
  ])('one with some is not: %s', (network) => {
    expect(partsOf(`inCidr(signal.ip, "${network}")`)).toEqual([])
  })
})
