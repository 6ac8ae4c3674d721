/** Which keys of passwords are to be gone. */

import { type PasswordKey, passwordKeyCollection } from '../../projections/sessions/passwordKeys.ts'
import { findDocuments, type Readers } from '../reading/documents.ts'

interface Changed {
  /** Milliseconds since the Unix epoch. */
  readonly sinceMs: number
  readonly limit: number
  /** Where to go on: the last one of the page before. */
  readonly after?: ChangedPassword | undefined
}

/** A user whose password was changed, and the keys of the passwords before. */
export interface ChangedPassword {
  readonly id: string
  readonly changedMs: number
  readonly earlier: readonly PasswordKey[]
}

/** Those that were changed since, the one that was changed first first. */
export async function findChangedPasswords(
  readers: Readers,
  { sinceMs, limit, after }: Changed,
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
