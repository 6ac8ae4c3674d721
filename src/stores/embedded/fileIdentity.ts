/** Which file a path leads to: to know of a file that is open whether it is still the one that the next start will find. */

import { statSync } from 'node:fs'
import { fileRefusal } from './databaseTrouble.ts'

export interface FileIdentity {
  readonly dev: bigint
  readonly ino: bigint
}

/** The file at the path, undefined when there is none. Throws what the system says when it cannot be looked at. */
export function fileAt(path: string): FileIdentity | undefined {
  return statSync(path, { bigint: true, throwIfNoEntry: false })
}

/** The file that was opened just now. Throws an `Error` that names the path when it is gone already. */
export function openedFile(path: string): FileIdentity {
  const found = fileAt(path)
  if (!found) throw otherFile(path)
  return found
}

/** Whether they are one file; of what is not there nothing is the same. */
export function isSameFile(
  one: FileIdentity | undefined,
  other: FileIdentity | undefined,
): boolean {
  return one !== undefined && one.dev === other?.dev && one.ino === other.ino
}

/** Whether the path leads to this file as far as can be seen: where nothing can be looked at, nothing speaks against it. */
export function isStillAt(path: string, meant: FileIdentity): boolean {
  try {
    return isSameFile(meant, fileAt(path))
  } catch {
    return true
  }
}

/** Throws an `Error` that names the path when another file than this one is there, or none. */
export function refuseOtherFile(path: string, meant: FileIdentity): void {
  if (isSameFile(meant, fileAt(path))) return
  throw otherFile(path)
}

function otherFile(path: string): Error {
  return fileRefusal(path, 'it was deleted or replaced while it is in use')
}
