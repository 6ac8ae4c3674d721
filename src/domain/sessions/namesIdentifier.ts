/** Tells whether a free text contains a number or an address, however it is written. */

import { domainToUnicode } from 'node:url'
import { listNationalSpellings } from '../evaluation/phone.ts'
import { findSubjectKind, type Identifier } from './userIdentifiers.ts'

/**
 * Digits at the end of a number by which it is known, with its country or without: +33 6 12 34 56 78 and 06 12 34 56
 * 78.
 */
const toldDigits = 8

const codedLabel = /xn--[a-z0-9-]+/g
const invisible = /\p{Default_Ignorable_Code_Point}/gu

/**
 * Whether the text contains the identifier, a canonical number or address: in any letter case, Unicode form, script of
 * digits and with any separators. Identifiers of custom types are in no text.
 */
export function namesIdentifier(text: string, { type, value }: Identifier): boolean {
  const kind = findSubjectKind(type)
  if (kind === 'email') return foldAddresses(text).includes(foldAddresses(value))
  if (kind !== 'phone') return false
  const digits = readDigits(text)
  return listNationalSpellings(value).some((national) =>
    digits.includes(national.slice(-toldDigits)),
  )
}

/** Whether the text could contain a number or an address of somebody who is not known any more. */
export function mayNameSomebody(text: string): boolean {
  return foldAddresses(text).includes('@') || readDigits(text).length >= toldDigits
}

/**
 * All decimal digits of the text as 0 to 9. Unicode has those of a script behind one another from zero on, sometimes
 * those of several.
 */
function readDigits(text: string): string {
  const digits = text.normalize('NFKC').match(/\p{Nd}/gu) ?? []
  return digits.map((one) => countDigitsBefore(one.codePointAt(0) ?? 0) % 10).join('')
}

function countDigitsBefore(codePoint: number): number {
  const before = codePoint - 1
  return /\p{Nd}/u.test(String.fromCodePoint(before)) ? 1 + countDigitsBefore(before) : 0
}

/** The text in one spelling of letters, domains and what separates their labels. */
function foldAddresses(text: string): string {
  const decoded = foldCase(text).replace(codedLabel, (label) => domainToUnicode(label) || label)
  return foldCase(decoded).replace(/\s*([@.])\s*/g, '$1')
}

/** About as Unicode folds case under NFKC. */
function foldCase(text: string): string {
  const visible = text.normalize('NFKC').replace(invisible, '')
  const folded = visible.toUpperCase().toLowerCase().replaceAll('ς', 'σ').replaceAll('。', '.')
  return folded.normalize('NFKC')
}
