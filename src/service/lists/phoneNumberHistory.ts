/** What was done with a number on a list: read from its own stream. */

import { invalidRequest } from '../../domain/failure.ts'
import { isoTime } from '../../domain/isoTime.ts'
import { decode, openEvent } from '../../events/catalogue.ts'
import type { PhoneListEvent } from '../../events/lists/phoneList.ts'
import type { DecodedEvent } from '../../events/recording/event.ts'
import type { RecordedEvent } from '../../stores/eventStore.ts'
import type { ServiceContext } from '../opening/serviceContext.ts'
import { assertManagement } from './assertManagement.ts'
import type { ListsPart, PhoneNumberChange } from './listsPart.ts'
import { phonePlace } from './phonePlace.ts'

type Opened = DecodedEvent<PhoneListEvent>

/** The oldest change first; what was erased with the person is not among them. */
export function openNumberHistory(context: ServiceContext): ListsPart['phoneNumbers']['history'] {
  return async (call, { list, phone_number: phoneNumber, cursor, limit }) => {
    await assertManagement(context, call)
    const account = call.principal.accountId
    const { stream } = phonePlace(context, { account, list, phoneNumber })
    const from = cursor === undefined ? 0 : revisionIn(cursor)
    // one before tells whether the first is a change of what was there, one more whether there is a next page
    const first = Math.max(0, from - 1)
    const read = await context.events.readStream(stream, {
      from: first,
      limit: limit + 1 + from - first,
    })
    const opened = await Promise.all(read.map((recorded) => open(context, recorded)))
    const shown = opened.slice(from - first, from - first + limit)
    const items = shown.flatMap((one, index) => changeOf(one, opened[index - 1 + from - first]))
    const hasMore = opened.length > from - first + limit
    const value = { items, ...(hasMore && { nextCursor: cursorAt(from + limit) }) }
    return { value, position: context.projections.position() }
  }
}

async function open(context: ServiceContext, recorded: RecordedEvent): Promise<Opened> {
  return openEvent(decode(recorded) as Opened, context.keyring)
}

function changeOf(
  { event, metadata: { time, actor }, position }: Opened,
  before: Opened | undefined,
): PhoneNumberChange[] {
  const { phone_number, reason } = event.data
  if (typeof phone_number === 'object' && 'forgotten' in phone_number) return []
  const expires = event.type === 'PhoneNumberListed' ? event.data.expires_at : undefined
  const said = {
    at: isoTime(time),
    by: actor,
    ...(reason !== undefined && { reason: reason as string }),
    ...(expires !== undefined && { expires_at: isoTime(expires) }),
    position: String(position),
  }
  return [{ change: kindOf(event, before?.event), ...said }]
}

function kindOf(
  event: PhoneListEvent,
  before: PhoneListEvent | undefined,
): PhoneNumberChange['change'] {
  if (event.type === 'PhoneNumberUnlisted') return 'deleted'
  const isSameEntry =
    before?.type === 'PhoneNumberListed' && before.data.listed_at === event.data.listed_at
  return isSameEntry ? 'changed' : 'added'
}

function cursorAt(revision: number): string {
  return Buffer.from(`r${revision}`).toString('base64url')
}

function revisionIn(cursor: string): number {
  const [, digits] = /^r(\d{1,15})$/.exec(Buffer.from(cursor, 'base64url').toString()) ?? []
  if (digits !== undefined) return Number(digits)
  throw invalidRequest([{ path: 'cursor', message: 'is not a cursor of this list' }])
}
