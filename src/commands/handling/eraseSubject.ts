/** Erases a subject: destroys the keys of its sealed data and records their destruction. */

import type { Call } from '../../domain/call.ts'
import { Failure } from '../../domain/failure.ts'
import type { Principal } from '../../domain/principal.ts'
import { type ErasureEvent, subjectErasureStream } from '../../events/audit/erasure.ts'
import { decode } from '../../events/catalogue.ts'
import type { RecordedEvent } from '../../stores/eventStore.ts'
import type { CommandContext, ErasureContext } from './commandContext.ts'
import { buildEventContext } from './executeCommand.ts'

/** How long it is waited until the read models know every key that was used before. */
const knownMs = 10_000

/** Others may put as many erasures of the same person on record in between. */
const recordTries = 20

/** The recorded data of a subject: its keys and dispatches. */
export interface SubjectData {
  /** The ids of all keys that its data is sealed under: what an erasure destroys. */
  readonly keys: readonly string[]
  /** How many evaluations were of it. */
  readonly evaluationCount: number
  /** The subjects of the dispatches that those named, each once. */
  readonly dispatchSubjects: readonly string[]
}

export interface ErasureTarget {
  /** The account whose person it is. */
  readonly account: string
  /** Their keyed digest. */
  readonly subject: string
}

/** An erasure on record. */
interface RecordedErasure {
  readonly position: number
  readonly keys: readonly string[]
}

/** What became of a subject. */
export interface ErasureResult extends Omit<SubjectData, 'keys'> {
  /** Every erasure of it on record, the oldest first. */
  readonly records: readonly RecordedErasure[]
}

/**
 * Destroys every key under which the subject's data was sealed when this was called, then records it: the record is never ahead of the
 * destruction, and after an interruption, erasing again finds the same keys. Answers the position of the record. Throws `unavailable` when
 * the read models are not there in time, or a store does not answer.
 */
export async function eraseSubject(
  context: ErasureContext,
  call: Call<Principal>,
  { account, subject }: ErasureTarget,
): Promise<RecordedErasure> {
  const { keys } = await knownData(context, subject)
  return eraseKeys(context, call, { account, subject, keys })
}

interface KeysErasure extends ErasureTarget {
  readonly keys: readonly string[]
}

async function eraseKeys(
  context: ErasureContext,
  call: Call<Principal>,
  { account, subject, keys }: KeysErasure,
): Promise<RecordedErasure> {
  const eventContext = buildEventContext(context, call, {
    account,
    operation: `subjects.erase ${subject}`,
    input: null,
  })
  await context.keyring.destroy(keys, eventContext.time)
  const erased: ErasureEvent = { type: 'SubjectErased', data: { subject, keys } }
  // other erasures of the same person may be recorded in between
  for (let tries = 0; tries < recordTries; tries += 1) {
    const known = await erasures(context, subject)
    const answer = await context.events.append({
      stream: subjectErasureStream(subject),
      events: context.encode([erased], eventContext),
      expected: known.at(-1)?.revision ?? 'no_stream',
    })
    if (answer.ok) return { position: answer.position, keys }
  }
  throw new Failure('unavailable', 'Too many requests erase the person at the same time.', {
    retryAfterSeconds: 1,
  })
}

/**
 * Erases a subject unless the destruction of every key is on record: another instance may have sealed data of them at the same moment,
 * and have ended before it could clean up. Throws like `eraseSubject`.
 */
export async function eraseSubjectIfNeeded(
  context: ErasureContext,
  call: Call<Principal>,
  erasure: ErasureTarget,
): Promise<ErasureResult> {
  const { subject } = erasure
  // outside of the queue, which must not wait for the read models
  const { keys, ...data } = await knownData(context, subject)
  return context.streamQueue.run(subjectErasureStream(subject), async () => {
    const records = (await erasures(context, subject)).map(recordOf)
    const erased = new Set(records.flatMap((one) => one.keys))
    if (records.length > 0 && keys.every((key) => erased.has(key))) return { ...data, records }
    const last = await eraseKeys(context, call, { ...erasure, keys })
    return { ...data, records: [...records, last] }
  })
}

function recordOf(recorded: RecordedEvent): RecordedErasure {
  const { event, position } = decode(recorded)
  if (event.type !== 'SubjectErased') throw new Error('something else than erasures is on record')
  return { position, keys: event.data.keys }
}

/** Of everything that was sealed before this was called. */
async function knownData(context: ErasureContext, subject: string): Promise<SubjectData> {
  const head = await context.events.head()
  if (await context.projections.waitFor(head, knownMs)) return context.findSubjectData(subject)
  throw new Failure('unavailable', 'It is not known yet under which keys the data is sealed.', {
    retryAfterSeconds: 1,
  })
}

async function erasures({ events }: Pick<CommandContext, 'events'>, subject: string) {
  const page = { from: 0, limit: 1_000, known: 0 }
  return (await events.readNewEvents(subjectErasureStream(subject), page)).events
}
