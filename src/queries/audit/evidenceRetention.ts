/** Finds how long an account keeps the evidence of its evaluations. */

import type { Call } from '../../domain/call.ts'
import { retentionStream } from '../../events/audit/retention.ts'
import {
  type RetentionStreams,
  type RetentionView,
  toRetentionView,
} from '../../state/audit/retentionStreamType.ts'

export async function findRetention(
  { retentions }: RetentionStreams,
  { principal }: Call,
): Promise<RetentionView> {
  return toRetentionView((await retentions.catchUp(retentionStream(principal.accountId))).state)
}
