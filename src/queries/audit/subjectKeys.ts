/** Which keys a subject's personal data is sealed under. */

import { subjectKeyCollection } from '../../projections/audit/subjectKeys.ts'
import type { Find } from '../../stores/readStore.ts'
import { findDocuments, type Readers } from '../reading/documents.ts'

const pageMax = 1_000

/** The ids of all keys of a subject, by its digest: what an erasure destroys. */
export async function listSubjectKeys(
  readers: Readers,
  digest: string,
): Promise<readonly string[]> {
  const prefix = `${digest}/`
  const keys: string[] = []
  let after: Find['after']
  for (;;) {
    const page = await findDocuments(readers, subjectKeyCollection, {
      where: { id: { prefix } },
      limit: pageMax,
      ...(after ? { after } : {}),
    })
    keys.push(...page.map(({ id }) => id.slice(prefix.length)))
    const last = page.at(-1)
    if (!last || page.length < pageMax) return keys
    after = { id: last.id, values: [] }
  }
}
