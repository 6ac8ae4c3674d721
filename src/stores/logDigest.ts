/** Computes a digest of a log that is equal for every copy, whatever its store and positions. */

import { createHash } from 'node:crypto'
import type { RecordedEvent } from './eventStore.ts'

export interface LogDigest {
  /** To be told of every event, in order. */
  readonly add: (event: RecordedEvent) => void
  /** How many it has been told of. */
  readonly events: () => number
  /** SHA-256, hexadecimal, of what it has been told so far; nothing can be added after. */
  readonly hex: () => string
}

/** SHA-256 over one JSON array for each event: stream, revision, id, type, data and metadata as texts. */
export function logDigest(): LogDigest {
  const hash = createHash('sha256')
  let events = 0
  return {
    add: ({ stream, revision, id, type, data, metadata }) => {
      events += 1
      hash.update(`${JSON.stringify([stream, revision, id, type, data, metadata])}\n`)
    },
    events: () => events,
    hex: () => hash.digest('hex'),
  }
}
