/** Creates a folder and its missing parents. */

import { existsSync, mkdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

/**
 * Makes those that are missing, with this mode. Throws what the system says when it does not let one be made. Not by Node's own way,
 * which never ends on a file system that says there is no such place where it says there is its parent (/proc).
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
