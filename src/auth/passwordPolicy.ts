/** Canonicalizes passwords, and checks new ones against the application's policy (spec 4.4). */

import { Failure, type FailureDetail, invalidRequest } from '../domain/failure.ts'
import type { PasswordPolicy } from '../domain/sessions/appSettings.ts'
import { type Identifier, normalizeIdentifier } from '../domain/sessions/userIdentifiers.ts'

/** Longer passwords are rejected unread: four UTF-16 units for each code point of the longest password that any application may allow. */
export const passwordUnitsMax = 4 * 1_024

/**
 * The form in which a password is counted and hashed: Unicode NFC, so that it is the same from every keyboard. Undefined for one that is
 * longer than any application allows. Throws `invalid_request` for text that is not valid Unicode, since two such texts might have the same
 * bytes.
 */
export function canonicalizePassword(text: string): string | undefined {
  if (text.length > passwordUnitsMax) return undefined
  if (loneSurrogate.test(text)) {
    throw invalidRequest([{ path: 'password', message: 'Must be Unicode text.' }])
  }
  return text.normalize('NFC')
}

const loneSurrogate = /\p{Surrogate}/u

interface Choosing {
  readonly policy: PasswordPolicy
  /** The known identifiers of the user. */
  readonly identifiers: readonly Identifier[]
}

/**
 * A new password in its canonical form. Throws `invalid_password` when it violates the policy and, under every policy, when it is common or
 * an identifier of the user (NIST SP 800-63B, 5.1.1.2); `invalid_request` for text that is not valid Unicode.
 */
export async function requireValidPassword(
  { policy, identifiers }: Choosing,
  text: string,
): Promise<string> {
  const password = canonicalizePassword(text)
  const details = [...listPasswordProblems(policy, password)]
  if (password !== undefined && (await isCommon(password))) {
    details.push(...problem('Must not be one of the most common passwords.'))
  }
  if (password !== undefined && identifiers.some((one) => isIdentifier(password, one))) {
    details.push(...problem('Must not be what the user is known by.'))
  }
  if (password !== undefined && details.length === 0) return password
  throw refusedPassword(details)
}

/** The failure for a password that is the current one. */
export function unchangedPasswordFailure(): Failure {
  return refusedPassword(problem('Must not be the current password.'))
}

function refusedPassword(details: readonly FailureDetail[]): Failure {
  const message = 'The application does not take this password; see details.'
  return new Failure('invalid_password', message, { param: 'password', details })
}

let common: Promise<ReadonlySet<string>> | undefined

/** Whether the password is on the list, in any case of letters. The list is loaded with the first password. */
async function isCommon(password: string): Promise<boolean> {
  common ??= import('./commonPasswords.json', { with: { type: 'json' } }).then(
    ({ default: { passwords } }) => new Set(passwords.split(' ')),
  )
  return (await common).has(password.toLowerCase())
}

/** Whether the password is the identifier, in any case of letters, without `+` or without the domain. */
function isIdentifier(password: string, { type, value }: Identifier): boolean {
  const [name] = value.split('@')
  const texts = [value, name].map((text) => text?.toLowerCase())
  return (
    texts.includes(password.toLowerCase()) ||
    [password, `+${password}`].some(
      (text) => normalizeIdentifier({ type, value: text })?.value === value,
    )
  )
}

/** The problems of a password, in canonical form or undefined when it is too long; messages never repeat any of it. */
export function listPasswordProblems(
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

/** The number of code points, in total and by kind. */
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
