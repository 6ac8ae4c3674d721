/** Adds values to the lists of an account and removes them. */

import type { Call, WriteResult } from '../../domain/call.ts'
import { Failure, invalidRequest } from '../../domain/failure.ts'
import type { ListAddress } from '../../domain/lists/lists.ts'
import { type EntryChange, type EntryEvent, toEntryEvent } from '../../events/lists/listEntry.ts'
import type { WriteContext } from '../handling/commandContext.ts'
import { buildEventContext, executeCommand, waitUntilVisible } from '../handling/executeCommand.ts'
import type { FoldedStreamCache } from '../handling/foldedStreamCache.ts'
import { deriveEntryKey, type EntryKey, type ListContext, requireListAddress } from './entryKey.ts'
import { type ActiveEntry, findActiveEntry, type ListEntryState } from './findActiveEntry.ts'
import type { ListCache } from './listCache.ts'

/** How many entries a list may have. */
export const entriesMax = 1_000_000

export interface ListRef {
  /** `allow` or `block`, the phone lists that every account has, or the id of one that its authors have made. */
  readonly list: string
}

export interface EntryInput extends ListRef {
  readonly value: string
  readonly reason?: string
  /** In milliseconds since the Unix epoch; undefined for an entry that stays. */
  readonly expiresAtMs?: number
}

type Entered = WriteResult<Pick<EntryInput, 'value'>>

/** What changing entries takes. */
export type EntryChangeContext = WriteContext &
  ListContext & {
    readonly listEntries: FoldedStreamCache<ListEntryState, EntryEvent>
    readonly cachedLists: ListCache
  }

/**
 * Adds one value; repeating it is no error. Its `Idempotency-Key` is known to the entry's own stream. Throws `access_not_enabled`,
 * `not_found`, `invalid_request` for a value of another kind than the list's and for an end in the past, `conflict` when the list is full.
 */
export async function addEntry(
  context: EntryChangeContext,
  call: Call,
  { list, ...said }: EntryInput,
): Promise<Entered> {
  const address = await requireListAddress(context, call, list)
  return waitAndAnswer(context, await putEntry(context, call, { address, ...said }))
}

/** Removes one value; an absent one is no error. Throws `access_not_enabled`, `not_found`, `invalid_request`. */
export async function removeEntry(
  context: EntryChangeContext,
  call: Call,
  { list, ...said }: Omit<EntryInput, 'expiresAtMs'>,
): Promise<Entered> {
  const address = await requireListAddress(context, call, list)
  const decide = async ({ said: { value, reason }, entry }: Present): Promise<Decision> =>
    // what is not there is no error (spec 4.3, rule 2)
    entry && { isListed: false, said: { value, ...(reason !== undefined && { reason }) } }
  const operation = `entries.delete ${list}`
  return waitAndAnswer(context, await change(context, call, { operation, address, said, decide }))
}

/** A value and what is said of it. */
type EntryContent = Omit<EntryInput, 'list'>

/** What was done with a value. */
export interface EntryChangeResult {
  readonly value: string
  readonly position: number
  readonly result: 'added' | 'changed' | 'unchanged'
}

/** Adds a value to a list that is the caller's, and answers as soon as it is on disk. Throws `invalid_request`, `conflict`. */
export async function putEntry(
  context: EntryChangeContext,
  call: Call,
  { address, ...said }: EntryContent & { readonly address: ListAddress },
): Promise<EntryChangeResult> {
  const { cachedLists } = context
  let wasThere = false
  const operation = `entries.add ${address.list}`
  const decide = async (present: Present): Promise<Decision> => {
    wasThere = present.entry !== undefined
    // while nobody can count them, a value is rather added than refused
    const size = wasThere ? 0 : ((await cachedLists.size(present.key)) ?? 0)
    return decideAddition(present, size)
  }
  const changed = await change(context, call, { operation, address, said, decide })
  const { key, value, position } = changed
  if (!changed.isChanged) return { value, position, result: 'unchanged' }
  // evaluations on this instance know of it before anybody is told; those on others hear of it
  cachedLists.addValue(key, position)
  return { value, position, result: wasThere ? 'changed' : 'added' }
}

/** What is decided on: what is said of a value, and its entry that is there. */
interface Present {
  readonly key: EntryKey
  /** With the value in canonical form. */
  readonly said: EntryContent
  readonly entry: ActiveEntry | undefined
  readonly nowMs: number
}

/** What is recorded of the entry; undefined when nothing changes. */
type Decision = EntryChange | undefined

/** An entry that says the same already is left as it is (spec 4.3, rule 2), one that says something else is replaced and keeps its time. */
function decideAddition({ said, entry, nowMs }: Present, size: number): Decision {
  const { expiresAtMs, ...kept } = said
  if (entry && entry.reason === kept.reason && entry.expiresAtMs === expiresAtMs) return undefined
  if (expiresAtMs !== undefined && expiresAtMs <= nowMs) {
    throw invalidRequest([{ path: 'expires_at', message: 'Must be a time to come.' }])
  }
  if (!entry && size >= entriesMax) {
    throw new Failure('conflict', `A list has at most ${entriesMax} entries; delete some first.`)
  }
  const listed_at = entry?.listedAtMs ?? nowMs
  const ending = expiresAtMs !== undefined && { expires_at: expiresAtMs }
  return { isListed: true, said: { ...kept, listed_at, ...ending } }
}

interface Change {
  readonly operation: string
  readonly address: ListAddress
  readonly said: EntryContent
  readonly decide: (present: Present) => Promise<Decision>
}

/** Changes the entry of a value, on the state of its own stream. */
async function change(
  context: EntryChangeContext,
  call: Call,
  { operation, address, said: given, decide }: Change,
) {
  const account = call.principal.accountId
  const key = deriveEntryKey(context, { account, address, value: given.value })
  const { stream, network, value } = key
  const said = { ...given, value }
  const { events, position } = await executeCommand(context, context.listEntries, {
    stream,
    context: buildEventContext(context, call, { account, operation, input: said }),
    decide: async (state, nowMs) => {
      const entry = await findActiveEntry(context, { stream, state, timeMs: nowMs })
      const fact = await decide({ key, said, entry, nowMs })
      return fact ? [toEntryEvent({ ...address, network, ...fact })] : []
    },
  })
  return { key, value, position, isChanged: events.length > 0 }
}

async function waitAndAnswer(
  context: EntryChangeContext,
  { value, position }: Pick<EntryChangeResult, 'value' | 'position'>,
) {
  const { visible } = await waitUntilVisible(context, { position })
  return { value: { value }, position, visible }
}
