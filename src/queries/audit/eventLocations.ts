/** Finds an account's events and position ranges by type, actor, subject or time (heavy). */

import { clockSkewMs } from '../../domain/clock.ts'
import { evaluationStream } from '../../events/evaluation/evaluationEvents.ts'
import type { SubjectKind } from '../../events/recording/sealing.ts'
import {
  historyCollection,
  parseStreamType,
  subjectHistoryCollection,
} from '../../projections/audit/history.ts'
import { evaluationCollection } from '../../projections/evaluation/evaluations.ts'
import { findDocuments, fixEnd, type Readers } from '../../projections/running/documents.ts'

/** Which events; all of the account unless given. */
export interface HistoryFilter {
  readonly type?: string
  /** What the names of the streams begin with. */
  readonly streamType?: string
  readonly actor?: string
  /** Milliseconds since the Unix epoch, included; and excluded. */
  readonly fromMs?: number
  readonly toMs?: number
  /** Position behind which to look, the oldest first; undefined asks for the newest first. */
  readonly after?: number
  /** Position before which to look. */
  readonly before?: number
}

/** The person whose personal data is sealed in an event. */
export interface Subject {
  readonly kind: Extract<SubjectKind, 'phone' | 'email'>
  readonly digest: string
}

interface EventLocationsQuery extends HistoryFilter {
  readonly account: string
  readonly subject?: Subject
}

export interface EventLocation {
  readonly stream: string
  readonly revision: number
  readonly at: number
}

interface Entry extends EventLocation {
  readonly time: number
  readonly type: string
  /** Absent for evaluations. */
  readonly actor?: string
}

export interface FoundLocations {
  /** In the order asked for. */
  readonly locations: readonly EventLocation[]
  /** Everything up to here has been looked at, unless there is a `lookedTo`; nothing behind it has. */
  readonly end: number
  /** Position of the last entry that was looked at, where there may be more behind it. */
  readonly lookedTo?: number
}

/** Entries that one question looks at, of each collection. */
const scanMax = 500

/** Heavy query. May also find evaluations of other actors: the caller of an evaluation is in the log only. */
export async function findEventLocations(
  readers: Readers,
  asked: EventLocationsQuery,
): Promise<FoundLocations> {
  const range = await findPositionRange(readers, asked)
  const found = await Promise.all([
    findOtherEvents(readers, asked, range),
    findEvaluationEvents(readers, asked, range),
  ])
  const entries = found
    .flat()
    .toSorted((one, other) => (range.isForward ? one.at - other.at : other.at - one.at))
    .slice(0, scanMax)
  const locations = entries.filter((entry) => isWanted(entry, asked))
  const last = entries.at(-1)
  const { end } = range
  return entries.length === scanMax && last
    ? { locations, end, lookedTo: last.at }
    : { locations, end }
}

function isWanted({ time, type, stream, actor }: Entry, asked: HistoryFilter): boolean {
  const { fromMs = 0, toMs = Number.POSITIVE_INFINITY } = asked
  return (
    time >= fromMs &&
    time < toMs &&
    (actor === undefined || asked.actor === undefined || asked.actor === actor) &&
    (asked.type === undefined || asked.type === type) &&
    (asked.streamType === undefined || asked.streamType === parseStreamType(stream))
  )
}

/** Between which positions to look, both excluded, and up to which all of it can be read. */
interface PositionRange {
  readonly isForward: boolean
  readonly end: number
  readonly after: number
  readonly before: number
}

/** The range of the question; its end is fixed before anything is read. */
export async function findPositionRange(
  readers: Readers,
  asked: EventLocationsQuery,
): Promise<PositionRange> {
  const { account, after, before, fromMs, toMs } = asked
  const end = fixEnd(readers, [historyCollection, evaluationCollection], before && before - 1)
  const [earliest, latest] = await Promise.all([
    fromMs === undefined ? [] : findNearest(readers, account, { lt: fromMs - clockSkewMs }),
    toMs === undefined ? [] : findNearest(readers, account, { gt: toMs + clockSkewMs }),
  ])
  return {
    isForward: after !== undefined,
    end,
    after: Math.max(after ?? 0, ...earliest),
    before: Math.min(end + 1, ...latest),
  }
}

/** The position of the account's last event at or before a position, which may be any number; 0 when there is none. */
export async function findEventPosition(
  readers: Readers,
  { account, position }: { readonly account: string; readonly position: number },
): Promise<number> {
  const question = {
    where: { account, at: { lt: position + 1 } },
    sort: ['-at'],
    limit: 1,
  } as const
  const found = await Promise.all([
    findDocuments(readers, historyCollection, question),
    findDocuments(readers, evaluationCollection, question),
  ])
  return Math.max(0, ...found.flat().map(({ body: { at } }) => at))
}

/** Of each collection the position of the document that was recorded nearest to a time. */
async function findNearest(
  readers: Readers,
  account: string,
  time: { readonly lt: number } | { readonly gt: number },
): Promise<readonly number[]> {
  const sign = 'lt' in time ? '-' : ''
  const found = await Promise.all([
    findDocuments(readers, historyCollection, {
      ...{ where: { account, time }, sort: [`${sign}time`], limit: 1 },
    }),
    findDocuments(readers, evaluationCollection, {
      ...{ where: { account, recorded: time }, sort: [`${sign}recorded`], limit: 1 },
    }),
  ])
  return found.flat().map(({ body: { at } }) => at)
}

/** The first in the range, but for evaluations. */
async function findOtherEvents(
  readers: Readers,
  { account, type, streamType: stream_type, actor, subject }: EventLocationsQuery,
  { isForward, after, before }: PositionRange,
): Promise<readonly Entry[]> {
  const at = { gt: after, lt: before }
  const question = { sort: [isForward ? 'at' : '-at'] as const, limit: scanMax }
  if (subject) {
    const where = { subject: subject.digest, at }
    const found = await findDocuments(readers, subjectHistoryCollection, { ...question, where })
    return found.map(({ body }) => body)
  }
  const narrowed =
    (actor !== undefined && { actor }) ||
    (type !== undefined && { type }) ||
    (stream_type !== undefined && { stream_type })
  const where = { account, ...narrowed, at }
  const found = await findDocuments(readers, historyCollection, { ...question, where })
  return found.map(({ body }) => body)
}

async function findEvaluationEvents(
  readers: Readers,
  { account, type = 'FlowEvaluated', streamType: of = 'evaluation', subject }: EventLocationsQuery,
  { isForward, after, before }: PositionRange,
): Promise<readonly Entry[]> {
  if (type !== 'FlowEvaluated' || of !== 'evaluation') return []
  const digest = subject?.kind === 'email' ? 'email_digest' : 'phone_digest'
  const found = await findDocuments(readers, evaluationCollection, {
    where: {
      ...(subject ? { [digest]: subject.digest } : { account }),
      at: { gt: after, lt: before },
    },
    sort: [isForward ? 'at' : '-at'],
    limit: scanMax,
  })
  return found.map(({ id, body: { at, recorded: time } }) => ({
    at,
    time,
    type: 'FlowEvaluated',
    stream: evaluationStream(id),
    revision: 0,
  }))
}
