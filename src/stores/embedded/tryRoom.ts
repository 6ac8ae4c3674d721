/** Finds out whether a folder has room, by taking it for a moment: no other question is answered alike by quotas and file systems. */

import { closeSync, fdatasyncSync, openSync, rmSync, writeSync } from 'node:fs'

/** Writes so many bytes into this file, which is removed again. Throws what the disk says. */
export function tryRoom(file: string, bytes: number): void {
  try {
    const handle = openSync(file, 'w', 0o600)
    try {
      writeSync(handle, Buffer.alloc(bytes, 1))
      fdatasyncSync(handle)
    } finally {
      closeSync(handle)
    }
  } finally {
    rmSync(file, { force: true })
  }
}
