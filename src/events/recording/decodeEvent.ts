/** Decodes a recorded event: parses, upcasts and validates it; personal fields stay sealed. */

import type { EncodedEvent } from './encodeEvent.ts'
import type { DecodedEvent, DomainEvent, EventMetadata } from './event.ts'
import type { DataCheck, EventData, EventTypeEntry } from './eventTable.ts'

/** An event as a store gives it back. */
export interface EventToDecode extends EncodedEvent {
  readonly stream: string
  readonly revision: number
  readonly position: number
}

/**
 * The fact of a recorded event. Throws, naming type and position, when data or metadata are no JSON or do not fit, when the type
 * is unknown, and when the version is newer than this program.
 */
export function decodeEvent<Event extends DomainEvent>(
  { table, checkMetadata }: Known,
  recorded: EventToDecode,
): DecodedEvent<Event> {
  const { id, type, stream, revision, position } = recorded
  try {
    const metadata: unknown = JSON.parse(recorded.metadata)
    checkMetadata(metadata)
    const data = dataOf(table.get(type), JSON.parse(recorded.data), metadata as EventMetadata)
    const event = { type, data } as Event
    return { id, event, metadata: metadata as EventMetadata, stream, revision, position }
  } catch (cause) {
    const why = cause instanceof SyntaxError ? 'not JSON' : wordsOf(cause)
    throw new Error(`event ${type} at position ${position} cannot be read: ${why}`, { cause })
  }
}

interface Known {
  readonly table: ReadonlyMap<string, EventTypeEntry>
  readonly checkMetadata: DataCheck
}

function dataOf(entry: EventTypeEntry | undefined, written: unknown, metadata: EventMetadata) {
  if (!entry) throw new Error('there is no such type')
  const { version } = metadata
  if (version > entry.version) {
    throw new Error(`version ${version} is newer than this program, which knows ${entry.version}`)
  }
  const data = version === entry.version ? written : upcast(entry, written, version)
  entry.checkRecorded(data)
  return data as EventData
}

function upcast(entry: EventTypeEntry, written: unknown, version: number): unknown {
  if (typeof written !== 'object' || written === null) throw new Error('data must be object')
  let data = written as EventData
  for (const step of entry.upcasters.slice(version - 1)) data = step(data) as EventData
  return data
}

function wordsOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause)
}
