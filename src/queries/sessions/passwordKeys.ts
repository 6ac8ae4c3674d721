/** Lists keys of passwords that were to be destroyed. */

import type { ChangedAsked, ChangedPassword } from '../../commands/sessions/sessionsContext.ts'
import { passwordKeyCollection } from '../../projections/sessions/passwordKeys.ts'
import { findDocuments, type Readers } from '../reading/documents.ts'

/** Those that were changed since, the one that was changed first first. */
export async function findChangedPasswords(
  readers: Readers,
  { sinceMs, limit, after }: ChangedAsked,
): Promise<readonly ChangedPassword[]> {
  const found = await findDocuments(readers, passwordKeyCollection, {
    where: { changed_at: { gte: sinceMs } },
    sort: ['changed_at'],
    limit,
    ...(after && { after: { id: after.id, values: [after.changedMs] } }),
  })
  return found.map(({ id, body: { changed_at: changedMs, earlier } }) => ({
    id,
    changedMs,
    earlier,
  }))
}
