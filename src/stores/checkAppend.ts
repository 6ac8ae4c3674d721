/** Validates size, names and ids of an append before it is queued or sent. */

import { Failure } from '../domain/failure.ts'
import { isUuid } from '../domain/uuid.ts'
import { type Append, appendBytesMax, eventBytes } from './eventStore.ts'

/** Throws `payload_too_large` for more than a mebibyte of events, and a plain `Error` for mistakes of the program. */
export function checkAppend({ stream, events, expected }: Append): void {
  checkName(stream, 'the stream of an append')
  if (events.length === 0) throw new Error(`an append to ${stream} needs an event`)
  if (expected !== 'no_stream' && !(Number.isSafeInteger(expected) && expected >= 0)) {
    throw new Error(`an append to ${stream} cannot expect revision ${expected}`)
  }
  let bytes = 0
  for (const event of events) {
    if (!isUuid(event.id)) throw new Error(`the id of an event of ${stream} is not a UUID`)
    checkName(event.type, `the type of an event of ${stream}`)
    bytes += eventBytes(event)
  }
  if (bytes > appendBytesMax) throw tooLargeFailure(`${bytes} bytes of events`, appendBytesMax)
}

/** The failure of an append that is larger than the store takes; the cause is for the operator. */
export function tooLargeFailure(what: string, max: number, cause?: Error): Failure {
  const message = `The request has more data than can be kept at once: ${what}, and at most ${max}.`
  return new Failure('payload_too_large', message, { cause })
}

function checkName(name: string, what: string): void {
  if (name === '') throw new Error(`${what} is empty`)
  if (name.startsWith('$')) throw new Error(`${what} is ${name}: such names are reserved`)
}
