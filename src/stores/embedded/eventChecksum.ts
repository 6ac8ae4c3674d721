/** A checksum over all of an event, because SQLite keeps none over a page once it has left the write-ahead log. */

import { crc32 } from 'node:zlib'
import type { RecordedEvent } from '../eventStore.ts'

/** The bytes of an event are put together here: most are far smaller, and making a text of them all takes longer. */
const bytes = Buffer.allocUnsafeSlow(64 * 1024)
/** Bytes that a character of a text takes in UTF-8 at the most. */
const characterBytesMax = 3
const lineEnd = 0x0a

/** CRC-32 of every field in UTF-8; the line ends keep one field from running into the next. */
export function eventChecksum(event: RecordedEvent): number {
  const { position, revision, stream, id, type, data, metadata } = event
  const place = `${position}\n${revision}\n${stream}\n${id}\n${type}\n`
  const characters = place.length + data.length + 1 + metadata.length
  if (characters * characterBytesMax > bytes.length) return crc32(`${place}${data}\n${metadata}`)
  let end = bytes.write(place)
  end += bytes.write(data, end)
  bytes[end] = lineEnd
  end += 1
  end += bytes.write(metadata, end)
  return crc32(bytes.subarray(0, end))
}
