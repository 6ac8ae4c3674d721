/** The profiles of this user: names for a server and its tokens. */

import { nearest } from '../../domain/nearest.ts'
import { type CliError, usageError } from '../terminal/cliError.ts'
import { readSecretFile, writeSecretFile } from './secretFile.ts'

export interface Profile {
  readonly server?: string
  readonly token?: string
  readonly operator_token?: string
}

export type Profiles = Readonly<Record<string, Profile>>

/** The profile used when none is named. */
export const defaultProfile = 'default'

const fields = ['server', 'token', 'operator_token'] as const
const profilesMax = 1_000

/** Every profile by name; none when there is no file. Throws `usage` for a file that others can read or that is not understood. */
export function readProfiles(file: string): Profiles {
  const text = readSecretFile(file)
  if (text === undefined) return {}
  const read = parsed(text)
  if (typeof read !== 'object' || read === null) throw notUnderstood(file)
  const { profiles } = read as { readonly profiles?: unknown }
  if (typeof profiles !== 'object' || profiles === null) throw notUnderstood(file)
  return Object.fromEntries(
    Object.entries(profiles)
      .slice(0, profilesMax)
      .map(([name, value]) => [name, profileOf(value, file)]),
  )
}

/** Writes them all. */
export function writeProfiles(file: string, profiles: Profiles): void {
  writeSecretFile(file, `${JSON.stringify({ profiles }, null, 2)}\n`)
}

/** Throws `usage` unless it is 1 to 64 letters, digits, dots, dashes and underscores. */
export function checkProfileName(name: string): void {
  if (/^[A-Za-z0-9][\w.-]{0,63}$/.test(name) && name !== '__proto__') return
  throw usageError('A profile name is 1 to 64 letters, digits, dots, dashes and underscores.')
}

/** What is said of a profile that is not kept, with the one that was probably meant. */
export function noProfile(name: string, profiles: Profiles): CliError {
  const meant = nearest(name, Object.keys(profiles))
  const guess = meant === undefined ? '' : ` Did you mean ${meant}?`
  return usageError(`There is no profile ${name}.${guess}`, { hint: 'See: vigil profile list' })
}

function profileOf(value: unknown, file: string): Profile {
  if (typeof value !== 'object' || value === null) throw notUnderstood(file)
  const given = fields.map((name) => [name, Reflect.get(value, name)] as const)
  if (given.some(([, text]) => text !== undefined && typeof text !== 'string')) {
    throw notUnderstood(file)
  }
  return Object.fromEntries(given.filter(([, text]) => text !== undefined))
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function notUnderstood(file: string): Error {
  return usageError(`${file} is not a file of profiles; mend or remove it.`)
}
