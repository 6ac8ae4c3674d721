/** Files that must outlive a power cut, and what is in them. */

import { createHash } from 'node:crypto'
import { closeSync, createReadStream, fsyncSync, openSync } from 'node:fs'

/** Brings a file, or the names in a folder, to the disk. Throws what the disk says. */
export function syncPath(path: string): void {
  const handle = openSync(path, 'r')
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}

/** Length and SHA-256, hexadecimal, of a file. Rejects with what the disk says, and with the reason of the signal. */
export async function digestOfFile(
  path: string,
  signal: AbortSignal,
): Promise<{ readonly bytes: number; readonly sha256: string }> {
  const hash = createHash('sha256')
  let bytes = 0
  for await (const chunk of createReadStream(path, { signal })) {
    const part = chunk as Buffer
    bytes += part.length
    hash.update(part)
  }
  return { bytes, sha256: hash.digest('hex') }
}
