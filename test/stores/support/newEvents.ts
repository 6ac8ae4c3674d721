/** Events and appends for tests, with ids that are the same on every run. */

import { createHash } from 'node:crypto'
import { stampVersion } from '../../../src/domain/uuid.ts'
import type { Append, ExpectedRevision, NewEvent } from '../../../src/stores/eventStore.ts'

/** A UUID that depends on `seed` alone. */
function idOf(seed: string): string {
  const hex = Buffer.from(
    stampVersion(createHash('sha1').update(seed).digest().subarray(0, 16), 5),
  ).toString('hex')
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}

/** An event whose id, data and metadata follow from `seed`. */
export function newEvent(seed: string): NewEvent {
  return {
    id: idOf(seed),
    type: 'Tested',
    data: JSON.stringify({ seed }),
    metadata: JSON.stringify({ request: seed }),
  }
}

export function newAppend(stream: string, expected: ExpectedRevision, ...seeds: string[]): Append {
  return { stream, expected, events: seeds.map(newEvent) }
}
