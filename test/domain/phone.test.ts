import fc from 'fast-check'
import {
  getCountries,
  getCountryCallingCode,
  parsePhoneNumberFromString,
} from 'libphonenumber-js/max'
import { expect, test } from 'vitest'
import {
  findPhoneCountry,
  normalizePhone,
  normalizeStoredPhone,
  unifyPhone,
} from '../../src/domain/evaluation/phone.ts'

test.each([
  ['+12133734253', '+12133734253'],
  ['+1 (213) 373-4253', '+12133734253'],
  ['+1.213.373.4253', '+12133734253'],
  ['  +33 6 12 34 56 78  ', '+33612345678'],
  ['+44 (0)20 7183 8750', '+442071838750'],
  ['+390612345678', '+390612345678'],
  ['+15551234567', '+15551234567'],
  ['+80012345678', '+80012345678'],
])('%j is the number %s', (written, number) => {
  expect(normalizePhone(written)).toBe(number)
})

test.each([
  ['nothing', ''],
  ['a plus alone', '+'],
  ['a number without its plus', '12133734253'],
  ['a national number', '(213) 373-4253'],
  ['00 in place of the plus', '0012133734253'],
  ['two pluses', '++12133734253'],
  ['a plus inside', '+1213+3734253'],
  ['letters', '+1800FLOWERS'],
  ['an extension', '+12133734253 ext. 5'],
  ['an extension by its sign', '+12133734253;ext=5'],
  ['a text around it', 'call +12133734253 now'],
  ['a URI', 'tel:+12133734253'],
  ['digits of another script', '+١٢١٣٣٧٣٤٢٥٣'],
  ['a line break inside', '+1213\n3734253'],
  ['a null byte', '+12133734253\0'],
  ['too few digits for the country', '+1213373425'],
  ['too many digits for the country', '+121337342531'],
  ['more than 15 digits', '+1234567890123456'],
  ['a calling code that is nobody’s', '+999123456789'],
  ['a number that loses a digit at every reading', '+91 0000000000'],
  ['more than 32 characters', `+1 213 373 4253${' '.repeat(20)}.`],
])('%s is not a number', (_, written) => {
  expect(normalizePhone(written)).toBeUndefined()
})

test('whatever is accepted is E.164 and stays as it is', () => {
  const codes = getCountries().map((country) => getCountryCallingCode(country))
  const rest = fc.stringMatching(/^(?: ?[0-9]){7,11}$/)
  const numbers = fc.tuple(fc.constantFrom(...codes), rest).map((parts) => `+${parts.join(' ')}`)

  fc.assert(
    fc.property(numbers, (written) => {
      const number = normalizePhone(written)
      fc.pre(number !== undefined)

      expect(number).toMatch(/^\+[1-9][0-9]{4,14}$/)
      expect(normalizePhone(number)).toBe(number)
    }),
  )
})

const spellings = [
  ['+54 9 11 2345-6789', '+54 11 2345-6789', '+541123456789'],
  ['+54 9 2901 123456', '+542901123456', '+542901123456'],
  ['+54 11 15 2345-6789', '+54 9 11 2345 6789', '+541123456789'],
  ['+55 11 98123-4567', '+55 11 8123-4567', '+5511981234567'],
  ['+55 (11) 9 6123 4567', '+551161234567', '+5511961234567'],
  ['+52 1 55 1234 5678', '+52 55 1234 5678', '+525512345678'],
] as const
test.each(spellings)('%j and %j are one number, %s', (one, other, number) => {
  expect([one, other].map((text) => unifyPhone(normalizePhone(text) ?? ''))).toEqual([
    number,
    number,
  ])
  expect(normalizePhone(unifyPhone(normalizePhone(one) ?? ''))).toBe(number)
})

test.each([
  ['a fixed line of Brazil', '+551121234567'],
  ['a number of Brazil without an area', '+558008123456'],
  ['a mobile number of Brazil that has its ninth digit', '+5511981234567'],
  ['a number of Argentina that is too short for a mobile one', '+549112345678'],
  ['a number of Mexico', '+525512345678'],
  ['any other', '+33612345678'],
])('%s has one spelling', (_, number) => {
  expect(unifyPhone(normalizePhone(number) ?? '')).toBe(number)
})

test('the one spelling is canonical and the only one of it, of every number', () => {
  const codes = fc.constantFrom('54', '549', '55', '5511', '52', '521', '1', '33')
  fc.assert(
    fc.property(codes, fc.stringMatching(/^[0-9]{6,11}$/), (code, digits) => {
      const number = normalizePhone(`+${code}${digits}`)
      fc.pre(number !== undefined)
      const unified = unifyPhone(number)

      expect(normalizePhone(unified)).toBe(unified)
      expect(unifyPhone(unified)).toBe(unified)
    }),
  )
})

test.each([
  ['+12133734253', '+12133734253'],
  ['+44 (0)20 7183 8750', '+442071838750'],
  ['+999123456789', '+999123456789'],
  [' +1213373425 ', '+1213373425'],
  ['+99912345', '+99912345'],
])('%j may be stored as %s, also where the table of today refuses it', (written, stored) => {
  expect(normalizeStoredPhone(written)).toBe(stored)
})

test.each(['', '12133734253', '+999 1234 5678', '+012345678', '+12345', `+${'1'.repeat(16)}`])(
  '%j was never stored',
  (written) => {
    expect(normalizeStoredPhone(written)).toBeUndefined()
  },
)

test('no text makes it throw', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const number = normalizePhone(`+${text}`)

      expect(['string', 'undefined']).toContain(typeof number)
    }),
  )
})

test.each([
  ['+12133734253', 'US'],
  ['+16042345678', 'CA'],
  ['+33612345678', 'FR'],
  ['+442071838750', 'GB'],
  ['+77012345678', 'KZ'],
  ['+79161234567', 'RU'],
])('the country of %s is %s', (number, country) => {
  expect(findPhoneCountry(number)).toBe(country)
})

test.each(['+80012345678', '+15551234567', 'no number', ''])('%j has no country', (number) => {
  expect(findPhoneCountry(number)).toBeUndefined()
})

test('the country is the one that the library tells', () => {
  const codes = getCountries().map((country) => getCountryCallingCode(country))
  const rest = fc.stringMatching(/^[0-9]{2,14}$/)

  fc.assert(
    fc.property(fc.constantFrom(...codes, '800', '888', '999'), rest, (code, digits) => {
      const number = `+${code}${digits}`

      expect(findPhoneCountry(number)).toBe(
        parsePhoneNumberFromString(number, { extract: false })?.country,
      )
    }),
    { numRuns: 2_000 },
  )
})

test('a number that is written plainly is read as the library reads it', () => {
  const codes = getCountries().map((country) => getCountryCallingCode(country))
  const rest = fc.stringMatching(/^[0-9]{2,14}$/)

  fc.assert(
    fc.property(fc.constantFrom(...codes, '800', '888', '999'), rest, (code, digits) => {
      // with a dash in it, it is taken apart by the library
      const [plain, apart] = [`+${code}${digits}`, `+${code}-${digits}`]

      expect(normalizePhone(plain)).toBe(normalizePhone(apart))
    }),
    { numRuns: 2_000 },
  )
})
