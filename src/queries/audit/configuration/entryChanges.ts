/** Lists the entries of lists that changed or ended between two points. */

import { pauseLongWork } from '../../../domain/load/scheduler.ts'
import type { AccountPrincipal } from '../../../domain/principal.ts'
import { opensPersons } from '../../../domain/shownPersons.ts'
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
  subjectHistoryCollection,
} from '../../../projections/audit/history.ts'
import type { ListDeleted } from '../../../projections/lists/listEntries.ts'
import { findDocuments, readDocumentPages } from '../../../projections/running/documents.ts'
import type { FoldedStreamCache } from '../../../state/folding/foldedStreamCache.ts'
import type { ListEntryState } from '../../../state/lists/findActiveEntry.ts'
import { readPagesOfStream } from '../../../stores/eventStore.ts'
import type { PointInTime } from '../../reading/pointInTime.ts'
import type { HeavyContext, QueryContext } from '../../reading/queryContext.ts'
import type { findEventLocations } from '../eventLocations.ts'
import { readEvent } from '../history.ts'
import { redactSealed } from '../shownEvent.ts'
import { type ResourceChange, toLastChange } from './configurationChanges.ts'
import type { ResourceContent } from './configurationSources.ts'

export type EntryChangesContext = Pick<
  QueryContext,
  'events' | 'documents' | 'projections' | 'keyring' | 'scheduler'
> &
  HeavyContext<{ findEventLocations: typeof findEventLocations }> & {
    readonly listEntries: Pick<FoldedStreamCache<ListEntryState, EntryEvent>, 'stateAt'>
  }

/** In this order: entries with an event between the points, by stream type, then those that ended without one. */
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

/** The next entries of a stage; one expired, erased, or of a list deleted by a point is not there then. */
export async function* findEntryChanges(
  context: EntryChangesContext,
  stage: (typeof entryStages)[number],
  asked: EntryChangesQuery,
): AsyncGenerator<EntryChange> {
  // what was not there before cannot have ended
  if (asked.from.position === 0 && (stage === 'erased' || stage === 'expired')) return
  let deletions: ReadonlyMap<string, number> | undefined
  let end = asked.begin
  for await (const { stream, isOf, next } of listCandidates(context, stage, asked)) {
    const entry = stream === undefined ? undefined : await readEntry(context, asked, stream)
    if (!entry) yield { change: undefined, end: next }
    else if (isOf?.(entry)) {
      deletions ??= await readListDeletions(context, asked)
      yield { change: toChange(entry, asked, deletions), end }
    }
    end = next
  }
}

/** An entry to look at, and the end behind it; without one where there may be more. */
interface Candidate {
  readonly stream?: string
  /** Whether the stage has it, and no other. */
  readonly isOf?: (entry: Entry) => boolean
  readonly next: StageEnd
}

/** Documents read at a time. */
const readAtOnce = 500

async function* listCandidates(
  context: EntryChangesContext,
  stage: (typeof entryStages)[number],
  asked: EntryChangesQuery,
): AsyncGenerator<Candidate> {
  if (stage === 'expired') return yield* listExpired(context, asked)
  const { principal, from, to, begin } = asked
  const { locations, lookedTo } = await context.heavyQueries.findEventLocations(principal, {
    account: principal.accountId,
    ...(stage === 'erased' ? { type: 'SubjectErased' } : { streamType: stage }),
    after: Math.max(from.position, begin.after),
    before: to.position + 1,
  })
  let { after, passed } = begin
  for (const { stream, at } of locations) {
    const isOf = ({ last: { event, erasure } }: Entry) =>
      // it comes with its last change
      stage === 'erased'
        ? erasure?.position === at && event.position <= from.position
        : event.position === at
    const streams = stage === 'erased' ? await listEntryStreams(context, stream, from) : [stream]
    for (const of of streams.slice(passed)) {
      passed += 1
      const isLast = passed === streams.length
      yield { stream: of, isOf, next: isLast ? { after: at, passed: 0 } : { after, passed } }
    }
    after = at
    passed = 0
  }
  if (lookedTo !== undefined) yield { next: { after: lookedTo, passed: 0 } }
}

async function* listExpired(
  context: EntryChangesContext,
  { principal, from, to, begin }: EntryChangesQuery,
): AsyncGenerator<Candidate> {
  const found = await findDocuments(context, entryEndCollection, {
    where: { account: principal.accountId, expires_at: { gt: from.timeMs, lt: to.timeMs + 1 } },
    sort: ['expires_at'],
    limit: readAtOnce,
    ...(begin.after > 0 && { after: { id: String(begin.passed), values: [begin.after] } }),
  })
  for (const [index, { body }] of found.entries()) {
    const { stream, at, expires_at } = body
    const isOf = ({ last }: Entry) =>
      last.event.position === at && at <= from.position && !isErasedBy(last, to)
    const next = { after: expires_at, passed: at }
    yield { stream, isOf, next }
    if (index + 1 === readAtOnce) yield { next }
  }
}

/** The streams of the entries that an erased subject had by then, on whatever lists. */
async function listEntryStreams(
  context: EntryChangesContext,
  erasureStream: string,
  { position }: PointInTime,
): Promise<readonly string[]> {
  const streams = new Set<string>()
  const subject = erasureStream.slice(subjectErasureStream('').length)
  const question = { where: { subject, at: { lt: position + 1 } }, sort: ['at'] as const }
  const reading = { question, readAtOnce }
  for await (const page of readDocumentPages(context, subjectHistoryCollection, reading)) {
    const found = page.filter(({ body }) => /^(?:phone_list|list_entry)$/.test(body.stream_type))
    for (const { body } of found) streams.add(body.stream)
    await pauseLongWork(context)
  }
  return [...streams]
}

/** Positions at which lists were deleted, by their ids: their entries end with them. */
async function readListDeletions(
  context: EntryChangesContext,
  { principal: { accountId: account }, to }: EntryChangesQuery,
): Promise<ReadonlyMap<string, number>> {
  const deletions = new Map<string, number>()
  const where = { account, type: 'ListDeleted', at: { lt: to.position + 1 } }
  const reading = { question: { where, sort: ['at'] as const }, readAtOnce }
  for await (const page of readDocumentPages(context, historyCollection, reading)) {
    for (const { body } of page) {
      const { event } = (await readEvent(context, body, false)) as DecodedEvent<ListDeleted>
      deletions.set(event.data.list_id, body.at)
      await pauseLongWork(context)
    }
  }
  return deletions
}

/** An entry between two points: its last event by each of them. */
interface Entry {
  readonly stream: string
  readonly first: EntryVersion | undefined
  readonly last: EntryVersion
}

interface EntryVersion {
  readonly event: DecodedEvent<EntryEvent>
  /** What erased its value, whenever it was. */
  readonly erasure: DecodedEvent<ErasureEvent> | undefined
}

async function readEntry(
  context: EntryChangesContext,
  { principal, from, to }: EntryChangesQuery,
  stream: string,
): Promise<Entry> {
  const opens = opensPersons(principal)
  const read = async ({ position }: PointInTime): Promise<EntryVersion | undefined> => {
    const { revision } = await context.listEntries.stateAt(stream, position)
    if (revision < 0) return undefined
    const event = await readEvent(context, { stream, revision }, opens)
    const entryEvent = event as DecodedEvent<EntryEvent>
    return { event: entryEvent, erasure: await findErasure(context, entryEvent) }
  }
  const last = await read(to)
  if (!last) throw new Error(`${stream} has no event by ${to.position}`)
  return { stream, first: last.event.position <= from.position ? last : await read(from), last }
}

/** What destroyed the key of the entry's value, as recorded: the keys themselves say nothing of when. */
async function findErasure(
  { events }: Pick<EntryChangesContext, 'events'>,
  { metadata }: DecodedEvent<EntryEvent>,
): Promise<EntryVersion['erasure']> {
  const keys = metadata.subjects?.map(({ key }) => key) ?? []
  const stream = subjectErasureStream(requireEntrySubject(metadata))
  for await (const page of readPagesOfStream(events, stream)) {
    const records = page.map((recorded) => decode(recorded) as DecodedEvent<ErasureEvent>)
    const found = records.find(({ event }) => keys.some((key) => event.data.keys.includes(key)))
    if (found) return found
  }
  return undefined
}

function isErasedBy({ erasure }: EntryVersion, { position }: PointInTime): boolean {
  return erasure !== undefined && erasure.position <= position
}

function toChange(
  { stream: id, first, last }: Entry,
  { from, to }: EntryChangesQuery,
  deletions: ReadonlyMap<string, number>,
): ResourceChange {
  const { metadata, position } = (isErasedBy(last, to) && last.erasure) || last.event
  const before = first && toContent(first, from, deletions)
  const after = toContent(last, to, deletions)
  return { kind: 'entry', id, before, after, lastChange: toLastChange(metadata, position) }
}

function toContent(
  version: EntryVersion,
  point: PointInTime,
  deletions: ReadonlyMap<string, number>,
): ResourceContent | undefined {
  const fact = toEntryFact(version.event.event)
  if (!fact.isListed || isErasedBy(version, point)) return undefined
  const { value, reason, listed_at, expires_at } = fact.said
  if (expires_at !== undefined && expires_at <= point.timeMs) return undefined
  if ((deletions.get(fact.list) ?? Infinity) <= point.position) return undefined
  // also where a key store that was restored could open it
  const show = (said: unknown) =>
    version.erasure && said !== undefined ? { forgotten: true } : redactSealed(said)
  return {
    list: fact.list,
    value: show(value),
    reason: show(reason),
    listed_at: isoTime(listed_at),
    expires_at: expires_at === undefined ? undefined : isoTime(expires_at),
  }
}
