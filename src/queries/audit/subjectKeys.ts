/** Finds the keys that seal a subject's personal data, and the dispatches of its evaluations. */

import type { SubjectData } from '../../commands/handling/eraseSubject.ts'
import { decode } from '../../events/catalogue.ts'
import { type EvaluationEvent, evaluationStream } from '../../events/evaluation/evaluation.ts'
import type { DecodedEvent } from '../../events/recording/event.ts'
import { isSealed } from '../../events/recording/sealing.ts'
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
 * The recorded data of a subject, by its digest. The keys of evaluations are in the log only, at the positions in their documents. Throws
 * `Failure` `unavailable`.
 */
export async function findSubjectData(
  readers: SubjectReaders,
  digest: string,
): Promise<SubjectData> {
  const keys = new Set(await namedKeys(readers, digest))
  const dispatches = new Set<string>()
  let evaluations = 0
  for (const field of ['phone_digest', 'email_digest'] as const) {
    for await (const one of evaluationsOf(readers, field, digest)) {
      evaluations += 1
      for (const key of keysOf(one, digest)) keys.add(key)
      const { dispatch_subject } = one.event.data
      if (dispatch_subject !== undefined) dispatches.add(dispatch_subject)
    }
  }
  return { keys: [...keys], evaluations, dispatches: [...dispatches] }
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

type Evaluated = DecodedEvent<Extract<EvaluationEvent, { type: 'FlowEvaluated' }>>

async function* evaluationsOf(
  readers: SubjectReaders,
  field: 'phone_digest' | 'email_digest',
  digest: string,
): AsyncGenerator<Evaluated, void, undefined> {
  let after: Find['after']
  for (;;) {
    const page = await findDocuments(readers, evaluationCollection, {
      where: { [field]: digest },
      sort: ['time'],
      limit: pageMax,
      ...(after ? { after } : {}),
    })
    yield* readEvaluations(readers, page)
    const last = page.at(-1)
    if (!last || page.length < pageMax) return
    after = { id: last.id, values: [last.body.time] }
  }
}

/** The records of these evaluations in the log, a few read at a time. */
export async function* readEvaluations(
  { events }: Pick<SubjectReaders, 'events'>,
  found: readonly { readonly id: string }[],
): AsyncGenerator<Evaluated, void, undefined> {
  for (let first = 0; first < found.length; first += readAtOnce) {
    const some = found.slice(first, first + readAtOnce)
    const recorded = await Promise.all(
      some.map(({ id }) => events.readStream(evaluationStream(id), { from: 0, limit: 1 })),
    )
    for (const one of recorded.flat()) yield decode(one) as Evaluated
  }
}

/** Those of the subject, and that of the evidence: where a number was given as well it is under that, and yet of the subject, too. */
function keysOf({ event, metadata }: Evaluated, digest: string): readonly string[] {
  const own = (metadata.subjects ?? []).filter((subject) => subject.digest === digest)
  const { evidence } = event.data
  return [...own.map(({ key }) => key), ...(isSealed(evidence) ? [evidence.sealed.key] : [])]
}
