/** What people are told of a value that is refused: which of the reasons it is. */

import { describe, expect, test } from 'vitest'
import { describeEmailRefusal, normalizeEmail } from '../../src/domain/evaluation/email.ts'
import { describePhoneRefusal, normalizePhone } from '../../src/domain/evaluation/phone.ts'
import { describeValueRefusal, normalizeListValue } from '../../src/domain/lists/listValue.ts'
import { describeNetworkRefusal, parseIpNetwork } from '../../src/domain/network/cidr.ts'
import { describeSenderIdRefusal, isSenderId } from '../../src/domain/verification/senderIds.ts'

const reasonOf = (message: string) => message.slice(message.indexOf('; ') + 2)

describe('a phone number', () => {
  test.each([
    ['', 'this one is empty.'],
    ['12133734253', 'this one has no + in front.'],
    ['0012133734253', 'this one has no + in front.'],
    ['+1213373425', 'this one is too short for its country.'],
    ['+1', 'this one is too short for its country.'],
    ['+', 'this one is too short.'],
    ['+121337342531', 'this one is too long for its country.'],
    ['+1234567890123456', 'this one is too long for its country.'],
    ['+999123456789', 'no country has its calling code.'],
    ['+1213\u200b3734253', 'this one has U+200B.'],
    ['+1213\u00a03734253', 'this one has U+00A0.'],
    ['\u202a+12133734253', 'this one has U+202A.'],
    ['+1213\n3734253', 'this one has U+000A.'],
    ['+12133734253\0', 'this one has U+0000.'],
    ['+1800FLOWERS', "this one has 'F'."],
    ['tel:+12133734253', "this one has 't'."],
    ['+١٢١٣٣٧٣٤٢٥٣', "this one has '١'."],
    ['++12133734253', 'this one has a second +.'],
    [`+1 213 373 4253${' '.repeat(20)}.`, 'this one has more than 32 characters.'],
    ['+91 0000000000', 'no number of its country has this length.'],
  ])('%j is refused, since %s', (text, reason) => {
    expect(normalizePhone(text)).toBeUndefined()
    expect(reasonOf(describePhoneRefusal(text))).toBe(reason)
  })
})

describe('an e-mail address', () => {
  test.each([
    ['ann.example.com', 'this one has no @.'],
    ['@example.com', 'this one must have 1 to 64 bytes before the @.'],
    ['.ann@example.com', 'this one begins with a dot.'],
    ['an\u200bn@example.com', 'this one has U+200B before the @.'],
    ['ann lee@example.com', 'this one has U+0020 before the @.'],
    ['"ann"@example.com', `this one has '"' before the @.`],
    ['ann@exam\u00adple.com', 'this one has U+00AD in the domain.'],
    ['ann@exam_ple.com', "this one has '_' in the domain."],
    ['ann@', 'this one has a domain of one label.'],
    ['ann@localhost', 'this one has a domain of one label.'],
    ['ann@example..com', 'this one has a label that no domain can have.'],
    ['ann@203.0.113.9', 'this one has a label that no domain can have.'],
    [`${'l'.repeat(65)}@example.com`, 'this one must have 1 to 64 bytes before the @.'],
    [`ann@${'d.'.repeat(125)}com`, 'this one has more than 254 bytes.'],
  ])('%j is refused, since %s', (text, reason) => {
    expect(normalizeEmail(text)).toBeUndefined()
    expect(reasonOf(describeEmailRefusal(text))).toBe(reason)
  })
})

describe('a network', () => {
  test.each([
    ['10.0.0.1/8', 'this one has bits beyond its prefix: the network is 10.0.0.0/8.'],
    ['2001:db8::1/32', 'this one has bits beyond its prefix: the network is 2001:db8::/32.'],
    ['10.0.0.0/33', 'its prefix must be 1 to 32.'],
    ['0.0.0.0/0', 'its prefix must be 1 to 32.'],
    ['::/129', 'its prefix must be 1 to 128.'],
    ['::ffff:10.0.0.0/24', 'its prefix must be 97 to 128.'],
    ['10.0.0.0/', 'its prefix must be 1 to 32.'],
    ['10.0.0.0/8/8', 'its prefix must be 1 to 32.'],
    ['10.0.0', 'this one has no address.'],
    ['10.0.0.0\u200b/8', 'this one has U+200B.'],
    ['fe80::1%eth0', "this one has '%'."],
    ['example.com', "this one has 'x'."],
  ])('%j is refused, since %s', (text, reason) => {
    expect(parseIpNetwork(text)).toBeUndefined()
    expect(reasonOf(describeNetworkRefusal(text))).toBe(reason)
  })
})

describe('a sender ID', () => {
  test.each([
    ['Ada!', "this one has '!'."],
    ['Äda', "this one has 'Ä'."],
    ['Ada\u200b', 'this one has U+200B.'],
    ['Ada😀', "this one has '😀'."],
    [' Ada', 'this one has a space at an end.'],
    ['TwelveLetter', 'this one has 12 characters.'],
    ['', 'this one has no letter.'],
    ['12', 'this one has 2 digits.'],
    ['12-34', 'this one has no letter.'],
  ])('%j is refused, since %s', (text, reason) => {
    expect(isSenderId(text)).toBe(false)
    expect(reasonOf(describeSenderIdRefusal(text))).toBe(reason)
  })
})

test.each([
  ['email_domain', 'com', 'this one has a domain of one label.'],
  ['email_domain', 'ann@example.com', "this one has '@' in the domain."],
  ['email_domain', 'd.'.repeat(300), 'this one has a label that no domain can have.'],
  ['text', 'a\u0007', 'this one has U+0007.'],
] as const)('of %s, %j is refused, since %s', (kind, text, reason) => {
  expect(normalizeListValue(kind, text)).toBeUndefined()
  expect(reasonOf(describeValueRefusal(kind, text))).toBe(reason)
})

test.each([
  ['phone_number', '+1555123456\u200b'],
  ['email_address', 'ann@'],
  ['email_domain', 'a@'],
  ['ip_range', 'x'],
  ['text', '\u0000'],
] as const)('a refusal of %s is short, however long the value', (kind, text) => {
  expect(describeValueRefusal(kind, text.padEnd(100_000, text)).length).toBeLessThan(200)
})
