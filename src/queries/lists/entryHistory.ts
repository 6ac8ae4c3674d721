/** Lists the changes of one value on a list, read from the entry's event stream. */

import type { ListRef } from '../../commands/lists/changeListEntries.ts'
import {
  deriveEntryKey,
  type ListContext,
  requireListAddress,
} from '../../commands/lists/entryKey.ts'
import type { Call, Page, PageRequest, QueryResult } from '../../domain/call.ts'
import { invalidRequest } from '../../domain/failure.ts'
import { type ObjectOf, optional, text, timeSchema } from '../../domain/jsonSchema.ts'
import { isoTime } from '../../domain/text/isoTime.ts'
import { decode, openEvent } from '../../events/catalogue.ts'
import { type EntryEvent, toEntryFact } from '../../events/lists/listEntry.ts'
import type { DecodedEvent } from '../../events/recording/event.ts'
import { isForgotten } from '../../events/recording/sealing.ts'
import type { RecordedEvent } from '../../stores/eventStore.ts'
import { type CursorScope, computeListDigest, decodeCursor, encodeCursor } from '../reading/page.ts'
import type { QueryContext } from '../reading/queryContext.ts'

/** A change of an entry. */
export const entryChangeFields = {
  change: { type: 'string', enum: ['added', 'changed', 'deleted'] },
  at: timeSchema,
  by: { type: 'string', description: 'Id of the token.' },
  reason: optional(text),
  expires_at: optional(timeSchema),
  position: { type: 'string', description: 'In the log.' },
} as const
export type EntryChange = ObjectOf<typeof entryChangeFields>

type Context = ListContext & Pick<QueryContext, 'events' | 'projections'>

type Opened = DecodedEvent<EntryEvent>

/** The oldest change first; what was erased with the person is not among them. Throws `access_not_enabled`, `not_found`. */
export async function listEntryHistory(
  context: Context,
  call: Call,
  { list, value: text, cursor, limit }: ListRef & PageRequest & { readonly value: string },
): Promise<QueryResult<Page<EntryChange>>> {
  const address = await requireListAddress(context, call, list)
  const account = call.principal.accountId
  const { stream } = deriveEntryKey(context, { account, address, value: text })
  const order = historyScope(stream)
  const from = cursor === undefined ? 0 : decodeRevision(cursor, order)
  // one before tells whether the first is a change of what was there, one more whether there is a next page
  const first = Math.max(0, from - 1)
  const read = await context.events.readStream(stream, {
    from: first,
    limit: limit + 1 + from - first,
  })
  const opened = await Promise.all(read.map((recorded) => open(context, recorded)))
  const page = opened.slice(from - first, from - first + limit)
  const items = page.flatMap((one, index) => toEntryChange(one, opened[index - 1 + from - first]))
  const hasMore = opened.length > from - first + limit
  const value = { items, ...(hasMore && { nextCursor: encodeRevision(from + limit, order) }) }
  return { value, position: context.projections.position() }
}

async function open(context: Context, recorded: RecordedEvent): Promise<Opened> {
  return openEvent(decode(recorded) as Opened, context.keyring)
}

function toEntryChange(
  { event, metadata: { time, actor }, position }: Opened,
  before: Opened | undefined,
): EntryChange[] {
  const fact = toEntryFact(event)
  const { value, reason } = fact.said
  if (isForgotten(value)) return []
  const expires = fact.isListed ? fact.said.expires_at : undefined
  const said = {
    at: isoTime(time),
    by: actor,
    ...(reason !== undefined && { reason: reason as string }),
    ...(expires !== undefined && { expires_at: isoTime(expires) }),
    position: String(position),
  }
  return [{ change: changeKind(event, before?.event), ...said }]
}

function changeKind(event: EntryEvent, before: EntryEvent | undefined): EntryChange['change'] {
  const fact = toEntryFact(event)
  if (!fact.isListed) return 'deleted'
  const earlier = before && toEntryFact(before)
  const isSameEntry = earlier?.isListed && earlier.said.listed_at === fact.said.listed_at
  return isSameEntry ? 'changed' : 'added'
}

/** The history of one value on one list is paged by the revision of its stream. */
function historyScope(stream: string): CursorScope {
  return { mark: computeListDigest('entry_history', { stream }), fields: ['revision'] }
}

function encodeRevision(revision: number, order: CursorScope): string {
  return encodeCursor({ id: '', body: { revision } }, order)
}

function decodeRevision(cursor: string, order: CursorScope): number {
  const [revision] = decodeCursor(cursor, order).values
  if (Number.isSafeInteger(revision) && Number(revision) >= 0) return Number(revision)
  throw invalidRequest([{ path: 'cursor', message: 'is not a cursor of this list' }])
}
