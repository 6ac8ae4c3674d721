/** Adds values to the lists of an account and removes them. */

import type { Call, WriteResult } from '../../domain/call.ts'
import { Failure, invalidRequest } from '../../domain/failure.ts'
import type { ListAddress } from '../../domain/lists/lists.ts'
import { type normalizeListValue, normalizeStoredListValue } from '../../domain/lists/listValue.ts'
import { type EntryChange, type EntryEvent, toEntryEvent } from '../../events/lists/listEntry.ts'
import type { FoldedStreamCache } from '../../state/folding/foldedStreamCache.ts'
import {
  deriveEntryKey,
  type ListContext,
  type ListRef,
  requireListAddress,
} from '../../state/lists/entryKey.ts'
import {
  type ActiveEntry,
  findActiveEntry,
  type ListEntryState,
} from '../../state/lists/findActiveEntry.ts'
import { entriesMax, type ListCache } from '../../state/lists/listCache.ts'
import type { WriteContext } from '../handling/commandContext.ts'
import { buildEventContext, executeCommand, waitUntilVisible } from '../handling/executeCommand.ts'

/** A value and what is said of it. */
interface EntryContent {
  readonly value: string
  readonly reason?: string
  /** In milliseconds since the Unix epoch; undefined for an entry that stays. */
  readonly expiresAtMs?: number
}

export interface EntryInput extends ListRef, EntryContent {}

export type EntryChangeContext = WriteContext &
  ListContext & {
    readonly listEntries: FoldedStreamCache<ListEntryState, EntryEvent>
    readonly cachedLists: ListCache
  }

/**
 * Adds one value; repeating it is no error. Its `Idempotency-Key` is known to the entry's own stream. Throws
 * `access_not_enabled`, `not_found`, `invalid_request` for a value of another kind than the list's and for an end in
 * the past, `conflict` when the list is full.
 */
export async function addEntry(
  context: EntryChangeContext,
  call: Call,
  { list, ...content }: EntryInput,
): Promise<WriteResult<Pick<EntryInput, 'value'>>> {
  const address = await requireListAddress(context, call, list)
  return waitAndAnswer(context, await putEntry(context, call, { address, ...content }))
}

/** Removes one value; an absent one is no error. Throws `access_not_enabled`, `not_found`, `invalid_request`. */
export async function removeEntry(
  context: EntryChangeContext,
  call: Call,
  { list, ...content }: Omit<EntryInput, 'expiresAtMs'>,
): Promise<WriteResult<Pick<EntryInput, 'value'>>> {
  const address = await requireListAddress(context, call, list)
  const operation = `entries.delete ${list}`
  const removed = await changeEntry(context, call, {
    operation,
    address,
    content,
    normalize: normalizeStoredListValue,
    decide: ({ content: { value, reason }, entry }) =>
      // what is not there is no error (spec 4.3, rule 2)
      entry && { isListed: false, said: { value, ...(reason !== undefined && { reason }) } },
  })
  return waitAndAnswer(context, removed)
}

async function waitAndAnswer(
  context: EntryChangeContext,
  { value, position }: Pick<EntryChangeResult, 'value' | 'position'>,
) {
  return { ...(await waitUntilVisible(context, { position })), value: { value } }
}

/** What was done with a value. */
export interface EntryChangeResult {
  readonly value: string
  readonly position: number
  readonly result: 'added' | 'changed' | 'unchanged'
}

/** Adds a value to the caller's list; answers as soon as it is on disk. Throws `invalid_request`, `conflict`. */
export async function putEntry(
  context: EntryChangeContext,
  call: Call,
  { address, ...content }: EntryContent & { readonly address: ListAddress },
): Promise<EntryChangeResult> {
  const { key, value, position, isChanged, wasThere } = await changeEntry(context, call, {
    operation: `entries.add ${address.list}`,
    address,
    content,
    countsEntries: true,
    decide: decideAddition,
  })
  if (!isChanged) return { value, position, result: 'unchanged' }
  // evaluations on this instance know of it before anybody is told; those on others hear of it
  context.cachedLists.addValue(key, position)
  return { value, position, result: wasThere ? 'changed' : 'added' }
}

/** What is decided on: what is said of a value, and its entry that is there. */
interface Present {
  /** With the value in canonical form. */
  readonly content: EntryContent
  readonly entry: ActiveEntry | undefined
  /** How many entries the list has; 0 while nobody can count them: a value is rather added than refused. */
  readonly size: number
  readonly nowMs: number
}

/**
 * An entry that says the same already is left as it is (spec 4.3, rule 2), one that says something else is replaced and
 * keeps its time.
 */
function decideAddition({ content, entry, size, nowMs }: Present): EntryChange | undefined {
  const { expiresAtMs, ...kept } = content
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

interface EntryCommand {
  readonly operation: string
  readonly address: ListAddress
  readonly content: EntryContent
  /** Of the value; strict unless given. */
  readonly normalize?: typeof normalizeListValue
  /** Whether the decision about a value that is not there needs the size of the list. */
  readonly countsEntries?: true
  /** What is recorded of the entry; undefined when nothing changes. */
  readonly decide: (present: Present) => EntryChange | undefined
}

/** Changes the entry of a value, on the state of its own stream. */
async function changeEntry(
  context: EntryChangeContext,
  call: Call,
  { operation, address, content: given, normalize, countsEntries, decide }: EntryCommand,
) {
  const account = call.principal.accountId
  const key = deriveEntryKey(context, { account, address, value: given.value }, normalize)
  const { stream, network, value } = key
  const content = { ...given, value }
  const { events, position, answer } = await executeCommand(context, context.listEntries, {
    stream,
    context: buildEventContext(context, call, { account, operation, input: content }),
    gather: async (state, timeMs) => {
      const entry = await findActiveEntry(context, { stream, state, timeMs })
      const isCounted = countsEntries && !entry
      return { entry, size: (isCounted && (await context.cachedLists.size(key))) || 0 }
    },
    decide: (_, nowMs, { entry, size }) => {
      const change = decide({ content, entry, size, nowMs })
      const events = change ? [toEntryEvent({ ...address, network, ...change })] : []
      return { events, answer: { wasThere: entry !== undefined } }
    },
  })
  return { key, value, position, isChanged: events.length > 0, ...answer }
}
