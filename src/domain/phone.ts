/** Phone numbers in canonical form: E.164 (spec 2.2). */

import { parsePhoneNumberFromString } from 'libphonenumber-js/max'
import { LRUCache } from 'lru-cache'

const textMax = 32
const separators = /[ ().-]/g
const writtenForm = /^\+[0-9 ().-]+$/

/**
 * The E.164 form (`+15551234567`) of a number in international form, or undefined when it is none. Spaces, dots, dashes and
 * parentheses may stand between the digits. The length must be possible in the number's country; whether the number is in
 * use, or its range assigned, is not asked, because ranges are assigned faster than libraries are updated.
 */
export function canonicalPhone(text: string): string | undefined {
  const written = text.trim()
  if (written.length > textMax || !writtenForm.test(written)) return undefined
  const known = readLately.get(written)
  if (known !== undefined) return known
  const own = copyOf(written)
  const number = canonicalOf(own.replace(separators, ''))
  if (number !== undefined) readLately.set(own, number)
  return number
}

/** A text of its own: one that was cut out of a longer text keeps all of that in memory. The written form is ASCII. */
function copyOf(written: string): string {
  return Buffer.from(written, 'latin1').toString('latin1')
}

/** Numbers that were read lately, by what was written: some two hundred bytes each. */
const readLately = new LRUCache<string, string>({ max: 10_000 })

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
  return parsePhoneNumberFromString(number, { extract: false })?.country
}

function read(plain: string): string | undefined {
  const parsed = parsePhoneNumberFromString(plain, { extract: false })
  return parsed?.isPossible() ? parsed.number : undefined
}
