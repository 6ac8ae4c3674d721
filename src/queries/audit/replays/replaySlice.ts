/** Replays the next evaluations of an account: found by read models, read from the log. */

import type { ReplaySliceRequest, ReplaySliceResult } from '../../../commands/audit/replays.ts'
import { unavailable } from '../../../domain/failure.ts'
import { addReplayTotals, emptyReplayTotals } from '../../../events/audit/replay.ts'
import { evaluationStream } from '../../../events/evaluation/evaluationEvents.ts'
import { evaluationCollection } from '../../../projections/evaluation/evaluations.ts'
import { findDocuments, type Readers } from '../../reading/documents.ts'
import { findPositionRange } from '../eventLocations.ts'
import { openRecordReplayer, type ReplaySources } from './replayRecords.ts'

type Sources = Readers & ReplaySources
export type SliceReplayer = (
  asked: ReplaySliceRequest,
  signal: AbortSignal,
) => Promise<ReplaySliceResult>

/** Evaluations of a slice. */
const sliceMax = 64

/** Opens the replaying in slices, which gives way to other work between evaluations. */
export function openSliceReplayer(sources: Sources): SliceReplayer {
  const replay = openRecordReplayer(sources)
  return async ({ account, ...range }, signal) => {
    const evaluations = await findNextEvaluations(sources, { account, ...range })
    const recorded = await Promise.all(
      evaluations.map(({ id }) =>
        sources.events.readStream(evaluationStream(id), { from: 0, limit: 1 }),
      ),
    )
    const mismatches = evaluations
      .filter((_, index) => recorded[index]?.length === 0)
      .map(({ id, body: { at: position } }) => ({
        evaluation_id: id,
        position,
        reason: 'it is not in the log',
      }))
    if (signal.aborted) throw unavailable('The replay was given up.')
    const replayed = await replay(recorded.flat(), range)
    const missing = { ...emptyReplayTotals, mismatch: mismatches.length, mismatches }
    const last = evaluations.length < sliceMax ? undefined : evaluations.at(-1)
    return { ...addReplayTotals(replayed, missing), position: last?.body.at ?? range.end }
  }
}

async function findNextEvaluations(readers: Readers, { account, ...range }: ReplaySliceRequest) {
  const { flow_id, from_ms, to_ms } = range
  const { after, before } = await findPositionRange(readers, {
    account,
    after: range.after,
    before: range.end + 1,
    ...(from_ms !== undefined && { fromMs: from_ms }),
    ...(to_ms !== undefined && { toMs: to_ms }),
  })
  return findDocuments(readers, evaluationCollection, {
    where: { account, ...(flow_id !== undefined && { flow_id }), at: { gt: after, lt: before } },
    sort: ['at'],
    limit: sliceMax,
  })
}
