/** A file for secrets: written whole or not at all, mode 0600, and not believed once others can read it. */

import { chmodSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { usageError } from '../terminal/cliError.ts'
import { makeFolder } from '../terminal/makeFolder.ts'

/** The text of the file; undefined when there is none. Throws `usage` when anyone but its owner may read or change it. */
export function readSecretFile(path: string): string | undefined {
  const stats = statSync(path, { throwIfNoEntry: false })
  if (!stats) return undefined
  const othersMay = stats.mode & 0o077
  // Windows has no such modes
  if (othersMay !== 0 && process.platform !== 'win32') {
    const mode = (stats.mode & 0o777).toString(8).padStart(4, '0')
    throw usageError(
      `${path} holds tokens and is open to others (mode ${mode}); close it with: chmod 600 ${path}`,
    )
  }
  return readFileSync(path, 'utf8')
}

/** Puts the text in the place of the file, which only its owner may then read. */
export function writeSecretFile(path: string, text: string): void {
  makeFolder(dirname(path), 0o700)
  const beside = `${path}.${process.pid}.new`
  writeFileSync(beside, text, { mode: 0o600 })
  // the mode above holds only for a file that was not there
  chmodSync(beside, 0o600)
  renameSync(beside, path)
}
