/** Canonicalizes passwords, and checks new ones against the application's policy (spec 4.4). */

import { Failure, invalidRequest } from '../domain/failure.ts'
import type { PasswordPolicy } from '../domain/sessions/appSettings.ts'
import { type Identifier, normalizeIdentifier } from '../domain/sessions/userIdentifiers.ts'

/**
 * Longer passwords are rejected unread: four UTF-16 units for each code point of the longest password that any
 * application may allow.
 */
export const passwordUnitsMax = 4 * 1_024

/**
 * The form in which a password is counted and hashed: Unicode NFC, so that it is the same from every keyboard.
 * Undefined for one that is longer than any application allows. Throws `invalid_request` for text that is not valid
 * Unicode, since two such texts might have the same bytes.
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
 * A new password in its canonical form. Throws `invalid_password` when it violates the policy and, under every policy,
 * when it is common or an identifier of the user (NIST SP 800-63B, 5.1.1.2); `invalid_request` for text that is not
 * valid Unicode.
 */
export async function requireValidPassword(
  { policy, identifiers }: Choosing,
  text: string,
): Promise<string> {
  const password = canonicalizePassword(text)
  const problems = [...listPasswordProblems(policy, password)]
  if (password === undefined) throw invalidPasswordFailure(problems)
  if (await isCommon(password)) problems.push('Must not be one of the most common passwords.')
  if (identifiers.some((one) => isIdentifier(password, one))) {
    problems.push('Must not be what the user is known by.')
  }
  if (problems.length > 0) throw invalidPasswordFailure(problems)
  return password
}

/** The failure for a password that is the current one. */
export function unchangedPasswordFailure(): Failure {
  return invalidPasswordFailure(['Must not be the current password.'])
}

function invalidPasswordFailure(problems: readonly string[]): Failure {
  const details = problems.map((message) => ({ path: 'password', message }))
  const message = 'The application does not take this password; see details.'
  return new Failure('invalid_password', message, { param: 'password', details })
}

let common: Promise<ReadonlySet<string>> | undefined

/** As it is compared with what is easily guessed: in any case and width of letters (Unicode NFKC). */
function foldPassword(text: string): string {
  return text.normalize('NFKC').toLowerCase()
}

/** Whether the password is on the list, however its letters are written. The list is loaded with the first password. */
async function isCommon(password: string): Promise<boolean> {
  common ??= import('./commonPasswords.json', { with: { type: 'json' } }).then(
    ({ default: { passwords } }) => new Set(passwords.split(' ')),
  )
  return (await common).has(foldPassword(password))
}

/** Whether the password is the identifier, however its letters are written, without `+` or without the domain. */
function isIdentifier(password: string, { type, value }: Identifier): boolean {
  const folded = foldPassword(password)
  const [name = ''] = value.split('@')
  return (
    [value, name].map(foldPassword).includes(folded) ||
    [folded, `+${folded}`].some(
      (text) => normalizeIdentifier({ type, value: text })?.value === value,
    )
  )
}

/** The problems of a password, in canonical form or undefined when it is too long; they never repeat any of it. */
export function listPasswordProblems(
  { min_length: min, max_length: max, ...policy }: PasswordPolicy,
  password: string | undefined,
): readonly string[] {
  const tooLong = `Must have at most ${formatCount(max, 'character')}.`
  if (password === undefined) return [tooLong]
  const { length } = [...password]
  return [
    ...(length < min ? [`Must have at least ${formatCount(min, 'character')}.`] : []),
    ...(length > max ? [tooLong] : []),
    ...kinds
      .filter(([kind, form]) => (password.match(form)?.length ?? 0) < policy[kind])
      .map(([kind, , name]) => `Must have at least ${formatCount(policy[kind], name)}.`),
  ]
}

/** Of code points. */
const kinds = [
  ['uppercase', /\p{Lu}/gu, 'upper-case letter'],
  ['lowercase', /\p{Ll}/gu, 'lower-case letter'],
  ['numbers', /\p{Nd}/gu, 'digit'],
  ['symbols', /[^\p{Lu}\p{Ll}\p{Nd}]/gu, 'other character'],
] as const

function formatCount(count: number, name: string): string {
  return `${count} ${name}${count === 1 ? '' : 's'}`
}
