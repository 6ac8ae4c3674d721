/** Lists the entries of lists that changed between two points: by an event, by an erasure, by expiry. */

import type { FoldedStreamCache } from '../../../commands/handling/foldedStreamCache.ts'
import type { ListEntryState } from '../../../commands/lists/findActiveEntry.ts'
import { pauseLongWork } from '../../../domain/load/longWork.ts'
import type { AccountPrincipal } from '../../../domain/principal.ts'
import { isoTime } from '../../../domain/text/isoTime.ts'
import { type ErasureEvent, subjectErasureStream } from '../../../events/audit/erasure.ts'
import { decode } from '../../../events/catalogue.ts'
import {
  type EntryEvent,
  requireEntrySubject,
  toEntryFact,
} from '../../../events/lists/listEntry.ts'
import type { DecodedEvent } from '../../../events/recording/event.ts'
import {
  entryEndCollection,
  historyCollection,
  parseStreamType,
  subjectHistoryCollection,
} from '../../../projections/audit/history.ts'
import type { ListDeleted } from '../../../projections/lists/listEntries.ts'
import { readPagesOfStream } from '../../../stores/eventStore.ts'
import { findDocuments } from '../../reading/documents.ts'
import { readDocumentPages } from '../../reading/page.ts'
import type { PointInTime } from '../../reading/pointInTime.ts'
import type { QueryContext } from '../../reading/queryContext.ts'
import { findEventLocations } from '../eventLocations.ts'
import { readEvent } from '../history.ts'
import { redactSealed } from '../shownEvent.ts'
import { type ResourceChange, toLastChange } from './configurationChanges.ts'
import type { ResourceContent } from './configurationSources.ts'

export type EntryChangesContext = Pick<
  QueryContext,
  'events' | 'documents' | 'projections' | 'heavyQueries' | 'keyring'
> & {
  readonly listEntries: Pick<FoldedStreamCache<ListEntryState, EntryEvent>, 'stateAt'>
}

/** In this order: entries with an event between the points, by the type of their stream, then those that ended without one. */
export const entryStages = ['phone_list', 'list_entry', 'erased', 'expired'] as const

/** How far a stage was looked at. */
export interface StageEnd {
  /** Position of the last change or erasure that was passed; of the expired ones the time of the last. */
  readonly after: number
  /** Entries of the next erasure that were passed; of the expired ones the position of the last. */
  readonly passed: number
}

interface EntryChangesQuery {
  readonly principal: AccountPrincipal
  readonly from: PointInTime
  readonly to: PointInTime
  readonly begin: StageEnd
}

/** A change of an entry, and the end behind which it comes; without one where there may be more than was looked at. */
interface EntryChange {
  readonly change: ResourceChange | undefined
  readonly end: StageEnd
}

/** The next entries of a stage. An entry that has expired, was erased, or whose list was deleted by a point is not there then. */
export async function* findEntryChanges(
  context: EntryChangesContext,
  stage: (typeof entryStages)[number],
  asked: EntryChangesQuery,
): AsyncGenerator<EntryChange> {
  // what was not there before cannot have ended
  if (asked.from.position === 0 && (stage === 'erased' || stage === 'expired')) return
  const comparison = { ...asked, deletions: await readListDeletions(context, asked) }
  if (stage === 'erased') yield* findErasedEntries(context, comparison)
  else if (stage === 'expired') yield* findExpiredEntries(context, comparison)
  else yield* findChangedEntries(context, stage, comparison)
}

interface Comparison extends EntryChangesQuery {
  /** Positions at which lists were deleted, by their ids. */
  readonly deletions: ReadonlyMap<string, number>
}

/** Documents read at a time. */
const readAtOnce = 500

/** The entries of a list end with it. */
async function readListDeletions(
  context: EntryChangesContext,
  { principal: { accountId: account }, to }: EntryChangesQuery,
): Promise<Comparison['deletions']> {
  const deletions = new Map<string, number>()
  const where = { account, type: 'ListDeleted', at: { lt: to.position + 1 } }
  const found = { question: { where, sort: ['at'] as const }, readAtOnce }
  for await (const page of readDocumentPages(context, historyCollection, found)) {
    for (const { body } of page) {
      const { event } = (await readEvent(context, body, false)) as DecodedEvent<ListDeleted>
      deletions.set(event.data.list_id, body.at)
      await pauseLongWork()
    }
  }
  return deletions
}

/** By the position of their last event. */
async function* findChangedEntries(
  context: EntryChangesContext,
  streamType: 'phone_list' | 'list_entry',
  asked: Comparison,
): AsyncGenerator<EntryChange> {
  const { principal, from, to, begin } = asked
  const { locations, lookedTo } = await context.heavyQueries.run(principal, findEventLocations, {
    account: principal.accountId,
    streamType,
    after: Math.max(from.position, begin.after),
    before: to.position + 1,
  })
  let end = begin
  for (const { stream, revision, at } of locations) {
    const entry = await readEntry(context, asked, stream)
    // it comes with its last change
    if (entry.last.revision !== revision) continue
    yield { change: toChange(entry, asked), end }
    end = { after: at, passed: 0 }
  }
  if (lookedTo !== undefined) yield { change: undefined, end: { after: lookedTo, passed: 0 } }
}

/** Erased between the points without another event: by the position of the erasure. */
async function* findErasedEntries(
  context: EntryChangesContext,
  asked: Comparison,
): AsyncGenerator<EntryChange> {
  const { principal, from, to, begin } = asked
  const { locations, lookedTo } = await context.heavyQueries.run(principal, findEventLocations, {
    account: principal.accountId,
    type: 'SubjectErased',
    after: Math.max(from.position, begin.after),
    before: to.position + 1,
  })
  let { after, passed } = begin
  for (const { stream, at } of locations) {
    const subject = stream.slice(subjectErasureStream('').length)
    for (const of of (await listEntryStreams(context, subject, from)).slice(passed)) {
      const entry = await readEntry(context, asked, of)
      const isEnd = entry.erasure?.position === at && entry.last.position <= from.position
      if (isEnd) yield { change: toChange(entry, asked), end: { after, passed } }
      passed += 1
    }
    after = at
    passed = 0
  }
  if (lookedTo !== undefined) yield { change: undefined, end: { after: lookedTo, passed: 0 } }
}

/** The streams of the entries that a subject had by then, on whatever lists. */
async function listEntryStreams(
  context: EntryChangesContext,
  subject: string,
  { position }: PointInTime,
): Promise<readonly string[]> {
  const streams = new Set<string>()
  const where = { subject, at: { lt: position + 1 } }
  const found = { question: { where, sort: ['at'] as const }, readAtOnce }
  for await (const page of readDocumentPages(context, subjectHistoryCollection, found)) {
    for (const { body } of page) {
      if (['phone_list', 'list_entry'].includes(parseStreamType(body.stream)))
        streams.add(body.stream)
    }
    await pauseLongWork()
  }
  return [...streams]
}

/** Expired between the points without another event: by the time of their expiry. */
async function* findExpiredEntries(
  context: EntryChangesContext,
  asked: Comparison,
): AsyncGenerator<EntryChange> {
  const { principal, from, to, begin } = asked
  const found = await findDocuments(context, entryEndCollection, {
    where: {
      account: principal.accountId,
      expires_at: { gt: from.timeMs, lt: to.timeMs + 1 },
    },
    sort: ['expires_at'],
    limit: readAtOnce,
    ...(begin.after > 0 && { after: { id: String(begin.passed), values: [begin.after] } }),
  })
  let end = begin
  for (const { body } of found) {
    const isBefore = body.at <= from.position
    const entry = isBefore ? await readEntry(context, asked, body.stream) : undefined
    if (entry?.last.position === body.at && !isErasedBy(entry, to)) {
      yield { change: toChange(entry, asked), end }
    }
    end = { after: body.expires_at, passed: body.at }
  }
  if (found.length === readAtOnce) yield { change: undefined, end }
}

/** An entry between two points. */
interface Entry {
  readonly stream: string
  /** Its last event by each of the points. */
  readonly first: DecodedEvent<EntryEvent> | undefined
  readonly last: DecodedEvent<EntryEvent>
  /** What erased the value of each, whenever it was. */
  readonly firstErasure: Erasure | undefined
  readonly erasure: Erasure | undefined
}

type Erasure = DecodedEvent<ErasureEvent>

async function readEntry(
  context: EntryChangesContext,
  { principal, from, to }: EntryChangesQuery,
  stream: string,
): Promise<Entry> {
  const opens = principal.scopes.includes('analyse')
  const read = async ({ position }: PointInTime) => {
    const { revision } = await context.listEntries.stateAt(stream, position)
    if (revision < 0) return undefined
    return (await readEvent(context, { stream, revision }, opens)) as DecodedEvent<EntryEvent>
  }
  const last = await read(to)
  if (!last) throw new Error(`${stream} has no event by ${to.position}`)
  const erasure = await findErasure(context, last)
  if (last.position <= from.position) {
    return { stream, first: last, last, firstErasure: erasure, erasure }
  }
  const first = from.position > 0 ? await read(from) : undefined
  return {
    stream,
    first,
    last,
    firstErasure: first && (await findErasure(context, first)),
    erasure,
  }
}

/** What destroyed the key of the entry's value, as recorded: the keys themselves say nothing of when. */
async function findErasure(
  { events }: Pick<EntryChangesContext, 'events'>,
  { metadata }: DecodedEvent<EntryEvent>,
): Promise<Erasure | undefined> {
  const keys = metadata.subjects?.map(({ key }) => key) ?? []
  const stream = subjectErasureStream(requireEntrySubject(metadata))
  for await (const page of readPagesOfStream(events, stream)) {
    const records = page.map((recorded) => decode(recorded) as Erasure)
    const found = records.find(({ event }) => keys.some((key) => event.data.keys.includes(key)))
    if (found) return found
  }
  return undefined
}

function isErasedBy({ erasure }: Pick<Entry, 'erasure'>, { position }: PointInTime): boolean {
  return erasure !== undefined && erasure.position <= position
}

function toChange(entry: Entry, { from, to, deletions }: Comparison): ResourceChange {
  const { stream: id, first, last, firstErasure, erasure } = entry
  const { metadata, position } = erasure && isErasedBy(entry, to) ? erasure : last
  return {
    kind: 'entry',
    id,
    before: first && toContent({ last: first, erasure: firstErasure }, from, deletions),
    after: toContent(entry, to, deletions),
    lastChange: toLastChange(metadata, position),
  }
}

function toContent(
  entry: Pick<Entry, 'last' | 'erasure'>,
  point: PointInTime,
  deletions: Comparison['deletions'],
): ResourceContent | undefined {
  const fact = toEntryFact(entry.last.event)
  if (!fact.isListed || isErasedBy(entry, point)) return undefined
  const { value, reason, listed_at, expires_at } = fact.said
  if (expires_at !== undefined && expires_at <= point.timeMs) return undefined
  if ((deletions.get(fact.list) ?? Infinity) <= point.position) return undefined
  const show = (said: unknown) =>
    entry.erasure && said !== undefined ? forgotten : redactSealed(said)
  return {
    list: fact.list,
    value: show(value),
    reason: show(reason),
    listed_at: isoTime(listed_at),
    expires_at: expires_at === undefined ? undefined : isoTime(expires_at),
  }
}

/** Also where a key store that was restored could open it. */
const forgotten = { forgotten: true } as const
