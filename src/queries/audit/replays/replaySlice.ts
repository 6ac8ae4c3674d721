/** Replays the evaluations of an account in the next events of the log, and compares them with the read models. */

import type { ReplaySliceRequest, ReplaySliceResult } from '../../../commands/audit/replays.ts'
import { unavailable } from '../../../domain/failure.ts'
import {
  addReplayTotals,
  emptyReplayTotals,
  type ReplayTotals,
} from '../../../events/audit/replay.ts'
import { evaluationStream } from '../../../events/evaluation/evaluationEvents.ts'
import type { EventMetadata } from '../../../events/recording/event.ts'
import { evaluationCollection } from '../../../projections/evaluation/evaluations.ts'
import type { EventStore, RecordedEvent } from '../../../stores/eventStore.ts'
import { findDocuments, type Readers } from '../../reading/documents.ts'
import { findEventPosition, findPositionRange } from '../eventLocations.ts'
import { openRecordReplayer, type RecordReplayer, type ReplaySources } from './replayRecords.ts'

interface Sources extends Readers, ReplaySources {
  readonly events: Pick<EventStore, 'readStream' | 'readAll'>
}

export type SliceReplayer = (
  asked: ReplaySliceRequest,
  signal: AbortSignal,
) => Promise<ReplaySliceResult>

/** Events of the log that a slice reads, of whatever account. */
const sliceMax = 256

/**
 * Opens the replaying in slices, which gives way to other work between evaluations. The log says which evaluations there are: one that only
 * the log has, or only the read models, is a mismatch.
 */
export function openSliceReplayer(sources: Sources): SliceReplayer {
  const replay = openRecordReplayer(sources)
  return async (asked, signal) => {
    const slice = await readSlice(sources, asked)
    if (signal.aborted) throw unavailable('The replay was given up.')
    const { recorded, listed } = slice
    const replayed = await replay(
      recorded.filter(({ stream }) => listed.has(stream)),
      asked,
    )
    const missing = await findMissing(replay, slice, asked)
    return { ...addReplayTotals(replayed, missing), position: slice.position }
  }
}

interface Slice {
  /** The evaluations of the account in the log. */
  readonly recorded: readonly RecordedEvent[]
  /** Positions of those that the read models have, by their streams; only those asked for are sure to be among them. */
  readonly listed: ReadonlyMap<string, number>
  readonly position: number
}

async function readSlice(
  sources: Sources,
  { account, readAfter, ...asked }: ReplaySliceRequest,
): Promise<Slice> {
  const { flow_id, from_ms, to_ms, end } = asked
  const { after, before } = await findPositionRange(sources, {
    ...{ account, after: asked.after, before: end + 1 },
    ...(from_ms !== undefined && { fromMs: from_ms }),
    ...(to_ms !== undefined && { toMs: to_ms }),
  })
  const from = readAfter ?? (await findEventPosition(sources, { account, position: after }))
  const page = await sources.events.readAll({ after: from, limit: sliceMax })
  const last = page.at(-1)
  const isEnd = page.length < sliceMax || !last || last.position >= before - 1
  const at = { gt: Math.max(from, after), lt: isEnd ? before : last.position + 1 }
  const documents = await findDocuments(sources, evaluationCollection, {
    where: { account, ...(flow_id !== undefined && { flow_id }), at },
    sort: ['at'],
    limit: sliceMax,
  })
  return {
    recorded: page.filter(
      (event) => event.position > at.gt && event.position < at.lt && isOf(account, event),
    ),
    listed: new Map(documents.map(({ id, body }) => [evaluationStream(id), body.at])),
    position: isEnd ? end : last.position,
  }
}

function isOf(account: string, { type, metadata }: RecordedEvent): boolean {
  if (type !== 'FlowEvaluated') return false
  return (JSON.parse(metadata) as EventMetadata).account === account
}

/** What only the log has, of those asked for, and what only the read models have. */
async function findMissing(
  replay: RecordReplayer,
  { recorded, listed }: Slice,
  asked: ReplaySliceRequest,
): Promise<ReplayTotals> {
  const mismatches: ReplayTotals['mismatches'][number][] = []
  const note = (stream: string, position: number, reason: string): void => {
    mismatches.push({ evaluation_id: stream.slice(evaluationStream('').length), position, reason })
  }
  for (const event of recorded.filter(({ stream }) => !listed.has(stream))) {
    const { match, mismatch, evidence_erased } = await replay([event], asked)
    if (match + mismatch + evidence_erased === 0) continue
    note(event.stream, event.position, 'the read models do not have it: build them again')
  }
  const streams = new Set(recorded.map(({ stream }) => stream))
  for (const [stream, position] of listed) {
    if (!streams.has(stream)) note(stream, position, 'it is not in the log')
  }
  return { ...emptyReplayTotals, mismatch: mismatches.length, mismatches }
}
