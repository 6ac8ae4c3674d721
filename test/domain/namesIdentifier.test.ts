import { domainToUnicode } from 'node:url'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { normalizeEmail } from '../../src/domain/evaluation/email.ts'
import { mayNameSomebody, namesIdentifier } from '../../src/domain/sessions/namesIdentifier.ts'
import { draws } from '../support/draws.ts'

const phone = (value: string) => ({ type: 'phone_number', value })
const mail = (value: string) => ({ type: 'email_address', value })
const french = phone('+33612345678')

describe('a text with the number in it names the person', () => {
  test.each([
    ['as it is stored', 'of +33612345678'],
    ['without the plus', 'of 33612345678'],
    ['with the prefix of calls abroad', 'of 0033 6 12 34 56 78'],
    ['as it is dialed at home', 'of 06 12 34 56 78'],
    ['with dots', 'of 06.12.34.56.78'],
    ['with dashes and parentheses', 'of +33 (0)6-12-34-56-78'],
    ['with slashes', 'of 06/12/34/56/78'],
    ['with no-break spaces', 'of 06\u00a012\u202f34\u00a056\u202f78'],
    ['with zero-width characters', 'of 06\u200b12\u200d34\u2060567\ufeff8'],
    ['with other dashes', 'of 06‑12–34—56−78'],
    ['in full-width digits', 'of ＋３３６１２３４５６７８'],
    ['in Arabic digits', 'of ٠٦١٢٣٤٥٦٧٨'],
    ['in Persian digits', 'of ۰۶۱۲۳۴۵۶۷۸'],
    ['in Devanagari digits', 'of ०६ १२ ३४ ५६ ७८'],
    ['in Khmer and Thai digits', 'of ០៦១២๓๔๕๖๗๘'],
    ['in mathematical digits', 'of 𝟎𝟔𝟷𝟐𝟑𝟜𝟝𝟞𝟟𝟠'],
    ['in circled and superscript digits', 'of 06①②34⁵⁶⁷⁸'],
    ['in digits of two scripts that Unicode has side by side', 'of 0612\u{116d3}\u{116de}5678'],
    ['among other words', 'ann (06 12 34 56 78) asked, Ticket 4711'],
  ])('%s', (_, text) => {
    expect(namesIdentifier(text, french)).toBe(true)
    expect(namesIdentifier(text, phone('+33612345679'))).toBe(false)
  })

  test.each([
    ['+5491123456789', 'of +54 11 2345-6789', 'of 011 15-2345-6789'],
    ['+541123456789', 'of +54 9 11 2345-6789', 'of 011 15-2345-6789'],
    ['+5492901123456', 'of +54 2901 123456', 'of 02901 15-123456'],
    ['+542901123456', 'of +54 9 2901 123456', 'of 02901 15-123456'],
    ['+5493512345678', 'of 351 234-5678', 'of (0351) 15 234-5678'],
    ['+5511981234567', 'of +55 11 8123-4567', 'of (11) 8123 4567'],
    ['+551181234567', 'of +55 11 98123-4567', 'of 011 98123 4567'],
    ['+525512345678', 'of +52 1 55 1234 5678', 'of 044 55 1234 5678'],
  ])('%s in another spelling of its country, as %j and %j', (number, abroad, home) => {
    expect([abroad, home].map((text) => namesIdentifier(text, phone(number)))).toEqual([true, true])
    const other = phone(`${number.slice(0, -1)}0`)
    expect([abroad, home].map((text) => namesIdentifier(text, other))).toEqual([false, false])
  })

  test('as it is dialed at home, though that is shorter than its calling code makes it', () => {
    expect(namesIdentifier('of 581 2345', phone('+3545812345'))).toBe(true)
  })
})

describe('a text with the address in it names the person', () => {
  const german = mail('ann@xn--bcher-kva.example')
  const sharp = mail('ann@xn--strae-oqa.de')
  const nfc = mail('rené@example.com'.normalize('NFC'))
  const cyrillic = mail('аня@xn--e1afmkfd.xn--p1ai')
  test.each([
    ['as it is stored', german, 'of ann@xn--bcher-kva.example'],
    ['in capitals', german, 'OF ANN@XN--BCHER-KVA.EXAMPLE'],
    ['with the domain in Unicode', german, 'of ann@bücher.example'],
    ['decomposed', german, 'of ann@bücher.example'.normalize('NFD')],
    ['with the domain in Unicode and capitals', german, 'of Ann@BÜCHER.Example'],
    ['in full-width characters', german, 'of ａｎｎ＠ｂücher．ｅｘａｍｐｌｅ'],
    ['with a coded label in full-width characters', german, 'of ann＠ｘｎ－－bcher-kva.example'],
    ['with ideographic full stops', german, 'of ann@bücher。example'],
    [
      'with soft hyphens and zero-width characters',
      german,
      'of an\u00adn@b\u200bücher.exam\ufeffple',
    ],
    ['with spaces', german, 'of ann @ bücher . example'],
    ['in brackets', german, 'of Ann <ann@bücher.example>.'],
    ['behind a full stop', german, 'Asked. ann@bücher.example. Done'],
    ['with a sharp s', sharp, 'of ann@straße.de'],
    ['with a capital sharp s', sharp, 'of ann@STRAẞE.DE'],
    ['with the sharp s in capitals', sharp, 'of ANN@STRASSE.DE'],
    ['with a letter and its accent apart', nfc, 'of rene\u0301@example.com'],
    [
      'with the letter and its accent in one',
      mail('rene\u0301@example.com'),
      'of RENÉ@example.com',
    ],
    ['in Cyrillic', cyrillic, 'от Аня@Пример.РФ сегодня'],
    ['with one label coded', cyrillic, 'от аня@пример.xn--p1ai'],
    ['with a sigma that ends a word', mail('νίκος@example.com'), 'of ΝΊΚΟΣ@EXAMPLE.COM'],
    ['with a ligature', mail('fifi@example.com'), 'of ﬁﬁ@example.com'],
  ])('%s', (_, identifier, text) => {
    expect(namesIdentifier(text, identifier)).toBe(true)
    expect(namesIdentifier(text, mail('bob@example.org'))).toBe(false)
  })
})

test.each([
  'Ticket 4711',
  'Ticket #2026-11-29/0042',
  'GDPR request of 29 November 2026, case 20261129-0017',
  'Ticket 12345679, mail of the customer, ref. 0612',
  'Asked by the data protection office: privacy@our-shop.example',
  'プライバシー 要求 №１２３',
])('%s: names nobody', (text) => {
  for (const identifier of [french, mail('ann@example.com'), mail('ann@xn--bcher-kva.example')]) {
    expect(namesIdentifier(text, identifier)).toBe(false)
  }
})

test('an identifier of the customer’s own is in no text', () => {
  expect(namesIdentifier('Ticket 4711', { type: 'customer_user_id', value: '4711' })).toBe(false)
})

test.each([
  ['Ticket 4711', false],
  ['29 Nov 2026', false],
  ['of ann ＠ example.com', true],
  ['of 06 12 34 56', true],
  ['of ٠٦١٢٣٤٥٦٧٨', true],
])('%s: may name somebody who is not known any more: %s', (text, may) => {
  expect(mayNameSomebody(text)).toBe(may)
})

describe('however it is written', () => {
  const separators = ['', ' ', '\u00a0', '\u200b', '-', '.', ' (', ') ', '‑', '/']
  const zeros = ['0', '０', '٠', '۰', '०', '๐', '\u{1d7ce}', '\u{116da}']
  const around = fc.string({ unit: 'grapheme', maxLength: 20 })

  test('a number is found', () => {
    const drawn = fc.record({
      digits: fc.array(fc.nat(9), { minLength: 8, maxLength: 8 }),
      separators: fc.array(fc.constantFrom(...separators), { minLength: 9, maxLength: 9 }),
      zeros: fc.array(fc.constantFrom(...zeros), { minLength: 8, maxLength: 8 }),
      prefix: fc.constantFrom('+336', '00336', '336', '06'),
    })
    fc.assert(
      fc.property(drawn, around, around, (how, before, after) => {
        const written = how.digits.map((value, at) => {
          const zero = how.zeros[at]?.codePointAt(0) ?? 0
          return `${how.separators[at]}${String.fromCodePoint(zero + value)}`
        })
        const text = `${before}${how.prefix}${written.join('')}${after}`

        expect(namesIdentifier(text, phone(`+336${how.digits.join('')}`)), text).toBe(true)
      }),
      { numRuns: draws(1_000) },
    )
  })

  test('an address is found', () => {
    const letters = fc.constantFrom(...'abcxyzäöüéñßжяλσχ한')
    const word = fc.array(letters, { minLength: 1, maxLength: 8 }).map((some) => some.join(''))
    const spellings: readonly ((text: string) => string)[] = [
      (text) => text,
      (text) => text.toUpperCase(),
      (text) => text.normalize('NFD'),
      (text) => text.replaceAll('.', '。').replaceAll('@', '＠'),
      (text) => [...text].join('\u200b'),
      (text) => text.replace(/@(.*)$/, (_, domain: string) => `@${domainToUnicode(domain)}`),
    ]
    const changes = fc.shuffledSubarray([...spellings], { minLength: 1 })
    const drawn = fc.record({ local: word, label: word, changes, before: around, after: around })
    fc.assert(
      fc.property(drawn, ({ local, label, changes, before, after }) => {
        const value = normalizeEmail(`${local}@${label}.example`)
        fc.pre(value !== undefined)
        // the domain as it is stored before anything is put between its letters
        const unicode = value.replace(
          /@(.*)$/,
          (_, domain: string) => `@${domainToUnicode(domain)}`,
        )
        const written = changes.reduce((text, change) => change(text), unicode)
        const text = `${before} ${written} ${after}`

        expect(namesIdentifier(text, mail(value)), text).toBe(true)
      }),
      { numRuns: draws(1_000) },
    )
  })
})
