/** Creates a folder and its missing parents. */

import { existsSync, mkdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

/**
 * Creates the missing folders with this mode, and throws the system's errors. Node's recursive `mkdir` is not used, since it never ends
 * on file systems such as /proc that report ENOENT below an existing parent.
 */
export function makeFolder(folder: string, mode = 0o777): void {
  const missing: string[] = []
  for (let path = folder; !existsSync(path); path = dirname(path)) {
    missing.push(path)
    // a root that does not exist, such as a drive
    if (dirname(path) === path) break
  }
  for (const path of missing.reverse()) makeOne(path, mode)
}

function makeOne(path: string, mode: number): void {
  try {
    mkdirSync(path, { mode })
  } catch (thrown) {
    // another process may have made it in the meantime
    if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) throw thrown
  }
}
