/** A folder of its own for each test, gone after it. */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'vigil-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}
