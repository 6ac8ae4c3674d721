/** The secrets of an installation on the embedded stores: made on the first start, kept in the data folder, mode 0600. */

import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { hashSecret } from '../../auth/apiToken.ts'
import type { Chance } from '../../domain/clock.ts'
import { openRefusal } from '../../stores/embedded/databaseTrouble.ts'

const masterKeyFile = 'master.key'
const operatorTokenFile = 'operator.token.sha256'
const keyBytes = 32

export interface InstallationInput {
  /** The data folder, which exists. */
  readonly folder: string
  readonly masterKey?: Uint8Array
  readonly operatorToken?: string
  readonly chance: Chance
}

export interface Installation {
  /** 32 bytes. */
  readonly masterKey: Uint8Array
  /** SHA-256, hexadecimal. */
  readonly operatorTokenHash: string
  /** Set when the token was made just now: it is kept nowhere, so it has to be shown. */
  readonly newOperatorToken?: string
}

/** The secrets: as configured, else as kept in the folder, else made and kept. Throws an `Error` that names a file it cannot use. */
export function openInstallation(input: InstallationInput): Installation {
  const masterKey = input.masterKey ?? keptMasterKey(input)
  if (input.operatorToken !== undefined) {
    return { masterKey, operatorTokenHash: hashSecret(input.operatorToken) }
  }
  const file = join(input.folder, operatorTokenFile)
  const kept = readIfThere(file)
  if (kept !== undefined) {
    return { masterKey, operatorTokenHash: hexOf(kept, file) }
  }
  const newOperatorToken = `vgo_${Buffer.from(input.chance.bytes(keyBytes)).toString('base64url')}`
  const operatorTokenHash = hashSecret(newOperatorToken)
  writeSecret(file, operatorTokenHash)
  return { masterKey, operatorTokenHash, newOperatorToken }
}

function keptMasterKey({ folder, chance }: InstallationInput): Uint8Array {
  const file = join(folder, masterKeyFile)
  const kept = readIfThere(file)
  if (kept !== undefined) return Buffer.from(hexOf(kept, file), 'hex')
  const made = Buffer.from(chance.bytes(keyBytes))
  writeSecret(file, made.toString('hex'))
  return made
}

function hexOf(text: string, file: string): string {
  const hex = text.trim()
  if (/^[0-9a-f]{64}$/.test(hex)) return hex
  throw new Error(`${file} does not hold 64 hexadecimal digits; put back the file it was.`)
}

function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw openRefusal(error, file)
  }
}

/** On disk before it is used: a key that is lost with the power takes everything sealed under it along. */
function writeSecret(file: string, text: string): void {
  try {
    writeSurely(file, text)
  } catch (error) {
    throw openRefusal(error, file)
  }
}

function writeSurely(file: string, text: string): void {
  const made = `${file}.new`
  const handle = openSync(made, 'w', 0o600)
  try {
    writeSync(handle, `${text}\n`)
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
  renameSync(made, file)
  const folder = openSync(join(file, '..'), 'r')
  try {
    fsyncSync(folder)
  } finally {
    closeSync(folder)
  }
}
