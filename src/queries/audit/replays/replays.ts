/** Finds and lists the replays of an account: their progress and mismatches. */

import type { Call } from '../../../domain/call.ts'
import { replayStream } from '../../../events/audit/replay.ts'
import {
  type ReplayStreams,
  type ReplayView,
  toReplayView,
} from '../../../state/audit/replayStreamType.ts'
import { requireJob } from '../../../state/folding/jobState.ts'
import type { QueryContext } from '../../reading/queryContext.ts'

type Context = ReplayStreams & Pick<QueryContext, 'clock'>

/** Throws `not_found` for one that the account does not have, or had before its last twenty. */
export async function findReplay(
  { replays, clock }: Context,
  { principal }: Call,
  id: string,
): Promise<ReplayView> {
  const { state } = await replays.catchUp(replayStream(principal.accountId))
  return toReplayView(requireJob(state, id), clock.nowMs())
}

/** The last twenty, the newest first. */
export async function listReplays(
  { replays, clock }: Context,
  { principal }: Call,
): Promise<readonly ReplayView[]> {
  const { state } = await replays.catchUp(replayStream(principal.accountId))
  return state.map((replay) => toReplayView(replay, clock.nowMs()))
}
