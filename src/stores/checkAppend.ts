/** Validates size, names and ids of an append before it is queued or sent. */

import { Failure } from '../domain/failure.ts'
import { isUuid } from '../domain/uuid.ts'
import type { Append } from './eventStore.ts'

/** Most data of one append, the limit of EventStoreDB, which counts data alone. */
const dataBytesMax = 1024 * 1024

/** Throws `payload_too_large` for more than a mebibyte of data, and a plain `Error` for mistakes of the program. */
export function checkAppend({ stream, events, expected }: Append): void {
  checkName(stream, 'the stream of an append')
  if (events.length === 0) throw new Error(`an append to ${stream} needs an event`)
  if (expected !== 'no_stream' && !(Number.isSafeInteger(expected) && expected >= 0)) {
    throw new Error(`an append to ${stream} cannot expect revision ${expected}`)
  }
  let bytes = 0
  for (const { id, type, data } of events) {
    if (!isUuid(id)) throw new Error(`the id of an event of ${stream} is not a UUID`)
    checkName(type, `the type of an event of ${stream}`)
    bytes += Buffer.byteLength(data)
  }
  if (bytes > dataBytesMax) {
    throw new Failure('payload_too_large', 'The request has more data than can be kept at once.')
  }
}

function checkName(name: string, what: string): void {
  if (name === '') throw new Error(`${what} is empty`)
  if (name.startsWith('$')) throw new Error(`${what} is ${name}: such names are reserved`)
}
