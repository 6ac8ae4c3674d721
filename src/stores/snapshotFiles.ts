/** Reads and writes snapshots of long streams, one file each; any may be deleted at any time. */

import { mkdir, open, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { deserialize, serialize } from 'node:v8'
import { crc32 } from 'node:zlib'

/** What stands before each part: its length and its CRC-32. */
const headBytes = 8

/** Nothing is synced to the disk: what a power cut leaves of a file is known by its checksums, and the stream is folded again. */
export function openSnapshotFiles(folder: string) {
  const fileOf = (stream: string) => join(folder, `${encodeURIComponent(stream)}.snapshot`)
  return {
    /** The parts as they were written, none where there is no file. Throws at one that is damaged, or that this Node cannot read. */
    read: async function* (stream: string) {
      const bytes = await readFile(fileOf(stream)).catch(noneIfMissing)
      if (bytes) yield* partsIn(bytes)
    },
    /** Writes the parts in place of the file there is, unless `isWanted` says otherwise before the end; answers whether it did. */
    write: async (stream: string, parts: Iterable<unknown>, isWanted: () => boolean) => {
      await mkdir(folder, { recursive: true, mode: 0o700 })
      const unfinished = `${fileOf(stream)}.new`
      try {
        const isWhole = await writeParts(unfinished, parts, isWanted)
        if (isWhole) await rename(unfinished, fileOf(stream))
        return isWhole
      } finally {
        await rm(unfinished, { force: true })
      }
    },
  }
}

export type SnapshotFiles = ReturnType<typeof openSnapshotFiles>

async function writeParts(
  file: string,
  parts: Iterable<unknown>,
  isWanted: () => boolean,
): Promise<boolean> {
  const handle = await open(file, 'w', 0o600)
  try {
    for (const part of parts) {
      const bytes = serialize(part)
      const head = Buffer.alloc(headBytes)
      head.writeUInt32LE(bytes.length)
      head.writeUInt32LE(crc32(bytes), 4)
      await handle.writev([head, bytes])
      if (!isWanted()) return false
    }
    // no part has no bytes: a file without this end is not whole
    await handle.write(Buffer.alloc(headBytes))
    return true
  } finally {
    await handle.close()
  }
}

function* partsIn(file: Buffer) {
  for (let at = 0; ; ) {
    const begin = at + headBytes
    const end = begin + file.readUInt32LE(at)
    if (end === begin) return
    const bytes = file.subarray(begin, end)
    if (crc32(bytes) !== file.readUInt32LE(at + 4)) throw new Error('the snapshot is damaged')
    yield { bytes: bytes.length, part: deserialize(bytes) as unknown }
    at = end
  }
}

function noneIfMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error
}
