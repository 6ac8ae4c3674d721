/** Erases a subject: destroys the keys of its sealed data and records their destruction. */

import type { Call } from '../../domain/call.ts'
import { unavailable } from '../../domain/failure.ts'
import type { Principal } from '../../domain/principal.ts'
import { type ErasureEvent, subjectErasureStream } from '../../events/audit/erasure.ts'
import { decode } from '../../events/catalogue.ts'
import type { EventStore, NewEvent } from '../../stores/eventStore.ts'
import type { ErasureContext } from './commandContext.ts'
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
 * Destroys every key under which the data of an account's subject, a keyed digest, was sealed when this was called, then records it, unless that is on record of all of
 * them already: the record is never ahead of the destruction, and after an interruption, erasing again finds the same keys. Throws
 * `unavailable` when the read models are not there in time, or a store does not answer.
 */
export async function eraseSubject(
  context: ErasureContext,
  call: Call<Principal>,
  { account, subject }: { readonly account: string; readonly subject: string },
): Promise<ErasureResult> {
  const { events: log, projections, keyring } = context
  // outside of the queue, which must not wait for the read models
  if (!(await projections.waitFor(await log.head(), knownMs))) {
    throw unavailable('It is not known yet under which keys the data is sealed.')
  }
  const { keys, ...data } = await context.findSubjectData(subject)
  const stream = subjectErasureStream(subject)
  return context.streamQueue.run(stream, async () => {
    const request = { account, operation: `subjects.erase ${subject}`, input: null }
    const eventContext = buildEventContext(context, call, request)
    // those on record, too: an older copy of the key store may have brought them back
    await keyring.destroy(keys, eventContext.time)
    const records = await readErasures(log, stream)
    const erased = new Set(records.flatMap((one) => one.keys))
    if (records.length > 0 && keys.every((key) => erased.has(key))) return { ...data, records }
    const event: ErasureEvent = { type: 'SubjectErased', data: { subject, keys } }
    const position = await appendErasure(log, stream, context.encode([event], eventContext))
    return { ...data, records: [...records, { position, keys }] }
  })
}

/** Appends behind what other instances record in between. */
async function appendErasure(
  log: EventStore,
  stream: string,
  events: readonly NewEvent[],
): Promise<number> {
  for (let tries = 0; tries < recordTries; tries += 1) {
    const expected = (await readErasures(log, stream)).at(-1)?.revision ?? 'no_stream'
    const answer = await log.append({ stream, events, expected })
    if (answer.ok) return answer.position
  }
  throw unavailable('Too many requests erase the person at the same time.')
}

async function readErasures(log: EventStore, stream: string) {
  const { events } = await log.readNewEvents(stream, { from: 0, limit: 1_000, known: 0 })
  return events.map((recorded) => {
    const { event, revision, position } = decode(recorded)
    if (event.type !== 'SubjectErased') throw new Error(`${stream} has more than erasures`)
    return { keys: event.data.keys, revision, position }
  })
}
