/** Adds values to the lists of an account and removes them. */

import type { Call, WriteResult } from '../../domain/call.ts'
import { Failure, invalidRequest } from '../../domain/failure.ts'
import type { ListAddress } from '../../domain/lists/lists.ts'
import { type EntryEvent, entryEvent, type NetworkSize } from '../../events/lists/listEntry.ts'
import type { EventContext } from '../../events/recording/event.ts'
import type { WriteContext } from '../handling/commandContext.ts'
import { eventContextOf, executeCommand, waitForReadModels } from '../handling/executeCommand.ts'
import type { Streams } from '../handling/streams.ts'
import { type ActiveEntry, activeEntry, type ListEntryState } from './activeEntry.ts'
import type { CachedLists } from './cachedLists.ts'
import { type EntryKey, entryKey, type ListContext, listAddress, valueOn } from './entryKey.ts'

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
export type Context = WriteContext &
  ListContext & {
    readonly listEntries: Streams<ListEntryState, EntryEvent>
    readonly cachedLists: CachedLists
  }

/**
 * Adds one value; repeating it is no error. Its `Idempotency-Key` is known to the entry's own stream. Throws `access_not_enabled`,
 * `not_found`, `invalid_request` for a value of another kind than the list's and for an end in the past, `conflict` when the list is full.
 */
export async function addEntry(
  context: Context,
  call: Call,
  { list, ...said }: EntryInput,
): Promise<Entered> {
  const address = await listAddress(context, call, list)
  return answerOf(context, await putEntry(context, call, { address, ...said }))
}

/** Removes one value; an absent one is no error. Throws `access_not_enabled`, `not_found`, `invalid_request`. */
export async function removeEntry(
  context: Context,
  call: Call,
  { list, ...said }: Omit<EntryInput, 'expiresAtMs'>,
): Promise<Entered> {
  const address = await listAddress(context, call, list)
  return answerOf(context, await remove(context, call, { address, ...said }))
}

/** A value and what is said of it. */
type Said = Omit<EntryInput, 'list'>

/** A value on a list, and what a command about it is recorded with. */
interface Change {
  readonly address: ListAddress
  /** In canonical form. */
  readonly said: Said
  readonly key: EntryKey
  readonly eventContext: EventContext
}

/** What was done with a value. */
export interface EntryChangeResult {
  readonly value: string
  readonly position: number
  readonly result: 'added' | 'changed' | 'unchanged'
}

/** Adds a value to a list that is the caller's, and answers as soon as it is on disk. Throws `invalid_request`, `conflict`. */
export async function putEntry(
  context: Context,
  call: Call,
  { address, ...said }: Said & { readonly address: ListAddress },
): Promise<EntryChangeResult> {
  const change = changeOf(context, call, { operation: 'add', address, given: said })
  const { key, eventContext } = change
  const { value, reason, expiresAtMs } = change.said
  const { account, list, subject, network } = key
  let wasThere = false
  const { events, position } = await executeCommand(context, context.listEntries, {
    stream: key.stream,
    context: eventContext,
    decide: async (state) => {
      const entry = await presentEntry(context, change, state)
      wasThere = entry !== undefined
      // while nobody can count them, a value is rather added than refused
      const size = entry ? 0 : ((await context.cachedLists.size(key)) ?? 0)
      const said = { address, value, network, reason, expiresAtMs }
      return decideAddition(said, { entry, nowMs: eventContext.time, size })
    },
  })
  // evaluations on this instance know of it before anybody is told; those on others hear of it
  if (events.length === 0) return { value, position, result: 'unchanged' }
  context.cachedLists.added({ account, list, subject, network }, position)
  return { value, position, result: wasThere ? 'changed' : 'added' }
}

/** The same for taking a value off. */
async function remove(
  context: Context,
  call: Call,
  { address, ...said }: Said & { readonly address: ListAddress },
): Promise<Omit<EntryChangeResult, 'result'>> {
  const change = changeOf(context, call, { operation: 'delete', address, given: said })
  const { key, eventContext } = change
  const { value, reason } = change.said
  const { network } = key
  const { position } = await executeCommand(context, context.listEntries, {
    stream: key.stream,
    context: eventContext,
    decide: async (state) =>
      decideRemoval(
        { address, value, network, reason },
        { entry: await presentEntry(context, change, state) },
      ),
  })
  return { value, position }
}

interface DecidedEntry {
  readonly address: ListAddress
  /** In canonical form. */
  readonly value: string
  /** Of a network. */
  readonly network?: NetworkSize | undefined
  readonly reason?: string | undefined
  /** In milliseconds since the Unix epoch; undefined for an entry that stays. */
  readonly expiresAtMs?: number | undefined
}

/** The entry that is there, the time, and how many entries the list has. */
interface Present {
  readonly entry: ActiveEntry | undefined
  readonly nowMs: number
  readonly size: number
}

/** An entry that says the same already is left as it is (spec 4.3, rule 2), one that says something else is replaced and keeps its time. */
function decideAddition(
  { address, value, network, reason, expiresAtMs }: DecidedEntry,
  { entry, nowMs, size }: Present,
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

/** What is not there is no error (spec 4.3, rule 2). */
function decideRemoval(
  { address, value, network, reason }: Omit<DecidedEntry, 'expiresAtMs'>,
  { entry }: Pick<Present, 'entry'>,
): readonly EntryEvent[] {
  if (!entry) return []
  const said = { value, ...(reason !== undefined && { reason }) }
  return [entryEvent({ ...address, network, isListed: false, said })]
}

async function answerOf(
  context: Context,
  { value, position }: Pick<EntryChangeResult, 'value' | 'position'>,
) {
  const { visible } = await waitForReadModels(context, { position })
  return { value: { value }, position, visible }
}

interface ChangeInput {
  readonly operation: 'add' | 'delete'
  readonly address: ListAddress
  readonly given: Said
}

function changeOf(
  context: Context,
  call: Call,
  { operation, address, given }: ChangeInput,
): Change {
  const account = call.principal.accountId
  const said = { ...given, value: valueOn(address, given.value) }
  const intention = { account, operation: `entries.${operation} ${address.list}`, input: said }
  return {
    address,
    said,
    key: entryKey(context, { account, address, value: said.value }),
    eventContext: eventContextOf(context, call, intention),
  }
}

function presentEntry(
  context: Context,
  { key: { stream }, eventContext }: Change,
  state: ListEntryState,
) {
  return activeEntry(context, { stream, state, timeMs: eventContext.time })
}
