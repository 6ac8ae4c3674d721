/** Declares the stream type of list entries, and finds the entry that is active at a time. */

import { decode, openEvent } from '../../events/catalogue.ts'
import { type EntryEvent, toEntryFact } from '../../events/lists/listEntry.ts'
import type { DecodedEvent } from '../../events/recording/event.ts'
import { isForgotten, type Keyring } from '../../events/recording/sealing.ts'
import type { EventStore } from '../../stores/eventStore.ts'
import type { StreamType } from '../folding/streamType.ts'

const nothing: ListEntryState = { revision: -1, isListed: false }

export const listEntryStreamType: StreamType<ListEntryState, EntryEvent> = {
  initial: () => nothing,
  evolve: ({ revision }, { type }) => ({
    revision: revision + 1,
    isListed: type === 'PhoneNumberListed' || type === 'ListEntryAdded',
  }),
  estimateBytes: () => 0,
}

/** Times are in milliseconds since the Unix epoch. */
export interface ActiveEntry {
  readonly listedAtMs: number
  readonly expiresAtMs?: number
  readonly reason?: string
}

interface EntryLog {
  readonly events: Pick<EventStore, 'readStream'>
  readonly keyring: Pick<Keyring, 'keys'>
}

/**
 * The entry of a stream at a time, by the given state; undefined when there is none, when it has expired by then, and
 * when the person was erased. Throws `unavailable` when the log or the key cannot be read.
 */
export async function findActiveEntry(
  log: EntryLog,
  { stream, state, timeMs }: { stream: string; state: ListEntryState; timeMs: number },
): Promise<ActiveEntry | undefined> {
  if (!state.isListed) return undefined
  const [recorded] = await log.events.readStream(stream, { from: state.revision, limit: 1 })
  if (!recorded) throw new Error(`${stream} has no event ${state.revision}`)
  const decoded = decode(recorded) as DecodedEvent<EntryEvent>
  const { event } = await openEvent(decoded, log.keyring)
  const fact = toEntryFact(event)
  if (!fact.isListed) return undefined
  const { value, reason, listed_at, expires_at } = fact.said
  const isOver = expires_at !== undefined && expires_at <= timeMs
  if (isOver || isForgotten(value)) return undefined
  return {
    listedAtMs: listed_at,
    ...(expires_at !== undefined && { expiresAtMs: expires_at }),
    // opened with the value, under the same key
    ...(reason !== undefined && { reason: reason as string }),
  }
}

/** Has no content of the entry, which is personal: only its revision, and whether it is listed. */
export interface ListEntryState {
  /** Of the last event; -1 before the first. */
  readonly revision: number
  /** Whether the last event put the value on the list. */
  readonly isListed: boolean
}
