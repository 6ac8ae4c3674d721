/** Replays evaluations in the next events of the log, and compares them with the read models. */

import { unavailable } from '../../../domain/failure.ts'
import { addReplayTotals, emptyReplayTotals } from '../../../events/audit/replay.ts'
import { evaluationStream } from '../../../events/evaluation/evaluationEvents.ts'
import type { EventMetadata } from '../../../events/recording/event.ts'
import { evaluationCollection } from '../../../projections/evaluation/evaluations.ts'
import { findDocuments, type Readers } from '../../../projections/running/documents.ts'
import type {
  ReplaySliceRequest,
  ReplaySliceResult,
} from '../../../state/audit/replayStreamType.ts'
import type { EventStore, RecordedEvent } from '../../../stores/eventStore.ts'
import { findEventPosition, findPositionRange } from '../eventLocations.ts'
import { openRecordReplayer, type ReplaySources } from './replayRecords.ts'

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
 * Opens the replaying in slices, which gives way to other work between evaluations. The log says which evaluations
 * there are: one that only the log has, or only the read models, is a mismatch.
 */
export function openSliceReplayer(sources: Sources): SliceReplayer {
  const replay = openRecordReplayer(sources)
  return async (asked, signal) => {
    const { recorded, documents, position } = await readSlice(sources, asked)
    if (signal.aborted) throw unavailable('The replay was given up.')
    const listed = new Set(documents.map(({ id }) => evaluationStream(id)))
    const replayed = await replay(recorded, { ...asked, listed })
    const streams = new Set(recorded.map(({ stream }) => stream))
    const mismatches = documents
      .filter(({ id }) => !streams.has(evaluationStream(id)))
      .map(({ id, body: { at } }) => ({
        evaluation_id: id,
        position: at,
        reason: 'it is not in the log',
      }))
    const missing = { ...emptyReplayTotals, mismatch: mismatches.length, mismatches }
    return { ...addReplayTotals(replayed, missing), position }
  }
}

/**
 * The account's evaluations in the next events of the log, those that the read models have there, and where the slice
 * ends.
 */
async function readSlice(sources: Sources, { account, readAfter, ...asked }: ReplaySliceRequest) {
  const { flow_id, from_ms, to_ms, end } = asked
  const { after, before } = await findPositionRange(sources, {
    account,
    after: asked.after,
    before: end + 1,
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
  const recorded = page.filter(
    (event) => event.position > at.gt && event.position < at.lt && isOf(account, event),
  )
  return { recorded, documents, position: isEnd ? end : last.position }
}

function isOf(account: string, { type, metadata }: RecordedEvent): boolean {
  if (type !== 'FlowEvaluated') return false
  return (JSON.parse(metadata) as EventMetadata).account === account
}
