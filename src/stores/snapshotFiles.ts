/** Reads and writes snapshots of long streams, one file each, which may be deleted at any time. */

import { mkdir, open, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { deserialize, serialize } from 'node:v8'
import { crc32 } from 'node:zlib'

/** The header of each part: its length and its CRC-32. */
const headBytes = 8

/** Files are not synced: a power cut is detected by the checksums, and the stream is folded again. */
export function openSnapshotFiles(folder: string) {
  const fileOf = (stream: string) => join(folder, `${encodeURIComponent(stream)}.snapshot`)
  return {
    /** The parts as written, none without a file. Throws at a part that is damaged, or that this Node cannot read. */
    read: async function* (stream: string) {
      const bytes = await readFile(fileOf(stream)).catch(noneIfMissing)
      if (bytes) yield* partsIn(bytes)
    },
    /** Replaces the file by these parts, unless `isWanted` becomes false first; returns whether it did. */
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

async function writeParts(file: string, parts: Iterable<unknown>, isWanted: () => boolean) {
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
    // the end mark: no part is empty, so a file without it is incomplete
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
