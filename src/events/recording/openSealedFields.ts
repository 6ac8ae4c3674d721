/** Opens an event's sealed fields; tells destroyed keys (`forgotten`) from lost ones (503). */

import { Failure } from '../../domain/failure.ts'
import type { DecodedEvent } from './event.ts'
import type { EventData, EventTypeEntry } from './eventTable.ts'
import {
  type ForgottenValue,
  isSealed,
  type KeyState,
  openBox,
  type SealedBox,
  type SealedValue,
} from './sealing.ts'

const forgotten: ForgottenValue = Object.freeze({ forgotten: true })

/** What it takes to open the personal fields of an event. */
export type SealedEvent = Pick<DecodedEvent, 'id' | 'event' | 'position'>

/** The ids of the keys that the event's personal fields are sealed under, each once. */
export function collectSealingKeyIds(
  entry: EventTypeEntry,
  { event }: Pick<DecodedEvent, 'event'>,
): readonly string[] {
  const data = event.data as EventData
  const values = entry.personal.map(({ field }) => data[field]).filter(isSealed)
  return [...new Set(values.map(({ sealed }) => sealed.key))]
}

/**
 * The event with every sealed field opened, or forgotten where its key was destroyed. Throws `Failure` `unavailable`
 * where the key is lost or damaged, which is not the same, and an `Error` on a box altered or moved.
 */
export function openSealedFields<One extends SealedEvent>(
  entry: EventTypeEntry,
  decoded: One,
  keys: ReadonlyMap<string, KeyState>,
): One {
  if (entry.personal.length === 0) return decoded
  const { event, id, position } = decoded
  const sealed = event.data as EventData
  const data: Record<string, unknown> = { ...sealed }
  // by the field that has the box: each is opened once
  const contents = new Map<string, unknown>()
  for (const { field } of entry.personal) {
    const value = sealed[field]
    if (!isSealed(value)) continue
    if (id === undefined) throw new Error(`${entry.type} at position ${position} has no id`)
    const secret = requireSecret(value, keys)
    if (secret === 'destroyed') {
      data[field] = forgotten
      continue
    }
    const [holder, box] = findBox(field, value, sealed)
    const place = { event: id, field: box.fields?.join('+') ?? field }
    const content = contents.get(holder) ?? openBox(box, place, secret)
    contents.set(holder, content)
    data[field] = box.fields ? (content as EventData)[field] : content
  }
  return { ...decoded, event: { ...event, data } }
}

function requireSecret(
  { sealed: { key } }: SealedValue,
  keys: ReadonlyMap<string, KeyState>,
): Uint8Array | 'destroyed' {
  const state = keys.get(key) ?? 'missing'
  if (state !== 'missing' && state !== 'damaged') return state
  throw new Failure(
    'unavailable',
    `The personal data of this record cannot be opened: its key is ${state}. The operator of the service must restore it.`,
    { cause: new Error(`sealing key ${key} is ${state}`) },
  )
}

/** The box in which the value of a field lies, and the field that has the box. */
function findBox(
  field: string,
  { sealed: own }: SealedValue,
  data: EventData,
): readonly [holder: string, SealedBox] {
  const holder = 'in' in own ? own.in : field
  const held = data[holder]
  const box = isSealed(held) && 'box' in held.sealed ? held.sealed : undefined
  if (box && (box.fields?.includes(field) ?? holder === field)) return [holder, box]
  throw new Error(`${field}: lies in no box`)
}
