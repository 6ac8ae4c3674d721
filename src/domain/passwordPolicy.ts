/** Which passwords an application takes (spec 4.4): how they are brought into one form, counted and judged. */

import type { PasswordPolicy } from './appSettings.ts'
import { Failure, type FailureDetail, invalidRequest } from './failure.ts'

/**
 * UTF-16 units beyond which nothing of a password is looked at: four for each code point that the longest password of any application may
 * have.
 */
export const passwordUnitsMax = 4 * 1_024

/**
 * The form in which a password is counted and hashed: Unicode form NFC, so that it is the same from whatever keyboard. Undefined for one
 * that is longer than any application takes, of which nothing is computed. Throws `invalid_request` for what is no Unicode text: two of
 * them might have the same bytes.
 */
export function canonicalPassword(text: string): string | undefined {
  if (text.length > passwordUnitsMax) return undefined
  if (loneSurrogate.test(text)) {
    throw invalidRequest([{ path: 'password', message: 'Must be Unicode text.' }])
  }
  return text.normalize('NFC')
}

const loneSurrogate = /\p{Surrogate}/u

/** A password in its canonical form. Throws `invalid_password` for one that the policy does not take, `invalid_request` for what is no text. */
export function acceptedPassword(policy: PasswordPolicy, text: string): string {
  const password = canonicalPassword(text)
  const details = passwordProblems(policy, password)
  if (password !== undefined && details.length === 0) return password
  throw new Failure(
    'invalid_password',
    'The application does not take this password; see details.',
    {
      param: 'password',
      details,
    },
  )
}

/** What is wrong with a password in its canonical form, or with one that has none because it is too long; no word of it is repeated. */
export function passwordProblems(
  policy: PasswordPolicy,
  password: string | undefined,
): readonly FailureDetail[] {
  if (password === undefined) return problem(tooLong(policy))
  const found = countCharacters(password)
  const { min_length: min, max_length: max } = policy
  return [
    ...(found.length < min ? problem(`Must have at least ${counted(min, 'character')}.`) : []),
    ...(found.length > max ? problem(tooLong(policy)) : []),
    ...kinds.flatMap(([kind, name]) =>
      found[kind] < policy[kind]
        ? problem(`Must have at least ${counted(policy[kind], name)}.`)
        : [],
    ),
  ]
}

type Kind = Exclude<keyof PasswordPolicy, 'min_length' | 'max_length'>

const kinds = [
  ['uppercase', 'upper-case letter'],
  ['lowercase', 'lower-case letter'],
  ['numbers', 'digit'],
  ['symbols', 'other character'],
] as const satisfies readonly (readonly [Kind, string])[]

/** How many code points there are, and how many of each kind. */
function countCharacters(password: string): Record<Kind | 'length', number> {
  const found = { length: 0, uppercase: 0, lowercase: 0, numbers: 0, symbols: 0 }
  for (const character of password) {
    found.length += 1
    found[kindOf(character)] += 1
  }
  return found
}

function kindOf(character: string): Kind {
  if (/\p{Lu}/u.test(character)) return 'uppercase'
  if (/\p{Ll}/u.test(character)) return 'lowercase'
  return /\p{Nd}/u.test(character) ? 'numbers' : 'symbols'
}

function tooLong({ max_length: max }: PasswordPolicy): string {
  return `Must have at most ${counted(max, 'character')}.`
}

function counted(count: number, name: string): string {
  return `${count} ${name}${count === 1 ? '' : 's'}`
}

function problem(message: string): readonly FailureDetail[] {
  return [{ path: 'password', message }]
}
