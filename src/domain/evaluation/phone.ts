/** Normalizes phone numbers to E.164 (spec 2.2), and finds the country of a number. */

import { Metadata } from 'libphonenumber-js/core'
import { isSupportedCountry, parsePhoneNumberFromString } from 'libphonenumber-js/max'
import metadata from 'libphonenumber-js/max/metadata'

const textMax = 32
const separators = /[ ().-]/g
const writtenForm = /^\+[0-9 ().-]+$/
const e164 = /^\+[1-9][0-9]{4,14}$/
const codeDigitsMax = 3

/**
 * The E.164 form (`+15551234567`) of a number in international form, or undefined when it is none. Spaces, dots, dashes and parentheses are
 * allowed between digits. The length must be possible in the number's country; whether the number or its range is assigned is not checked,
 * because ranges are assigned faster than libraries are updated.
 */
export function canonicalPhone(text: string): string | undefined {
  const written = text.trim()
  if (written.length > textMax || !writtenForm.test(written)) return undefined
  return planOfPlain(written) ? written : canonicalOf(written.replace(separators, ''))
}

/**
 * The numbering plan of a number that is written as the library would write it, by what it knows of the country's code: of a possible
 * length, and without anything that it might take off. Undefined says nothing.
 */
function planOfPlain(written: string): NumberingPlan | undefined {
  if (!e164.test(written)) return undefined
  for (let digits = 1; digits <= codeDigitsMax; digits += 1) {
    const plan = plans.get(written.slice(1, 1 + digits))
    if (!plan) continue
    const national = written.slice(1 + digits)
    return plan.lengths.has(national.length) && !plan.dialedBefore.test(national) ? plan : undefined
  }
  return undefined
}

interface NumberingPlan {
  /** Of national numbers, in digits: possible in all countries that share the code. */
  readonly lengths: ReadonlySet<number>
  /** What is dialed before one inside the country, and is no part of it. */
  readonly dialedBefore: RegExp
  /** The country, where the code belongs to one alone. */
  readonly onlyCountry: string | undefined
}

/** The library's country of numbers that belong to none (`+800…`). */
const nowhere = '001'

/** By calling code. */
const plans: ReadonlyMap<string, NumberingPlan> = new Map(
  Object.entries(metadata.country_calling_codes).map(([code, countries]) => [
    code,
    planOf(code, countries),
  ]),
)

/** The library's metadata, of whose functions its types name only a part. */
interface KnownPlans {
  readonly selectNumberingPlan: (of: string) => void
  readonly numberingPlan?: {
    readonly possibleLengths: () => readonly number[]
    readonly nationalPrefixForParsing: () => string | undefined
  }
}

function planOf(code: string, countries: readonly string[]): NumberingPlan {
  const known = new Metadata(metadata) as unknown as KnownPlans
  const lengthsOf = (of: string): readonly number[] => {
    known.selectNumberingPlan(of)
    return known.numberingPlan?.possibleLengths() ?? []
  }
  const own = countries.filter((country) => country !== nowhere)
  const others = own.map(lengthsOf)
  const lengths = lengthsOf(code).filter((length) => others.every((some) => some.includes(length)))
  const before = known.numberingPlan?.nationalPrefixForParsing() ?? ''
  // nothing is dialed before the numbers of some countries
  const dialedBefore = before === '' ? /^(?!)/ : new RegExp(`^(?:${before})`)
  const [onlyCountry] = countries.length === 1 ? own : []
  return { lengths: new Set(lengths), dialedBefore, onlyCountry }
}

function canonicalOf(plain: string): string | undefined {
  const number = read(plain)
  // a trunk prefix (`+44 (0)20 …`) is taken off; some numbers would lose a digit at every reading, and have no one form
  return number === plain || (number !== undefined && read(number) === number) ? number : undefined
}

/**
 * The ISO 3166 code of the country of an E.164 number, or undefined where the number belongs to none (`+800…`) or, among the
 * countries that share a calling code, to none that can be told.
 */
export function phoneCountry(number: string): string | undefined {
  const { onlyCountry } = planOfPlain(number) ?? {}
  return onlyCountry ?? parsePhoneNumberFromString(number, { extract: false })?.country
}

/** Whether numbers can belong to the country of this ISO 3166 code. */
export function isPhoneCountry(code: string): boolean {
  return isSupportedCountry(code)
}

function read(plain: string): string | undefined {
  const parsed = parsePhoneNumberFromString(plain, { extract: false })
  return parsed?.isPossible() ? parsed.number : undefined
}
