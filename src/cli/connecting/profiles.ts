/** Reads and writes the profiles file, which only its owner may access. */

import { chmodSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { makeFolder } from '../../domain/makeFolder.ts'
import { nearestName } from '../../domain/text/nearestName.ts'
import { type CliError, usageError } from '../terminal/cliError.ts'
import { withoutMark } from '../terminal/terminal.ts'

export interface Profile {
  readonly server?: string
  readonly token?: string
  readonly operator_token?: string
}

export type Profiles = Readonly<Record<string, Profile>>

/** The profile used when none is named. */
export const defaultProfile = 'default'

/** Reads all profiles by name; none without a file. Throws `usage` for a file that is malformed or open to others. */
export function readProfiles(file: string): Profiles {
  const text = readSecretFile(file)
  const profiles = text === undefined ? {} : parseProfiles(text)
  if (profiles) return profiles
  throw usageError(`${file} is not a file of profiles; mend or remove it.`)
}

function parseProfiles(text: string): Profiles | undefined {
  try {
    const { profiles } = JSON.parse(text) as { readonly profiles: Profiles }
    const isText = (value: unknown) => value === undefined || typeof value === 'string'
    const isProfile = (one: Profile) =>
      typeof one === 'object' && [one.server, one.token, one.operator_token].every(isText)
    const isValid = typeof profiles === 'object' && Object.values(profiles).every(isProfile)
    return isValid ? profiles : undefined
  } catch {
    // no JSON, or no objects in it
    return undefined
  }
}

export function writeProfiles(file: string, profiles: Profiles): void {
  writeSecretFile(file, `${JSON.stringify({ profiles }, null, 2)}\n`)
}

/** Throws `usage` unless it is 1 to 64 letters, digits, dots, dashes and underscores. */
export function checkProfileName(name: string): void {
  if (/^[A-Za-z0-9][\w.-]{0,63}$/.test(name) && name !== '__proto__') return
  throw usageError('A profile name is 1 to 64 letters, digits, dots, dashes and underscores.')
}

/** The error for an unknown profile, with the most similar name. */
export function unknownProfileError(name: string, profiles: Profiles): CliError {
  const meant = nearestName(name, Object.keys(profiles))
  const guess = meant === undefined ? '' : ` Did you mean ${meant}?`
  return usageError(`There is no profile ${name}.${guess}`, { hint: 'See: vigil profile list' })
}

/** The text of the file; undefined without one. Throws `usage` when anyone but its owner may read or change it. */
function readSecretFile(path: string): string | undefined {
  const stats = statSync(path, { throwIfNoEntry: false })
  if (!stats) return undefined
  const othersMay = stats.mode & 0o077
  // Windows has no such modes
  if (othersMay !== 0 && process.platform !== 'win32') {
    const mode = (stats.mode & 0o777).toString(8).padStart(4, '0')
    throw usageError(
      `${path} contains tokens and is open to others (mode ${mode}); close it with: chmod 600 ${path}`,
    )
  }
  return withoutMark(readFileSync(path, 'utf8'))
}

/** Replaces the file atomically; only its owner may read it. */
function writeSecretFile(path: string, text: string): void {
  makeFolder(dirname(path), 0o700)
  const temporary = `${path}.${process.pid}.new`
  writeFileSync(temporary, text, { mode: 0o600 })
  // the mode above applies only to a new file
  chmodSync(temporary, 0o600)
  renameSync(temporary, path)
}
