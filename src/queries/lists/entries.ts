/** Lists the entries of a list of an account, by page or as a whole. */

import type { Call, Page, PageRequest } from '../../domain/call.ts'
import { Failure } from '../../domain/failure.ts'
import { type ObjectOf, optional, text, timeSchema } from '../../domain/jsonSchema.ts'
import { isoTime } from '../../domain/text/isoTime.ts'
import { openPersonal, sealedUnder } from '../../events/catalogue.ts'
import { toEntryFact } from '../../events/lists/listEntry.ts'
import { isForgotten } from '../../events/recording/sealing.ts'
import {
  type ListEntryDocument,
  listEntryCollection,
  rebuildLastEntryEvent,
} from '../../projections/lists/listEntries.ts'
import type { Readers } from '../../projections/running/documents.ts'
import type { ListRef } from '../../state/lists/entryKey.ts'
import { type ListContext, requireListAddress } from '../../state/lists/entryKey.ts'
import { retry } from '../../stores/retry.ts'
import { findPage } from '../reading/page.ts'
import type { HeavyContext, QueryContext } from '../reading/queryContext.ts'

/** An entry of a list, beside its value. */
export const entryFields = {
  created_at: timeSchema,
  reason: optional(text),
  expires_at: optional(timeSchema),
} as const
export type EntryView = ObjectOf<typeof entryFields & { readonly value: typeof text }>

type Context = ListContext &
  Pick<QueryContext, 'projections' | 'clock'> &
  HeavyContext<{ findEntryPage: typeof findEntryPage }>
type FoundPage = Page<ListEntryDocument>

/** Entries read at a time of a list that is answered whole. */
const entriesAtOnce = 500

/** How often the reading of a whole list is tried while there is no room for it, and after what pauses. */
const triesMax = 20
const pauses = { backoffMs: 250, backoffMaxMs: 250 }

/**
 * In the order in which they were added; a page may have fewer than asked for though it is not the last. Throws
 * `access_not_enabled`, `not_found`, `invalid_request` for an invalid cursor, `unavailable`.
 */
export async function listEntries(
  context: Context,
  call: Call,
  { list, ...page }: ListRef & PageRequest,
): Promise<Page<EntryView>> {
  await requireListAddress(context, call, list)
  const found = await findHeavyPage(context, call, { list, ...page })
  return { ...found, items: await openViews(context, found) }
}

/** A whole list, page by page as it is taken; the first is read before this answers, so that it may refuse. */
export async function listAllEntries(
  context: Context,
  call: Call,
  { list }: ListRef,
): Promise<AsyncIterable<readonly EntryView[]>> {
  await requireListAddress(context, call, list)
  const asked = { list, limit: entriesAtOnce }
  const first = await findHeavyPage(context, call, asked)
  return readPages(context, call, { ...asked, first })
}

async function* readPages(
  context: Context,
  call: Call,
  { first, ...asked }: ListRef & PageRequest & { readonly first: FoundPage },
): AsyncGenerator<readonly EntryView[]> {
  for (let page: FoundPage | undefined = first; page; ) {
    yield await openViews(context, page)
    const { nextCursor: cursor } = page
    if (cursor === undefined) return
    // nobody reads on in a list that was deleted meanwhile
    await requireListAddress(context, call, asked.list)
    const findNext = (): Promise<FoundPage> => findHeavyPage(context, call, { ...asked, cursor })
    page = await retry(findNext, throwUnlessBusy, pauses)
  }
}

function findHeavyPage(
  { heavyQueries }: Pick<Context, 'heavyQueries'>,
  { principal }: Call,
  asked: ListRef & PageRequest,
): Promise<FoundPage> {
  return heavyQueries.findEntryPage(principal, { account: principal.accountId, ...asked })
}

/** A caller who has been answered half of a list would rather wait than begin anew. */
function throwUnlessBusy(error: unknown, tries: number): void {
  const isPassing =
    error instanceof Failure && (error.code === 'unavailable' || error.code === 'rate_limited')
  if (!isPassing || tries >= triesMax) throw error
}

/**
 * What is on the list now, all keys asked for at once: what has expired or was erased is not. Throws `unavailable`
 * where a key is lost.
 */
async function openViews(context: Context, { items }: FoundPage): Promise<readonly EntryView[]> {
  const nowMs = context.clock.nowMs()
  const current = items.filter(({ data }) => (data.expires_at ?? Infinity) > nowMs)
  const decoded = current.map(rebuildLastEntryEvent)
  const keys = await context.keyring.keys([...new Set(decoded.flatMap(sealedUnder))])
  return decoded.flatMap((sealed) => {
    const fact = toEntryFact(openPersonal(sealed, keys).event)
    if (!fact.isListed || isForgotten(fact.said.value)) return []
    const { value, reason, listed_at, expires_at } = fact.said
    return {
      value: value as string,
      created_at: isoTime(listed_at),
      ...(reason !== undefined && { reason: reason as string }),
      ...(expires_at !== undefined && { expires_at: isoTime(expires_at) }),
    }
  })
}

/** A list's entries in the order in which they were added, expired ones too. Personal fields are sealed. */
export async function findEntryPage(
  readers: Readers,
  { account, list, ...asked }: PageRequest & ListRef & { readonly account: string },
): Promise<Page<ListEntryDocument>> {
  const question = { where: { account, list }, sort: ['added'] as const, ...asked }
  const page = await findPage(readers, listEntryCollection, question)
  return { ...page, items: page.items.map(({ body }) => body) }
}
