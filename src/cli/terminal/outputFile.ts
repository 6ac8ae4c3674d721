/** Opens the file or standard output that a command writes; a file appears once it is complete. */

import { appendFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { usageError } from './cliError.ts'
import type { CliContext, Output } from './terminal.ts'

interface OutputFile {
  readonly write: Output['write']
  /** Makes a complete file visible. */
  readonly keep: () => void
  /** Removes an incomplete file. */
  readonly end: () => void
}

/** Opens a file, or for `-` standard output. Throws `usage` for anything else, which the rename would replace. */
export function openOutputFile({ stdout }: CliContext, file: string): OutputFile {
  if (file === '-') return { write: stdout.write, keep: () => undefined, end: () => undefined }
  const existing = statSync(file, { throwIfNoEntry: false })
  if (existing && !existing.isFile()) {
    throw usageError(`${file} is not a file. For standard output, which can lead anywhere, give -.`)
  }
  const temporary = `${file}.${process.pid}.part`
  writeFileSync(temporary, '')
  return {
    write: (piece) => appendFileSync(temporary, piece),
    keep: () => renameSync(temporary, file),
    end: () => rmSync(temporary, { force: true }),
  }
}
