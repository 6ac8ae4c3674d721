/** The files of a data folder that is in use, as they are found after a kill. */

import { cpSync, mkdtempSync, readdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Copies them into a new folder, which is the caller's to remove. */
export function crashedCopy(folder: string): string {
  const copy = mkdtempSync(join(tmpdir(), 'vigil-'))
  for (const name of readdirSync(folder)) {
    if (!/^lock|-shm$/.test(name)) cpSync(join(folder, name), join(copy, name))
  }
  return copy
}
