/** Normalizes phone numbers to E.164 (spec 2.2), and finds the country of a number. */

import { Metadata } from 'libphonenumber-js/core'
import {
  isSupportedCountry,
  parsePhoneNumberFromString,
  validatePhoneNumberLength,
} from 'libphonenumber-js/max'
import metadata from 'libphonenumber-js/max/metadata'
import { nameCharacter } from '../text/quoteText.ts'

const textMax = 32
const separators = /[ ().-]/g
const writtenForm = /^\+[0-9 ().-]+$/
const e164 = /^\+[1-9][0-9]{4,14}$/
const codeDigitsMax = 3

/**
 * The E.164 form (`+15551234567`) of a number in international form, or undefined when it is none. Spaces, dots, dashes
 * and parentheses are allowed between digits. The length must be possible in the number's country; whether the number
 * or its range is assigned is not checked, because ranges are assigned faster than libraries are updated.
 */
export function normalizePhone(text: string): string | undefined {
  const written = text.trim()
  if (written.length > textMax || !writtenForm.test(written)) return undefined
  return findPlanOfCanonical(written) ? written : canonicalize(removeSeparators(written))
}

/**
 * Same for a number that may have been stored by a service with an earlier table: one that the table of today refuses
 * is as it was written. For questions and removals only.
 */
export function normalizeStoredPhone(text: string): string | undefined {
  const written = text.trim()
  return normalizePhone(written) ?? (/^\+[1-9]\d{6,14}$/.test(written) ? written : undefined)
}

/**
 * The one spelling of a number that its country writes in two: of Argentina without the 9 before mobile numbers, of
 * Brazil with the ninth digit of mobile numbers. By it persons are told apart; every other number is as it is.
 */
export function unifyPhone(number: string): string {
  if (number.startsWith('+549')) return number.replace(/^\+549(?=[1-9]\d{9}$)/, '+54')
  return number.replace(/^(?<area>\+55[1-9][1-9])(?=[6-9]\d{7}$)/, '$<area>9')
}

/**
 * The digits of a number as people write it inside its country; in Argentina mobile numbers have a 15 behind the area
 * code, of 2 to 4 digits.
 */
export function listNationalSpellings(number: string): readonly string[] {
  const digits = findNationalNumber(unifyPhone(number))
  if (!number.startsWith('+54')) return [digits]
  return [digits, ...[2, 3, 4].map((area) => `${digits.slice(0, area)}15${digits.slice(area)}`)]
}

/** Also without the 1 that Mexico had before mobile numbers until 2019. */
function removeSeparators(written: string): string {
  return written.replace(separators, '').replace(/^\+521(?=\d{10}$)/, '+52')
}

/** What `normalizePhone` takes, and why it does not take this text. */
export function describePhoneRefusal(text: string): string {
  return `Must be a phone number in E.164 form, such as +15551234567; ${findPhoneFault(text.trim())}.`
}

function findPhoneFault(written: string): string {
  const odd = /[^+0-9 ().-]/u.exec(written)
  if (written === '') return 'this one is empty'
  if (odd) return `this one has ${nameCharacter(odd[0])}`
  if (!written.startsWith('+')) return 'this one has no + in front'
  if (written.lastIndexOf('+') > 0) return 'this one has a second +'
  if (written.length > textMax) return `this one has more than ${textMax} characters`
  return faultsOfLength[validatePhoneNumberLength(removeSeparators(written)) ?? 'INVALID_LENGTH']
}

const faultsOfLength = {
  TOO_SHORT: 'this one is too short for its country',
  NOT_A_NUMBER: 'this one is too short',
  TOO_LONG: 'this one is too long for its country',
  INVALID_LENGTH: 'no number of its country has this length',
  INVALID_COUNTRY: 'no country has its calling code',
} as const

/**
 * The numbering plan of a number that is certainly canonical: of a possible length and without a prefix to strip.
 * Undefined does not mean that the number is not canonical.
 */
function findPlanOfCanonical(written: string): NumberingPlan | undefined {
  if (!e164.test(written)) return undefined
  const code = findCallingCode(written)
  const plan = plans.get(code)
  const national = written.slice(1 + code.length)
  return plan?.lengths.has(national.length) && !plan.dialedBefore.test(national) ? plan : undefined
}

/** The calling code of an E.164 number, which no other code begins with; empty where no country has it. */
function findCallingCode(number: string): string {
  for (let digits = 1; digits <= codeDigitsMax; digits += 1) {
    const code = number.slice(1, 1 + digits)
    if (plans.has(code)) return code
  }
  return ''
}

/** Calling code and four digits of an E.164 number, as in `+336123`; undefined where no country has the code. */
export function extractPhonePrefix(number: string): string | undefined {
  const code = findCallingCode(number)
  return code === '' ? undefined : number.slice(0, 1 + code.length + 4)
}

interface NumberingPlan {
  /** Lengths of national numbers that are possible in all countries of the code. */
  readonly lengths: ReadonlySet<number>
  /** The prefix dialed before a number inside the country. */
  readonly dialedBefore: RegExp
  /** The country, when the code belongs to one only. */
  readonly onlyCountry: string | undefined
}

/** The library's country of numbers without one (`+800…`). */
const nowhere = '001'

/** By calling code. */
const plans: ReadonlyMap<string, NumberingPlan> = new Map(
  Object.entries(metadata.country_calling_codes).map(([code, countries]) => [
    code,
    buildNumberingPlan(code, countries),
  ]),
)

/** Functions of the library's metadata that its types omit. */
interface KnownPlans {
  readonly selectNumberingPlan: (of: string) => void
  readonly numberingPlan?: {
    readonly possibleLengths: () => readonly number[]
    readonly nationalPrefixForParsing: () => string | undefined
  }
}

function buildNumberingPlan(code: string, countries: readonly string[]): NumberingPlan {
  const known = new Metadata(metadata) as unknown as KnownPlans
  const lengthsOf = (of: string): readonly number[] => {
    known.selectNumberingPlan(of)
    return known.numberingPlan?.possibleLengths() ?? []
  }
  const own = countries.filter((country) => country !== nowhere)
  const others = own.map(lengthsOf)
  const lengths = lengthsOf(code).filter((length) => others.every((some) => some.includes(length)))
  const before = known.numberingPlan?.nationalPrefixForParsing() ?? ''
  // some countries have no such prefix
  const dialedBefore = before === '' ? /^(?!)/ : new RegExp(`^(?:${before})`)
  const [onlyCountry] = countries.length === 1 ? own : []
  return { lengths: new Set(lengths), dialedBefore, onlyCountry }
}

function canonicalize(plain: string): string | undefined {
  const number = parseNumber(plain)
  // a trunk prefix (`+44 (0)20 …`) is stripped; numbers that lose a digit at every parse have no canonical form
  return number === plain || (number !== undefined && parseNumber(number) === number)
    ? number
    : undefined
}

/**
 * The ISO 3166 code of the country of an E.164 number; undefined for numbers of no country (`+800…`) and of an unknown
 * one.
 */
export function findPhoneCountry(number: string): string | undefined {
  const { onlyCountry } = findPlanOfCanonical(number) ?? {}
  return onlyCountry ?? parsePhoneNumberFromString(number, { extract: false })?.country
}

/** The digits of an E.164 number without its calling code. */
function findNationalNumber(number: string): string {
  return parsePhoneNumberFromString(number, { extract: false })?.nationalNumber ?? number.slice(1)
}

/** Whether numbers can belong to the country of this ISO 3166 code. */
export function isPhoneCountry(code: string): boolean {
  return isSupportedCountry(code)
}

function parseNumber(plain: string): string | undefined {
  const parsed = parsePhoneNumberFromString(plain, { extract: false })
  return parsed?.isPossible() ? parsed.number : undefined
}
