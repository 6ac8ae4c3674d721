/** Puts values on the lists of an account, and takes them off. */

import { listEntry, unlistEntry } from '../../commands/lists/listEntry.ts'
import { type ListEntryState, standingEntry } from '../../commands/lists/standingEntry.ts'
import type { Call } from '../../domain/call.ts'
import type { ListAddress } from '../../domain/lists.ts'
import type { EventContext } from '../../events/recording/event.ts'
import {
  carryOut,
  eventContextOf,
  type ServiceContext,
  whenVisible,
} from '../opening/serviceContext.ts'
import { type EntryPlace, entryPlace, listAddress, valueOn } from './entryPlace.ts'
import type { EntryInput, ListsPart } from './listsPart.ts'

type Entries = ListsPart['entries']

/** A value and what is said of it. */
type Said = Omit<EntryInput, 'list'>

/** A value on a list, and what a command about it is recorded with. */
interface Change {
  readonly address: ListAddress
  /** In canonical form. */
  readonly said: Said
  readonly place: EntryPlace
  readonly eventContext: EventContext
}

/** What was done with a value. */
export interface Changed {
  readonly value: string
  readonly position: number
  readonly result: 'added' | 'changed' | 'unchanged'
}

/** Adds a value to a list that is the caller's, and answers as soon as it is on disk. Throws `invalid_request`, `conflict`. */
export async function addEntry(
  context: ServiceContext,
  call: Call,
  { address, ...said }: Said & { readonly address: ListAddress },
): Promise<Changed> {
  const change = changeOf(context, call, { operation: 'add', address, given: said })
  const { place, eventContext } = change
  const { value, reason, expiresAtMs } = change.said
  const { account, list, subject, network } = place
  let stoodBefore = false
  const { events, position } = await carryOut(context, context.listEntries, {
    stream: place.stream,
    context: eventContext,
    decide: async (state) => {
      const entry = await standing(context, change, state)
      stoodBefore = entry !== undefined
      // while nobody can count them, a value is rather added than refused
      const nowMs = eventContext.time
      const size = entry ? 0 : ((await context.heldLists.size(place, nowMs)) ?? 0)
      const said = { address, value, network, reason, expiresAtMs }
      return listEntry(said, { entry, nowMs, size })
    },
  })
  // evaluations on this instance know of it before anybody is told; those on others hear of it
  if (events.length > 0) {
    context.heldLists.added({ account, list, subject, network, expiresAtMs }, position)
  }
  if (events.length === 0) return { value, position, result: 'unchanged' }
  return { value, position, result: stoodBefore ? 'changed' : 'added' }
}

/** The same for taking a value off. */
async function removeEntry(
  context: ServiceContext,
  call: Call,
  { address, ...said }: Said & { readonly address: ListAddress },
): Promise<Omit<Changed, 'result'>> {
  const change = changeOf(context, call, { operation: 'delete', address, given: said })
  const { place, eventContext } = change
  const { value, reason } = change.said
  const { network } = place
  const { position } = await carryOut(context, context.listEntries, {
    stream: place.stream,
    context: eventContext,
    decide: async (state) =>
      unlistEntry(
        { address, value, network, reason },
        { entry: await standing(context, change, state) },
      ),
  })
  return { value, position }
}

/** Adds one value. Its `Idempotency-Key` is known to the entry's own stream. */
export function openAddEntry(context: ServiceContext): Entries['add'] {
  return async (call, { list, ...said }) => {
    const address = await listAddress(context, call, list)
    return answerOf(context, await addEntry(context, call, { address, ...said }))
  }
}

/** Takes one value off. */
export function openRemoveEntry(context: ServiceContext): Entries['remove'] {
  return async (call, { list, ...said }) => {
    const address = await listAddress(context, call, list)
    return answerOf(context, await removeEntry(context, call, { address, ...said }))
  }
}

async function answerOf(
  context: ServiceContext,
  { value, position }: Pick<Changed, 'value' | 'position'>,
) {
  const { visible } = await whenVisible(context, { position })
  return { value: { value }, position, visible }
}

interface Asked {
  readonly operation: 'add' | 'delete'
  readonly address: ListAddress
  readonly given: Said
}

function changeOf(
  context: ServiceContext,
  call: Call,
  { operation, address, given }: Asked,
): Change {
  const account = call.principal.accountId
  const said = { ...given, value: valueOn(address, given.value) }
  const intention = { account, operation: `entries.${operation} ${address.list}`, input: said }
  return {
    address,
    said,
    place: entryPlace(context, { account, address, value: said.value }),
    eventContext: eventContextOf(context, call, intention),
  }
}

function standing(
  context: ServiceContext,
  { place: { stream }, eventContext }: Change,
  state: ListEntryState,
) {
  return standingEntry(context, { stream, state, timeMs: eventContext.time })
}
