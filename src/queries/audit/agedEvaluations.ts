/** Finds evaluations older than a time, and the keys that seal their evidence. */

import type { Passed } from '../../events/audit/retention.ts'
import { evaluationCollection } from '../../projections/evaluation/evaluations.ts'
import { findDocuments } from '../reading/documents.ts'
import { readEvaluations, type SubjectReaders } from './subjectKeys.ts'

interface Asked {
  readonly account: string
  /** Milliseconds since the Unix epoch. */
  readonly beforeMs: number
  /** Where the last step ended. */
  readonly after: Passed | undefined
  readonly limit: number
}

export interface AgedEvaluations {
  readonly evaluations: number
  /** The last of them; undefined when there are none. */
  readonly until: Passed | undefined
  /** The ids of their keys, each once. */
  readonly keys: readonly string[]
}

/** The oldest ones that come next. Throws `Failure` `unavailable`. */
export async function findAgedEvaluations(
  readers: SubjectReaders,
  { account, beforeMs, after, limit }: Asked,
): Promise<AgedEvaluations> {
  const page = await findDocuments(readers, evaluationCollection, {
    where: { account, time: { lt: beforeMs } },
    sort: ['time'],
    limit,
    ...(after && { after: { id: after.evaluation_id, values: [after.time] } }),
  })
  const keys = new Set<string>()
  for await (const { metadata } of readEvaluations(readers, page)) {
    for (const { key } of metadata.subjects ?? []) keys.add(key)
  }
  const last = page.at(-1)
  const until = last && { time: last.body.time, evaluation_id: last.id }
  return { evaluations: page.length, until, keys: [...keys] }
}
