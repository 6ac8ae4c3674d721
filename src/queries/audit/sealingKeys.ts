/** Finds the keys that seal the data of a subject, or old evaluations and dispatches. */

import type { ExpiryContext } from '../../commands/audit/retention.ts'
import type { SubjectData } from '../../commands/handling/eraseSubject.ts'
import { decode } from '../../events/catalogue.ts'
import { type EvaluationEvent, evaluationStream } from '../../events/evaluation/evaluationEvents.ts'
import type { DecodedEvent } from '../../events/recording/event.ts'
import { isSealed } from '../../events/recording/sealing.ts'
import { historyCollection } from '../../projections/audit/history.ts'
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
/** Streams read from the log at a time. */
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
    const streams = page.map(({ id }) => evaluationStream(id))
    yield* readFirstEvents(readers, streams) as AsyncIterable<RecordedEvaluation>
  }
}

/** The first event of each of these streams, a few read at a time. */
async function* readFirstEvents(
  { events }: Pick<SubjectReaders, 'events'>,
  streams: readonly string[],
): AsyncGenerator<DecodedEvent, void, undefined> {
  for (let first = 0; first < streams.length; first += readAtOnce) {
    const some = streams.slice(first, first + readAtOnce)
    const recorded = await Promise.all(
      some.map((stream) => events.readStream(stream, { from: 0, limit: 1 })),
    )
    yield* recorded.flat().map(decode)
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

/**
 * The oldest evaluations and dispatches of an account that come next, and the ids of their keys, each once; a dispatch is the one event of its
 * stream. Throws `Failure` `unavailable`.
 */
export async function findAgedEvidence(
  readers: SubjectReaders,
  { account, beforeMs, after, limit }: Parameters<ExpiryContext['findAgedEvidence']>[0],
): ReturnType<ExpiryContext['findAgedEvidence']> {
  const { until, dispatches_until = -1 } = after
  const evaluations = await findDocuments(readers, evaluationCollection, {
    where: { account, time: { lt: beforeMs } },
    sort: ['time'],
    limit,
    ...(until && { after: { id: until.evaluation_id, values: [until.time] } }),
  })
  const where = { account, type: 'SignalsDispatched', at: { gt: dispatches_until } }
  const page = await findDocuments(readers, historyCollection, { where, sort: ['at'], limit })
  const young = page.findIndex(({ body: { time } }) => time >= beforeMs)
  const dispatches = young < 0 ? page : page.slice(0, young)
  const streams = [
    ...evaluations.map(({ id }) => evaluationStream(id)),
    ...dispatches.map(({ body: { stream } }) => stream),
  ]
  const keys = new Set<string>()
  for await (const { metadata } of readFirstEvents(readers, streams)) {
    for (const { key } of metadata.subjects ?? []) keys.add(key)
  }
  const [last, lastSent] = [evaluations.at(-1), dispatches.at(-1)]
  return {
    ...(last && { until: { time: last.body.time, evaluation_id: last.id } }),
    ...(lastSent && { dispatches_until: lastSent.body.at }),
    evaluations: evaluations.length,
    dispatches: dispatches.length,
    keys: [...keys],
  }
}
