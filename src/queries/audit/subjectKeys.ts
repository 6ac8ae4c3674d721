/** Which keys a subject's personal data is sealed under. */

import { decode } from '../../events/catalogue.ts'
import { evaluationStream } from '../../events/evaluation/evaluation.ts'
import { subjectKeyCollection } from '../../projections/audit/subjectKeys.ts'
import { evaluationCollection } from '../../projections/evaluation/evaluations.ts'
import type { EventStore } from '../../stores/eventStore.ts'
import type { Find } from '../../stores/readStore.ts'
import { findDocuments, type Readers } from '../reading/documents.ts'

export interface SubjectReaders extends Readers {
  readonly events: Pick<EventStore, 'readStream'>
}

const pageMax = 1_000
/** Evaluations read from the log at a time. */
const readAtOnce = 16

/**
 * The ids of all keys of a subject, by its digest: what an erasure destroys. Those of evaluations stand in the log alone, where their
 * documents lead. Throws `Failure` `unavailable`.
 */
export async function listSubjectKeys(
  readers: SubjectReaders,
  digest: string,
): Promise<readonly string[]> {
  const keys = new Set(await namedKeys(readers, digest))
  for (const field of ['phone_digest', 'email_digest'] as const) {
    for (const key of await keysOfEvaluations(readers, field, digest)) keys.add(key)
  }
  return [...keys]
}

async function namedKeys(readers: Readers, digest: string): Promise<readonly string[]> {
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

async function keysOfEvaluations(
  readers: SubjectReaders,
  field: 'phone_digest' | 'email_digest',
  digest: string,
): Promise<ReadonlySet<string>> {
  const keys = new Set<string>()
  let after: Find['after']
  for (;;) {
    const page = await findDocuments(readers, evaluationCollection, {
      where: { [field]: digest },
      sort: ['time'],
      limit: pageMax,
      ...(after ? { after } : {}),
    })
    for (let first = 0; first < page.length; first += readAtOnce) {
      const some = page.slice(first, first + readAtOnce)
      const found = await Promise.all(some.map(({ id }) => keysInLog(readers, id, digest)))
      for (const key of found.flat()) keys.add(key)
    }
    const last = page.at(-1)
    if (!last || page.length < pageMax) return keys
    after = { id: last.id, values: [last.body.time] }
  }
}

async function keysInLog(
  { events }: SubjectReaders,
  evaluation: string,
  digest: string,
): Promise<readonly string[]> {
  const recorded = await events.readStream(evaluationStream(evaluation), { from: 0, limit: 1 })
  return recorded
    .flatMap((event) => decode(event).metadata.subjects ?? [])
    .filter((subject) => subject.digest === digest)
    .map(({ key }) => key)
}
