/** Finds the record of an erasure. */

import type { Call } from '../../domain/call.ts'
import { requireExisting } from '../../domain/failure.ts'
import { type ErasureView, readCertificate } from '../../state/audit/erasureCertificate.ts'
import type { QueryContext } from '../reading/queryContext.ts'

/** Throws `not_found` when the account has no erasure of this id, `unavailable` when the log cannot be read. */
export async function findErasure(
  context: Pick<QueryContext, 'events'>,
  { principal }: Call,
  id: string,
): Promise<ErasureView> {
  return requireExisting(await readCertificate(context, { account: principal.accountId, id }))
}
