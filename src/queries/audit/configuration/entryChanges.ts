/** Finds the list entries that changed between two positions of the log, by the history index. */

import type { FoldedStreamCache } from '../../../commands/handling/foldedStreamCache.ts'
import type { ListEntryState } from '../../../commands/lists/findActiveEntry.ts'
import type { AccountPrincipal } from '../../../domain/principal.ts'
import { isoTime } from '../../../domain/text/isoTime.ts'
import { type EntryEvent, toEntryFact } from '../../../events/lists/listEntry.ts'
import type { DecodedEvent } from '../../../events/recording/event.ts'
import type { PointInTime } from '../../reading/pointInTime.ts'
import type { QueryContext } from '../../reading/queryContext.ts'
import { findEventLocations } from '../eventLocations.ts'
import { readEvent, redactSealed } from '../history.ts'
import { type ResourceChange, toLastChange } from './configurationChanges.ts'
import type { ResourceContent } from './configurationSources.ts'

export type EntryChangesContext = Pick<QueryContext, 'events' | 'heavyQueries' | 'keyring'> & {
  readonly listEntries: Pick<FoldedStreamCache<ListEntryState, EntryEvent>, 'stateAt'>
}

/** What the names of the streams begin with: those of phone lists, then those of lists with names. */
export const entryStreamTypes = ['phone_list', 'list_entry'] as const

interface EntryChangesQuery {
  readonly principal: AccountPrincipal
  readonly streamType: (typeof entryStreamTypes)[number]
  readonly from: PointInTime
  readonly to: PointInTime
  /** Position behind which to go on. */
  readonly after: number
}

/** A change of an entry, and the position behind which it comes; without one where there may be more than was looked at. */
interface EntryChange {
  readonly change: ResourceChange | undefined
  readonly after: number
}

/** The next entries by the position of their last change. An entry that has expired by a point is not there then. */
export async function* findEntryChanges(
  context: EntryChangesContext,
  { principal, streamType, from, to, ...begin }: EntryChangesQuery,
): AsyncGenerator<EntryChange> {
  const { accountId: account, scopes } = principal
  const opens = scopes.includes('analyse')
  const asked = { account, streamType, after: begin.after, before: to.position + 1 }
  const found = await context.heavyQueries.run(principal, findEventLocations, asked)
  let { after } = begin
  for (const { stream, revision, at } of found.locations) {
    const state = await context.listEntries.stateAt(stream, to.position)
    // it comes with its last change
    if (state.revision !== revision) continue
    const readEntry = (at: number) =>
      readEvent(context, { stream, revision: at }, opens) as Promise<DecodedEvent<EntryEvent>>
    const then = await context.listEntries.stateAt(stream, from.position)
    const last = await readEntry(revision)
    const before = then.isListed ? viewOf(await readEntry(then.revision), from) : undefined
    const lastChange = toLastChange(last.metadata, at)
    const change = {
      kind: 'entry',
      id: stream,
      before,
      after: viewOf(last, to),
      lastChange,
    } as const
    yield { change, after }
    after = at
  }
  if (found.lookedTo !== undefined) yield { change: undefined, after: found.lookedTo }
}

function viewOf(
  { event }: DecodedEvent<EntryEvent>,
  { timeMs }: PointInTime,
): ResourceContent | undefined {
  const fact = toEntryFact(event)
  if (!fact.isListed) return undefined
  const { value, reason, listed_at, expires_at } = fact.said
  if (expires_at !== undefined && expires_at <= timeMs) return undefined
  return {
    list: fact.list,
    value: redactSealed(value),
    reason: redactSealed(reason),
    listed_at: isoTime(listed_at),
    expires_at: expires_at === undefined ? undefined : isoTime(expires_at),
  }
}
