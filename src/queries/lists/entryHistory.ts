/** Lists the changes of one value on a list, read from the entry's event stream. */

import type { Call, Page, PageRequest } from '../../domain/call.ts'
import { invalidRequest } from '../../domain/failure.ts'
import { type ObjectOf, optional, text, timeSchema } from '../../domain/jsonSchema.ts'
import { normalizeStoredListValue } from '../../domain/lists/listValue.ts'
import { longWork } from '../../domain/load/scheduler.ts'
import { personal } from '../../domain/shownPersons.ts'
import { isoTime } from '../../domain/text/isoTime.ts'
import { type EntryEvent, type EntryFact, toEntryFact } from '../../events/lists/listEntry.ts'
import type { DecodedEvent } from '../../events/recording/event.ts'
import { isForgotten } from '../../events/recording/sealing.ts'
import type { ListRef } from '../../state/lists/entryKey.ts'
import { deriveEntryKey, type ListContext, requireListAddress } from '../../state/lists/entryKey.ts'
import { decodeEvents } from '../reading/decodeEvents.ts'
import { type CursorScope, computeListDigest, decodeCursor, encodeCursor } from '../reading/page.ts'
import type { QueryContext } from '../reading/queryContext.ts'

export const entryChangeFields = {
  change: { type: 'string', enum: ['added', 'changed', 'deleted'] },
  at: timeSchema,
  by: { type: 'string', description: 'Id of the token.' },
  reason: optional(personal(text)),
  expires_at: optional(timeSchema),
  position: { type: 'string', description: 'In the log.' },
} as const
export type EntryChange = ObjectOf<typeof entryChangeFields>

type Context = ListContext & Pick<QueryContext, 'events' | 'scheduler'>

type OpenedEntryEvent = DecodedEvent<EntryEvent>

/** The oldest first, without what was erased with the person. Throws `access_not_enabled`, `not_found`. */
export async function listEntryHistory(
  context: Context,
  call: Call,
  { list, value: text, cursor, limit }: ListRef & PageRequest & { readonly value: string },
): Promise<Page<EntryChange>> {
  const address = await requireListAddress(context, call, list)
  const account = call.principal.accountId
  const { stream } = deriveEntryKey(
    context,
    { account, address, value: text },
    normalizeStoredListValue,
  )
  // one value on one list is paged by the revision of its stream
  const scope = { mark: computeListDigest('entry_history', { stream }), fields: ['revision'] }
  const from = cursor === undefined ? 0 : decodeRevision(cursor, scope)
  // one before tells whether the first is a change of what was there, one more whether there is a next page
  const first = Math.max(0, from - 1)
  const skipped = from - first
  const read = await context.events.readStream(stream, { from: first, limit: skipped + limit + 1 })
  const opened = await longWork(context, account, () =>
    decodeEvents<EntryEvent>(context, read, true),
  )
  const page = opened.slice(skipped, skipped + limit)
  const items = page.flatMap((one, index) => toEntryChange(one, opened[index + skipped - 1]))
  const next = { id: '', body: { revision: from + limit } }
  const hasMore = opened.length > skipped + limit
  return { items, ...(hasMore && { nextCursor: encodeCursor(next, scope) }) }
}

function toEntryChange(
  { event, metadata: { time, actor }, position }: OpenedEntryEvent,
  before: OpenedEntryEvent | undefined,
): readonly EntryChange[] {
  const fact = toEntryFact(event)
  const { value, reason } = fact.said
  if (isForgotten(value)) return []
  const earlier = before && toEntryFact(before.event)
  const expires = fact.isListed ? fact.said.expires_at : undefined
  return [
    {
      change: nameChange(fact, earlier),
      at: isoTime(time),
      by: actor,
      ...(reason !== undefined && { reason: reason as string }),
      ...(expires !== undefined && { expires_at: isoTime(expires) }),
      position: String(position),
    },
  ]
}

function nameChange(fact: EntryFact, earlier: EntryFact | undefined): EntryChange['change'] {
  if (!fact.isListed) return 'deleted'
  const isSameEntry = earlier?.isListed && earlier.said.listed_at === fact.said.listed_at
  return isSameEntry ? 'changed' : 'added'
}

function decodeRevision(cursor: string, scope: CursorScope): number {
  const [revision] = decodeCursor(cursor, scope).values
  if (Number.isSafeInteger(revision) && Number(revision) >= 0) return Number(revision)
  throw invalidRequest([{ path: 'cursor', message: 'is not a cursor of this list' }])
}
