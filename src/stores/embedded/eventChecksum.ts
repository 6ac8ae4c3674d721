/** A checksum over all of an event, because SQLite keeps none over a page once it has left the write-ahead log. */

import { crc32 } from 'node:zlib'
import type { RecordedEvent } from '../eventStore.ts'

/** CRC-32 of every field; the line ends keep one field from running into the next. */
export function eventChecksum(event: RecordedEvent): number {
  const { position, revision, stream, id, type, data, metadata } = event
  return crc32(`${position}\n${revision}\n${stream}\n${id}\n${type}\n${data}\n${metadata}`)
}
