/** The personal fields of an event read back: which keys they need, and what they say. */

import type { DecodedEvent, DomainEvent } from './event.ts'
import type { Data, EventEntry } from './eventTable.ts'
import { type Forgotten, isSealed, open } from './sealing.ts'

const forgotten: Forgotten = Object.freeze({ forgotten: true })

/** The ids of the keys that the event's personal fields are sealed under, each once. */
export function sealedUnder(entry: EventEntry, { event }: DecodedEvent): readonly string[] {
  const data = event.data as Data
  const boxes = entry.personal.map(({ field }) => data[field]).filter(isSealed)
  return [...new Set(boxes.map((box) => box.sealed.key))]
}

/** The event with every sealed field opened, or forgotten where its key is not there. Throws on a box altered or moved. */
export function openFields<Event extends DomainEvent>(
  entry: EventEntry,
  decoded: DecodedEvent<Event>,
  keys: ReadonlyMap<string, Uint8Array>,
): DecodedEvent<Event> {
  if (entry.personal.length === 0) return decoded
  const { event, id, position } = decoded
  const data: Record<string, unknown> = { ...(event.data as Data) }
  for (const { field } of entry.personal) {
    const value = data[field]
    if (!isSealed(value)) continue
    const secret = keys.get(value.sealed.key)
    if (id === undefined) throw new Error(`${entry.type} at position ${position} has no id`)
    data[field] = secret === undefined ? forgotten : open(value, { event: id, field }, secret)
  }
  return { ...decoded, event: { ...event, data } }
}
