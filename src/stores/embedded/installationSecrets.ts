/** Loads or creates the master key and operator token of a data folder (mode 0600). */

import { existsSync, readFileSync } from 'node:fs'
import { hashSecret } from '../../auth/apiToken.ts'
import type { Random } from '../../domain/clock.ts'
import { explainOpenError } from './databaseErrors.ts'
import { type DataFolder, dataFolderAt, writeFileDurably } from './dataFolder.ts'

const keyBytes = 32

export interface InstallationInput {
  /** The data folder, which exists. */
  readonly folder: string
  readonly masterKey?: Uint8Array | undefined
  readonly operatorToken?: string | undefined
  readonly random: Random
}

export interface Installation {
  /** 32 bytes. */
  readonly masterKey: Uint8Array
  /** SHA-256, hexadecimal. */
  readonly operatorTokenHash: string
  /** Set when the token was made just now: it has to be shown, then kept (`keepOperatorToken`). */
  readonly newOperatorToken?: string
}

/**
 * The master key as configured, else as kept in the folder; undefined when there is none. Throws an `Error` that names
 * the file.
 */
export function findMasterKey({
  folder,
  masterKey,
}: Pick<InstallationInput, 'folder' | 'masterKey'>): Uint8Array | undefined {
  if (masterKey) return masterKey
  const hex = readHex(dataFolderAt(folder).masterKey, withoutMasterKey)
  return hex === undefined ? undefined : Buffer.from(hex, 'hex')
}

/**
 * The master key, made and kept when there is none: to be asked only when no keys were made under another one. Throws
 * like `findMasterKey`.
 */
export function openMasterKey(input: Omit<InstallationInput, 'operatorToken'>): Uint8Array {
  const found = findMasterKey(input)
  if (found) return found
  const made = Buffer.from(input.random.bytes(keyBytes))
  // on disk before it is used: a key that is lost with the power takes everything sealed under it along
  writeFileDurably(dataFolderAt(input.folder).masterKey, `${made.toString('hex')}\n`)
  return made
}

/**
 * The secrets: as configured, else as kept in the folder, else made, of which the master key is kept. Throws an `Error`
 * that names a file it cannot use.
 */
export function loadOrCreateSecrets(input: InstallationInput): Installation {
  const masterKey = openMasterKey(input)
  if (input.operatorToken !== undefined) {
    return { masterKey, operatorTokenHash: hashSecret(input.operatorToken) }
  }
  const { operatorToken: file } = dataFolderAt(input.folder)
  const stored = readHex(file, withoutToken)
  if (stored !== undefined) return { masterKey, operatorTokenHash: stored }
  const newOperatorToken = makeOperatorToken(input.random)
  return { masterKey, operatorTokenHash: hashSecret(newOperatorToken), newOperatorToken }
}

export function makeOperatorToken(random: Random): string {
  return `vgo_${Buffer.from(random.bytes(keyBytes)).toString('base64url')}`
}

/**
 * Has this be the token of the operator from the next start on, as long as none is configured. Throws an `Error` that
 * names the file.
 */
export function keepOperatorToken({ operatorToken: file }: DataFolder, token: string): void {
  writeFileDurably(file, `${hashSecret(token)}\n`)
}

const withoutMasterKey =
  'or move it away to go on without the keys made under it: vigil restore --accept-key-loss'
const withoutToken = 'or delete it: the next start makes a new operator token'

/** What the file keeps; undefined when there is none. `lost` says what to do when nobody has what it was any more. */
function readHex(file: string, lost: string): string | undefined {
  if (!existsSync(file)) return undefined
  let hex: string
  try {
    hex = readFileSync(file, 'utf8').trim()
  } catch (error) {
    throw explainOpenError(error, file)
  }
  if (/^[0-9a-f]{64}$/.test(hex)) return hex
  throw new Error(
    `Cannot use ${file}: it does not hold 64 hexadecimal digits; put back the file it was, ${lost}`,
  )
}
