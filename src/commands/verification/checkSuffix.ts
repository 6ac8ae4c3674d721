/** Validates the suffix of an account's messages (`invalid_suffix`, `suffix_not_allowed`). */

import { Failure, type FailureCode } from '../../domain/failure.ts'
import {
  ambiguousNames,
  harmlessWords,
  namesMatchedAnywhere,
  namesMatchedAsWords,
} from '../../domain/verification/impersonatedNames.ts'
import type { AccountState } from '../../events/accounts/account.ts'

/** So that a code and its sentence fit into one message in most languages. */
const suffixMax = 40

/** Letters of any script, digits and what stands in the names of companies; begins with a letter or a digit. */
const suffixForm = /^[\p{L}\p{M}\d](?:[\p{L}\p{M}\d &'’.,()+!-]*[\p{L}\p{M}\d.!)])?$/u
const linkForm = /[\p{L}\d]\.[\p{L}\d]|\bwww\b|\bhttps?\b/iu
const otherScript = /(?!\p{Script=Latin})[\p{L}\p{M}]/u

/**
 * The suffix in the form in which it is stored. Throws `custom_suffix_not_enabled`, `invalid_suffix` for a malformed
 * one or one that may be taken for a link, `suffix_script_not_supported` for other than Latin letters,
 * `suffix_not_allowed` for one that imitates another company.
 */
export function checkSuffix(
  given: string,
  { name, custom_suffix }: Pick<AccountState, 'name' | 'custom_suffix'>,
): string {
  if (!custom_suffix) {
    const message = 'Custom suffixes are not enabled on this account.'
    throw new Failure('custom_suffix_not_enabled', message)
  }
  const suffix = given.normalize('NFC')
  if (suffix.length > suffixMax || !suffixForm.test(suffix) || suffix.includes('  ')) {
    const message = `Must be 1 to ${suffixMax} letters, digits, single spaces and &'’.,()+!-, beginning with a letter or a digit.`
    throw buildSuffixFailure('invalid_suffix', message)
  }
  if (linkForm.test(suffix)) {
    throw buildSuffixFailure(
      'invalid_suffix',
      'Must not look like a link: networks block messages with links.',
    )
  }
  if (otherScript.test(suffix)) {
    throw buildSuffixFailure('suffix_script_not_supported', 'Must be in Latin letters.')
  }
  if (impersonatesKnownName(suffix, name)) {
    const message = 'Must not read like another company or a public institution.'
    throw buildSuffixFailure('suffix_not_allowed', message)
  }
  return suffix
}

function buildSuffixFailure(code: FailureCode, message: string): Failure {
  const details = [{ path: 'suffix', message }]
  return new Failure(code, 'The suffix cannot be used; see details.', { param: 'request', details })
}

/** Whether the text reads like the name of a known company or institution, other than the account's own name. */
function impersonatesKnownName(text: string, ownName: string): boolean {
  const own = foldWords(ownName).join('')
  const words = foldWords(text)
  const squeezed = joinFoldedWords(harmlessWordSet, text)
  const isTheirs = (name: string): boolean => !own.includes(foldWord(name))
  return (
    namesMatchedAnywhere.some((name) => isTheirs(name) && squeezed.includes(foldWord(name))) ||
    namesMatchedAsWords.some(
      (name) => isTheirs(name) && findNameRange(name, words) !== undefined,
    ) ||
    ambiguousNames.some((one) => isTheirs(one.name) && isNameMeant(one, words))
  )
}

const harmlessWordSet: ReadonlySet<string> = new Set(harmlessWords)

/** All letters of a text in one, whatever is put between them; where such a word stands, a gap. */
function joinFoldedWords(gaps: ReadonlySet<string>, text: string): string {
  return splitWords(text)
    .map((word) => (gaps.has(stripAccents(word)) ? ' ' : foldWord(word)))
    .join('')
}

/** Of so many letters on, the parts of a name are more than words that happen to stand side by side. */
const partsMin = 6

/**
 * Where the name stands as a word, as letters one by one, or in parts: the index of its first word, and of the one
 * after its last.
 */
function findNameRange(
  name: string,
  words: readonly string[],
): readonly [number, number] | undefined {
  const sought = foldWord(name)
  for (const first of words.keys()) {
    const end = findNameEnd(sought, words, first)
    if (end !== undefined && isReadAsOneWord(sought, end - first, words)) return [first, end]
  }
  return undefined
}

/** Where the words from the first on that make up the sought one end; undefined when they do not. */
function findNameEnd(sought: string, words: readonly string[], first: number): number | undefined {
  let read = ''
  for (let end = first; end < words.length && read.length < sought.length; end += 1) {
    read += words[end]
    if (read === sought) return end + 1
  }
  return undefined
}

/** Whether so many words in a row are read as the one that they make up. */
function isReadAsOneWord(
  sought: string,
  count: number,
  { length: all }: readonly string[],
): boolean {
  return [1, all, sought.length].includes(count) || sought.length >= partsMin
}

/** What may stand beside a name without making it another. */
const fillers = ['a', 'an', 'by', 'de', 'for', 'from', 'my', 'of', 'our', 'the', 'your'].map(
  foldWord,
)

/** Whether a word that many are called by is the name of the one: beside nothing else, or beside what tells so. */
function isNameMeant(
  { name, beside }: (typeof ambiguousNames)[number],
  words: readonly string[],
): boolean {
  const range = findNameRange(name, words)
  if (!range) return false
  const others = [...words.slice(0, range[0]), ...words.slice(range[1])]
  const telling = new Set(beside.map(foldWord))
  return others.every((word) => fillers.includes(word)) || others.some((word) => telling.has(word))
}

/** The words of a text, each in the form in which those that look alike are the same. */
function foldWords(text: string): readonly string[] {
  return splitWords(text)
    .map(foldWord)
    .filter((word) => word !== '')
}

function splitWords(text: string): readonly string[] {
  return text.split(/[^\p{L}\p{M}\d!]+/u)
}

/** In lower case, without accents. */
function stripAccents(word: string): string {
  return word.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()
}

function foldWord(word: string): string {
  return stripAccents(word)
    .replace(/[^a-z]/g, (character) => lookalikes[character] ?? character)
    .replaceAll('i', 'l')
}

/** Written in the place of a letter to get past a list such as this one. */
const lookalikes: Readonly<Record<string, string>> = {
  0: 'o',
  1: 'l',
  '!': 'l',
  3: 'e',
  4: 'a',
  5: 's',
  7: 't',
  8: 'b',
  ı: 'l',
  ł: 'l',
  ø: 'o',
  đ: 'd',
  ß: 'ss',
}
