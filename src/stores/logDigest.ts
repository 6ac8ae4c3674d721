/** Computes a digest of a log that is equal for every copy, whatever its store and positions. */

import { createHash } from 'node:crypto'
import type { RecordedEvent } from './eventStore.ts'

export interface LogDigest {
  /** To be called with every event, in order. */
  readonly add: (event: RecordedEvent) => void
  /** Number of events added. */
  readonly events: () => number
  /** SHA-256, hexadecimal, of all events added; nothing can be added after. */
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
