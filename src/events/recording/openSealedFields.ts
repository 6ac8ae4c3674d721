/** Opens the sealed personal fields of an event, and lists the keys they need. */

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
 * The event with every sealed field opened, or forgotten where its key was destroyed. Throws `Failure` `unavailable` where the key is
 * lost or damaged, which is not the same, and an `Error` on a box altered or moved.
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
  const contents: OpenContext['contents'] = new Map()
  for (const { field } of entry.personal) {
    const value = sealed[field]
    if (!isSealed(value)) continue
    if (id === undefined) throw new Error(`${entry.type} at position ${position} has no id`)
    const secret = secretOf(value, keys)
    data[field] =
      secret === 'destroyed'
        ? forgotten
        : valueUnder(field, value, { id, sealed, contents, secret })
  }
  return { ...decoded, event: { ...event, data } }
}

function secretOf(
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

interface OpenContext {
  /** Of the event. */
  readonly id: string
  readonly sealed: EventData
  /** What lies in the boxes opened so far, by the field that has the box: each is opened once. */
  readonly contents: Map<string, unknown>
  readonly secret: Uint8Array
}

function valueUnder(field: string, { sealed }: SealedValue, opening: OpenContext): unknown {
  if ('box' in sealed && sealed.fields === undefined) return contentOf(field, sealed, opening)
  const holder = 'in' in sealed ? sealed.in : field
  const held = opening.sealed[holder]
  const box = isSealed(held) && 'box' in held.sealed ? held.sealed : undefined
  if (!box?.fields?.includes(field)) throw new Error(`${field}: lies in no box`)
  return (contentOf(holder, box, opening) as EventData)[field]
}

function contentOf(field: string, box: SealedBox, { id, contents, secret }: OpenContext): unknown {
  const known = contents.get(field)
  if (known !== undefined) return known
  const content = openBox(box, { event: id, field: box.fields?.join('+') ?? field }, secret)
  contents.set(field, content)
  return content
}
