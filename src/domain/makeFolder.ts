/** Makes a folder with its parents. */

import { existsSync, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'

/**
 * Throws the error of the system. Node's own `recursive` calls a read-only file system missing, and never returns where
 * nothing can be made (`/proc`).
 */
export function makeFolder(path: string, mode = 0o777): void {
  if (existsSync(path)) return
  const parent = dirname(path)
  if (parent !== path) makeFolder(parent, mode)
  mkdirSync(path, { mode })
}
