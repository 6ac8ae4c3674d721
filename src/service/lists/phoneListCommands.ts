/** Puts numbers on the phone lists of an account, and takes them off. */

import { listPhoneNumber, unlistPhoneNumber } from '../../commands/lists/listPhoneNumber.ts'
import type { PhoneListState } from '../../commands/lists/phoneListFamily.ts'
import { standingEntry } from '../../commands/lists/standingEntry.ts'
import type { Call } from '../../domain/call.ts'
import type { EventContext } from '../../events/recording/event.ts'
import {
  carryOut,
  eventContextOf,
  type ServiceContext,
  whenVisible,
} from '../opening/serviceContext.ts'
import { assertManagement } from './assertManagement.ts'
import type { ListsPart, PhoneNumberInput } from './listsPart.ts'
import { type PhonePlace, phonePlace } from './phonePlace.ts'

type PhoneNumbers = ListsPart['phoneNumbers']

/** A number on a list, and what a command about it is recorded with. */
interface Change {
  readonly place: PhonePlace
  readonly eventContext: EventContext
}

/** What was done with a number. */
interface Changed {
  readonly position: number
  readonly result: 'added' | 'changed' | 'unchanged'
}

/** Adds a number for an account that may manage its settings, and answers as soon as it is on disk. */
export async function addNumber(
  context: ServiceContext,
  call: Call,
  input: PhoneNumberInput,
): Promise<Changed> {
  const { list } = input
  const change = changeOf(context, call, { operation: `phone_numbers.add ${list}`, input })
  const { place, eventContext } = change
  const { events, position } = await carryOut(context, context.phoneLists, {
    stream: place.stream,
    context: eventContext,
    decide: async (state) =>
      listPhoneNumber(input, {
        entry: await entryOf(context, change, state),
        nowMs: eventContext.time,
        size: context.heldLists.size(place),
      }),
  })
  // evaluations on this instance know of it before anybody is told; those on others hear of it
  if (events.length > 0) context.heldLists.added(place, position)
  const [event] = events
  if (event?.type !== 'PhoneNumberListed') return { position, result: 'unchanged' }
  const isNew = event.data.listed_at === eventContext.time
  return { position, result: isNew ? 'added' : 'changed' }
}

/** The same for taking a number off. */
async function removeNumber(
  context: ServiceContext,
  call: Call,
  input: Omit<PhoneNumberInput, 'expiresAtMs'>,
): Promise<Pick<Changed, 'position'>> {
  const { list } = input
  const change = changeOf(context, call, { operation: `phone_numbers.delete ${list}`, input })
  const { place, eventContext } = change
  const { position } = await carryOut(context, context.phoneLists, {
    stream: place.stream,
    context: eventContext,
    decide: async (state) =>
      unlistPhoneNumber(input, { entry: await entryOf(context, change, state) }),
  })
  return { position }
}

/** Adds one number. Its `Idempotency-Key` is known to the number's own stream. */
export function openAddNumber(context: ServiceContext): PhoneNumbers['add'] {
  return async (call, input) => {
    await assertManagement(context, call)
    const { position } = await addNumber(context, call, input)
    return answerOf(context, call, { ...input, position })
  }
}

/** Takes one number off. */
export function openRemoveNumber(context: ServiceContext): PhoneNumbers['remove'] {
  return async (call, input) => {
    await assertManagement(context, call)
    const { position } = await removeNumber(context, call, input)
    return answerOf(context, call, { ...input, position })
  }
}

async function answerOf(
  context: ServiceContext,
  call: Call,
  { phone_number, position }: Pick<PhoneNumberInput, 'phone_number'> & Pick<Changed, 'position'>,
) {
  const { visible } = await whenVisible(context, call, { position })
  return { value: { phone_number }, position, visible }
}

interface Asked {
  readonly operation: string
  readonly input: Omit<PhoneNumberInput, 'expiresAtMs'>
}

function changeOf(context: ServiceContext, call: Call, { operation, input }: Asked): Change {
  const account = call.principal.accountId
  const { list, phone_number: phoneNumber } = input
  return {
    place: phonePlace(context, { account, list, phoneNumber }),
    eventContext: eventContextOf(context, call, { account, operation, input }),
  }
}

function entryOf(
  context: ServiceContext,
  { place: { stream }, eventContext }: Change,
  state: PhoneListState,
) {
  return standingEntry(context, { stream, state, timeMs: eventContext.time })
}
