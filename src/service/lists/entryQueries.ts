/** The lists of an account as it sees them. */

import { setTimeout as sleep } from 'node:timers/promises'
import type { Call } from '../../domain/call.ts'
import { Failure } from '../../domain/failure.ts'
import { isoTime } from '../../domain/isoTime.ts'
import { openPersonal, sealedUnder } from '../../events/catalogue.ts'
import { type EntrySaid, entryFact } from '../../events/lists/listEntry.ts'
import { isForgotten } from '../../events/recording/sealing.ts'
import { recordedAs } from '../../projections/lists/listEntries.ts'
import type { Answered } from '../../queries/heavyQuestions.ts'
import { reached } from '../../queries/reading/reached.ts'
import type { ServiceContext } from '../opening/serviceContext.ts'
import { listAddress } from './entryPlace.ts'
import type { EntryView, ListsPart } from './listsPart.ts'

type Entries = ListsPart['entries']
type FoundPage = Answered<'listListEntries'>

/** Entries read at a time of a list that is answered whole. */
const pageMax = 500

/** How often the reading of a whole list is tried again while there is no room for it, and after what rest. */
const triesMax = 20
const restMs = 250

/** A page of a list. Throws `invalid_request` for what is no cursor, `unavailable`. */
export function openListEntries(context: ServiceContext): Entries['list'] {
  return async (call, { list, minPosition, ...page }) => {
    await listAddress(context, call, list)
    const position = await reached(context, minPosition)
    const found = await ask(context, call, { list, ...page })
    const items = await viewsOf(context, found)
    const { nextCursor } = found
    return { value: { items, ...(nextCursor !== undefined && { nextCursor }) }, position }
  }
}

/** A whole list: its first page is read before this answers, so that what is refused is refused as ever. */
export function openAllEntries(context: ServiceContext): Entries['listAll'] {
  return async (call, { list, minPosition }) => {
    await listAddress(context, call, list)
    const position = await reached(context, minPosition)
    const first = await ask(context, call, { list, limit: pageMax })
    return { value: pagesOf(context, call, { list, first }), position }
  }
}

async function* pagesOf(
  context: ServiceContext,
  call: Call,
  { list, first }: { readonly list: string; readonly first: FoundPage },
): AsyncGenerator<readonly EntryView[]> {
  for (let page = first; ; ) {
    yield await viewsOf(context, page)
    const { nextCursor: cursor } = page
    if (cursor === undefined) return
    // nobody reads on in a list that was deleted meanwhile
    await listAddress(context, call, list)
    page = await patiently(() => ask(context, call, { list, limit: pageMax, cursor }))
  }
}

function ask(
  { heavyReads }: ServiceContext,
  { principal }: Call,
  asked: { readonly list: string; readonly limit: number; readonly cursor?: string },
): Promise<FoundPage> {
  const account = principal.accountId
  return heavyReads.ask(principal, 'listListEntries', { account, ...asked })
}

/** Who has been answered half of a list would rather wait than begin anew. */
async function patiently<Value>(work: () => Promise<Value>): Promise<Value> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await work()
    } catch (error) {
      const isPassing =
        error instanceof Failure && (error.code === 'unavailable' || error.code === 'rate_limited')
      if (!isPassing || tries >= triesMax) throw error
      await sleep(restMs)
    }
  }
}

/** What stands on the list now: what has expired or was erased does not. */
async function viewsOf(
  context: ServiceContext,
  { items }: FoundPage,
): Promise<readonly EntryView[]> {
  const nowMs = context.clock.nowMs()
  const standing = items.filter(({ data }) => (data.expires_at ?? Infinity) > nowMs)
  const opened = await openEntries(context, standing)
  return opened.flatMap(({ value, reason, listed_at, expires_at }) => {
    if (isForgotten(value)) return []
    return {
      value: value as string,
      created_at: isoTime(listed_at),
      ...(reason !== undefined && { reason: reason as string }),
      ...(expires_at !== undefined && { expires_at: isoTime(expires_at) }),
    }
  })
}

type Entry = Answered<'listListEntries'>['items'][number]

/** In the same order, all keys asked for at once. Throws `unavailable` where a key is lost. */
async function openEntries(
  { keyring }: Pick<ServiceContext, 'keyring'>,
  entries: readonly Entry[],
): Promise<readonly EntrySaid[]> {
  const decoded = entries.map(recordedAs)
  const keys = await keyring.keys([...new Set(decoded.flatMap(sealedUnder))])
  return decoded.flatMap((recorded) => {
    const fact = entryFact(openPersonal(recorded, keys).event)
    return fact.isListed ? [fact.said] : []
  })
}
