import fc from 'fast-check'
import {
  getCountries,
  getCountryCallingCode,
  parsePhoneNumberFromString,
} from 'libphonenumber-js/max'
import { expect, test } from 'vitest'
import { findPhoneCountry, normalizePhone } from '../../src/domain/evaluation/phone.ts'

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
