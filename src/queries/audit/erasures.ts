/** Finds the record of an erasure, and how long an account keeps evidence of evaluations. */

import { type ErasureView, readCertificate } from '../../commands/audit/erasePerson.ts'
import {
  type RetentionStreams,
  type RetentionView,
  retentionView,
} from '../../commands/audit/retention.ts'
import type { Call } from '../../domain/call.ts'
import { mustExist } from '../../domain/failure.ts'
import { retentionStream } from '../../events/audit/retention.ts'
import type { QueryContext } from '../reading/queryContext.ts'

/** Throws `not_found` when the account has no erasure of this id, `unavailable` when the log cannot be read. */
export async function findErasure(
  context: Pick<QueryContext, 'events'>,
  { principal }: Call,
  id: string,
): Promise<ErasureView> {
  return mustExist(await readCertificate(context, { account: principal.accountId, id }))
}

export async function findRetention(
  { retentions }: RetentionStreams,
  { principal }: Call,
): Promise<RetentionView> {
  return retentionView((await retentions.catchUp(retentionStream(principal.accountId))).state)
}
