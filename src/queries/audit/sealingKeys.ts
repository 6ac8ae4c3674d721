/** Finds the keys that seal the data of a subject, or evaluations older than a time. */

import type { ExpiryContext } from '../../commands/audit/retention.ts'
import type { SubjectData } from '../../commands/handling/eraseSubject.ts'
import { decode } from '../../events/catalogue.ts'
import { type EvaluationEvent, evaluationStream } from '../../events/evaluation/evaluationEvents.ts'
import type { DecodedEvent } from '../../events/recording/event.ts'
import { isSealed } from '../../events/recording/sealing.ts'
import { subjectKeyIdCollection } from '../../projections/audit/subjectKeyIds.ts'
import { evaluationCollection } from '../../projections/evaluation/evaluations.ts'
import type { EventStore } from '../../stores/eventStore.ts'
import { findDocuments, type Readers } from '../reading/documents.ts'
import { readDocumentPages } from '../reading/page.ts'

interface SubjectReaders extends Readers {
  readonly events: Pick<EventStore, 'readStream'>
}

/** Documents read at a time. */
const pageMax = 1_000
/** Evaluations read from the log at a time. */
const readAtOnce = 16

/**
 * The recorded data of a subject, by its digest. The keys of evaluations are in the log only, at the positions in their documents. Throws
 * `Failure` `unavailable`.
 */
export async function findSubjectData(
  readers: SubjectReaders,
  digest: string,
): Promise<SubjectData> {
  const keys = new Set<string>()
  const prefix = `${digest}/`
  const question = { where: { id: { prefix } } }
  const reading = { question, readAtOnce: pageMax }
  for await (const page of readDocumentPages(readers, subjectKeyIdCollection, reading)) {
    for (const { id } of page) keys.add(id.slice(prefix.length))
  }
  const dispatches = new Set<string>()
  let evaluations = 0
  for (const field of ['phone_digest', 'email_digest'] as const) {
    for await (const one of readEvaluationsOfSubject(readers, field, digest)) {
      evaluations += 1
      for (const key of collectKeysOfSubject(one, digest)) keys.add(key)
      const { dispatch_subject } = one.event.data
      if (dispatch_subject !== undefined) dispatches.add(dispatch_subject)
    }
  }
  return { keys: [...keys], evaluationCount: evaluations, dispatchSubjects: [...dispatches] }
}

type RecordedEvaluation = DecodedEvent<Extract<EvaluationEvent, { type: 'FlowEvaluated' }>>

async function* readEvaluationsOfSubject(
  readers: SubjectReaders,
  field: 'phone_digest' | 'email_digest',
  digest: string,
): AsyncGenerator<RecordedEvaluation, void, undefined> {
  const question = { where: { [field]: digest }, sort: ['at'] as const }
  const reading = { question, readAtOnce: pageMax }
  for await (const page of readDocumentPages(readers, evaluationCollection, reading)) {
    yield* readEvaluations(readers, page)
  }
}

/** The records of these evaluations in the log, a few read at a time. */
async function* readEvaluations(
  { events }: Pick<SubjectReaders, 'events'>,
  found: readonly { readonly id: string }[],
): AsyncGenerator<RecordedEvaluation, void, undefined> {
  for (let first = 0; first < found.length; first += readAtOnce) {
    const some = found.slice(first, first + readAtOnce)
    const recorded = await Promise.all(
      some.map(({ id }) => events.readStream(evaluationStream(id), { from: 0, limit: 1 })),
    )
    for (const one of recorded.flat()) yield decode(one) as RecordedEvaluation
  }
}

/** Those of the subject, and that of the evidence: where a number was given as well it is under that, and yet of the subject, too. */
function collectKeysOfSubject(
  { event, metadata }: RecordedEvaluation,
  digest: string,
): readonly string[] {
  const own = (metadata.subjects ?? []).filter((subject) => subject.digest === digest)
  const { evidence } = event.data
  return [...own.map(({ key }) => key), ...(isSealed(evidence) ? [evidence.sealed.key] : [])]
}

/** The oldest evaluations of an account that come next, and the ids of their keys, each once. Throws `Failure` `unavailable`. */
export async function findAgedEvaluations(
  readers: SubjectReaders,
  { account, beforeMs, after, limit }: Parameters<ExpiryContext['findAgedEvaluations']>[0],
): ReturnType<ExpiryContext['findAgedEvaluations']> {
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
