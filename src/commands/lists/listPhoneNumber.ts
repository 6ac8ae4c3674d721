/** Puts phone numbers on the lists of an account, and takes them off. */

import { Failure, invalidRequest } from '../../domain/failure.ts'
import type { PhoneList } from '../../domain/phoneLists.ts'
import type { PhoneListEvent } from '../../events/lists/phoneList.ts'
import type { StandingEntry } from './standingEntry.ts'

/** How many numbers a list may have: as many as are held in memory for evaluations. */
const listedMax = 1_000_000

export interface PhoneEntryInput {
  readonly list: PhoneList
  /** E.164. */
  readonly phone_number: string
  readonly reason?: string
  /** In milliseconds since the Unix epoch; undefined for an entry that stays. */
  readonly expiresAtMs?: number
}

/** What stands there now, when it is, and how many numbers the list is known to have. */
interface Standing {
  readonly entry: StandingEntry | undefined
  readonly nowMs: number
  readonly size: number
}

/**
 * The decision: an entry that says the same already is left as it is (spec 4.3, rule 2), one that says something else is replaced and
 * keeps its time. Throws `invalid_request` for an end that is not ahead, `conflict` when the list is full.
 */
export function listPhoneNumber(
  { list, phone_number, reason, expiresAtMs }: PhoneEntryInput,
  { entry, nowMs, size }: Standing,
): readonly PhoneListEvent[] {
  if (entry && entry.reason === reason && entry.expiresAtMs === expiresAtMs) return []
  if (expiresAtMs !== undefined && expiresAtMs <= nowMs) {
    throw invalidRequest([{ path: 'expires_at', message: 'Must be a time to come.' }])
  }
  if (!entry && size >= listedMax) {
    throw new Failure('conflict', `A list has at most ${listedMax} numbers; delete some first.`)
  }
  const data = {
    list,
    phone_number,
    ...(reason !== undefined && { reason }),
    listed_at: entry?.listedAtMs ?? nowMs,
    ...(expiresAtMs !== undefined && { expires_at: expiresAtMs }),
  }
  return [{ type: 'PhoneNumberListed', data }]
}

/** The decision: what does not stand there is no error (spec 4.3, rule 2). */
export function unlistPhoneNumber(
  { list, phone_number, reason }: Omit<PhoneEntryInput, 'expiresAtMs'>,
  { entry }: Pick<Standing, 'entry'>,
): readonly PhoneListEvent[] {
  if (!entry) return []
  const data = { list, phone_number, ...(reason !== undefined && { reason }) }
  return [{ type: 'PhoneNumberUnlisted', data }]
}
