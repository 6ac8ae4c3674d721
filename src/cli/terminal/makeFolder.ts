/** Creates a folder and its missing parents. */

import { existsSync, mkdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

/**
 * Creates the missing folders with this mode, and throws the system's errors. Node's recursive `mkdir` is not used, since it never ends
 * on file systems such as /proc that report ENOENT below an existing parent.
 */
export function makeFolder(folder: string, mode = 0o777): void {
  const missing: string[] = []
  for (let place = folder; !existsSync(place); place = dirname(place)) {
    missing.push(place)
    // a root that is not there, such as a drive
    if (dirname(place) === place) break
  }
  for (const place of missing.reverse()) makeOne(place, mode)
}

function makeOne(place: string, mode: number): void {
  try {
    mkdirSync(place, { mode })
  } catch (thrown) {
    // another process may have made it in the meantime
    if (!statSync(place, { throwIfNoEntry: false })?.isDirectory()) throw thrown
  }
}
