/** Puts values on the lists of an account, and takes them off. */

import { Failure, invalidRequest } from '../../domain/failure.ts'
import type { ListAddress } from '../../domain/lists.ts'
import { type EntryEvent, entryEvent, type NetworkSize } from '../../events/lists/listEntry.ts'
import type { StandingEntry } from './standingEntry.ts'

/** How many entries a list may have: as many as are held in memory for evaluations. */
export const entriesMax = 1_000_000

export interface EntryInput {
  readonly address: ListAddress
  /** In canonical form. */
  readonly value: string
  /** Of a network. */
  readonly network?: NetworkSize | undefined
  readonly reason?: string | undefined
  /** In milliseconds since the Unix epoch; undefined for an entry that stays. */
  readonly expiresAtMs?: number | undefined
}

/** What stands there now, when it is, and how many entries the list has. */
interface Standing {
  readonly entry: StandingEntry | undefined
  readonly nowMs: number
  readonly size: number
}

/**
 * The decision: an entry that says the same already is left as it is (spec 4.3, rule 2), one that says something else is replaced and
 * keeps its time. Throws `invalid_request` for an end that is not ahead, `conflict` when the list is full.
 */
export function listEntry(
  { address, value, network, reason, expiresAtMs }: EntryInput,
  { entry, nowMs, size }: Standing,
): readonly EntryEvent[] {
  if (entry && entry.reason === reason && entry.expiresAtMs === expiresAtMs) return []
  if (expiresAtMs !== undefined && expiresAtMs <= nowMs) {
    throw invalidRequest([{ path: 'expires_at', message: 'Must be a time to come.' }])
  }
  if (!entry && size >= entriesMax) {
    throw new Failure('conflict', `A list has at most ${entriesMax} entries; delete some first.`)
  }
  const said = {
    value,
    ...(reason !== undefined && { reason }),
    listed_at: entry?.listedAtMs ?? nowMs,
    ...(expiresAtMs !== undefined && { expires_at: expiresAtMs }),
  }
  return [entryEvent({ ...address, network, isListed: true, said })]
}

/** The decision: what does not stand there is no error (spec 4.3, rule 2). */
export function unlistEntry(
  { address, value, network, reason }: Omit<EntryInput, 'expiresAtMs'>,
  { entry }: Pick<Standing, 'entry'>,
): readonly EntryEvent[] {
  if (!entry) return []
  const said = { value, ...(reason !== undefined && { reason }) }
  return [entryEvent({ ...address, network, isListed: false, said })]
}
