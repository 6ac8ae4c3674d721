/** Finds the keys that seal the data of a subject, or old evaluations and dispatches. */

import type { Retention } from '../../events/audit/retention.ts'
import { decode } from '../../events/catalogue.ts'
import { type EvaluationEvent, evaluationStream } from '../../events/evaluation/evaluationEvents.ts'
import type { DecodedEvent } from '../../events/recording/event.ts'
import { isSealed } from '../../events/recording/sealing.ts'
import { historyCollection } from '../../projections/audit/history.ts'
import { subjectKeyIdCollection } from '../../projections/audit/subjectKeyIds.ts'
import { evaluationCollection } from '../../projections/evaluation/evaluations.ts'
import { reportCollections } from '../../projections/feedback/feedbackProjections.ts'
import {
  findDocuments,
  type Readers,
  readDocumentPages,
} from '../../projections/running/documents.ts'
import type { EventStore } from '../../stores/eventStore.ts'

interface SubjectReaders extends Readers {
  readonly events: Pick<EventStore, 'readStream'>
}

/** The recorded data of a subject. */
export interface SubjectData {
  /** The ids of all keys that its data is sealed under: what an erasure destroys. */
  readonly keys: readonly string[]
  /** Users who were created with it, deleted ones among them, by the keys of their identifiers. */
  readonly users: ReadonlyMap<string, string>
  /**
   * Evaluations by the keys of their evidence: each is under one, and all that are under one are of the same subjects.
   * Reports that name dispatches, by those of their targets.
   */
  readonly evidence: ReadonlyMap<string, EvidenceOfKey>
}

export interface EvidenceOfKey {
  readonly evaluations: number
  /** The subjects of the dispatches that evaluations and reports named. */
  readonly dispatches: ReadonlySet<string>
}

/** Documents read at a time. */
const pageMax = 1_000
/** Streams read from the log at a time. */
const readAtOnce = 16

/**
 * The recorded data of a subject, by its digest. The keys of evaluations are in the log only, at the positions in their
 * documents. Throws `Failure` `unavailable`.
 */
export async function findSubjectData(
  readers: SubjectReaders,
  digest: string,
): Promise<SubjectData> {
  const { users, keys } = await findKeysOfSubject(readers, digest)
  const evidence = new Map<string, { evaluations: number; readonly dispatches: Set<string> }>()
  const add = (key: string, evaluations: number, dispatch: string | undefined) => {
    const found = evidence.get(key) ?? { evaluations: 0, dispatches: new Set() }
    found.evaluations += evaluations
    if (dispatch !== undefined) found.dispatches.add(dispatch)
    evidence.set(key, found)
  }
  for await (const { event, metadata } of readEvaluationsOfSubject(readers, digest)) {
    const own = (metadata.subjects ?? []).filter((subject) => subject.digest === digest)
    for (const { key } of own) keys.add(key)
    const { evidence: recorded, dispatch_subject } = event.data
    if (!isSealed(recorded)) throw new Error('an evaluation is recorded with its evidence in clear')
    add(recorded.sealed.key, 1, dispatch_subject)
  }
  const question = { where: { target_digest: digest }, sort: ['time'] as const }
  const reading = { question, readAtOnce: pageMax }
  for (const collection of reportCollections) {
    for await (const page of readDocumentPages(readers, collection, reading)) {
      for (const { body } of page) add(body.sealed_target.sealed.key, 0, body.dispatch_subject)
    }
  }
  return { keys: [...keys], users, evidence }
}

/** The keys that are no evaluation's, and which of them seal the identifiers of a user. */
async function findKeysOfSubject(readers: SubjectReaders, digest: string) {
  const keys = new Set<string>()
  const users = new Map<string, string>()
  const prefix = `${digest}/`
  const reading = { question: { where: { id: { prefix } } }, readAtOnce: pageMax }
  for await (const page of readDocumentPages(readers, subjectKeyIdCollection, reading)) {
    for (const { id, body } of page) {
      const key = id.slice(prefix.length)
      keys.add(key)
      if (body.user_id !== undefined) users.set(key, body.user_id)
    }
  }
  return { keys, users }
}

type RecordedEvaluation = DecodedEvent<Extract<EvaluationEvent, { type: 'FlowEvaluated' }>>

async function* readEvaluationsOfSubject(
  readers: SubjectReaders,
  digest: string,
): AsyncGenerator<RecordedEvaluation, void, undefined> {
  for (const field of ['phone_digest', 'email_digest'] as const) {
    const question = { where: { [field]: digest }, sort: ['at'] as const }
    const reading = { question, readAtOnce: pageMax }
    for await (const page of readDocumentPages(readers, evaluationCollection, reading)) {
      const streams = page.map(({ id }) => evaluationStream(id))
      yield* readFirstEvents(readers, streams) as AsyncIterable<RecordedEvaluation>
    }
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

interface AgedEvidenceQuery {
  readonly account: string
  /** Those before this time, and behind what was destroyed before. */
  readonly beforeMs: number
  readonly after: Pick<Retention, 'until' | 'dispatches_until'>
  /** Of each. */
  readonly limit: number
}

/**
 * The oldest evaluations and dispatches of an account that come next, and the ids of their keys, each once; a dispatch
 * is the one event of its stream. Throws `Failure` `unavailable`.
 */
export async function findAgedEvidence(
  readers: SubjectReaders,
  { account, beforeMs, after, limit }: AgedEvidenceQuery,
) {
  const { until, dispatches_until = -1 } = after
  const evaluations = await findDocuments(readers, evaluationCollection, {
    // imported ones have keys of the time at which they were recorded
    where: { account, recorded: { lt: beforeMs } },
    sort: ['recorded'],
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
    ...(last && { until: { time: last.body.recorded, evaluation_id: last.id } }),
    ...(lastSent && { dispatches_until: lastSent.body.at }),
    evaluations: evaluations.length,
    dispatches: dispatches.length,
    keys: [...keys],
  }
}
