/** Erases a subject: destroys the keys of its sealed data and records their destruction. */

import type { Call } from '../../domain/call.ts'
import { unavailable } from '../../domain/failure.ts'
import type { Principal } from '../../domain/principal.ts'
import { type ErasureEvent, subjectErasureStream } from '../../events/audit/erasure.ts'
import { decode } from '../../events/catalogue.ts'
import { findSubjectData, type SubjectData } from '../../state/audit/sealingKeys.ts'
import { type EventStore, type NewEvent, readPagesOfStream } from '../../stores/eventStore.ts'
import type { ErasureContext } from './commandContext.ts'
import { buildEventContext } from './executeCommand.ts'

/** How long it is waited until the read models know every key that was used before. */
const knownMs = 10_000

/** Others may put as many erasures of the same person on record in between. */
const recordTries = 20

/** An erasure on record. */
interface RecordedErasure {
  readonly position: number
  readonly keys: readonly string[]
}

/** Destroys every key under which the subject's data was sealed when this was called; see `destroyKeys`. */
export async function eraseSubject(
  context: ErasureContext,
  call: Call<Principal>,
  erased: { readonly account: string; readonly subject: string },
): Promise<readonly RecordedErasure[]> {
  const { keys } = await findRecordedData(context, erased.subject)
  return destroyKeys(context, call, { ...erased, keys })
}

/** Everything of a subject that was recorded when this was called. Throws `unavailable` when the read models are not there in time. */
export async function findRecordedData(
  context: ErasureContext,
  subject: string,
): Promise<SubjectData> {
  // outside of any queue, which must not wait for the read models
  if (!(await context.projections.waitFor(await context.events.head(), knownMs))) {
    throw unavailable('It is not known yet under which keys the data is sealed.')
  }
  return findSubjectData(context, subject)
}

/**
 * Destroys keys of a subject, then records it, unless that is on record of all of them already: the record is never ahead of the
 * destruction, and after an interruption, erasing again finds the same keys. Answers every erasure of the subject on record, the oldest
 * first. Throws `unavailable` when a store does not answer.
 */
export async function destroyKeys(
  context: ErasureContext,
  call: Call<Principal>,
  { account, subject, keys }: Record<'account' | 'subject', string> & Pick<SubjectData, 'keys'>,
): Promise<readonly RecordedErasure[]> {
  const { events: log, keyring } = context
  const stream = subjectErasureStream(subject)
  return context.streamQueue.run(stream, async () => {
    const request = { account, operation: `subjects.erase ${subject}`, input: null }
    const eventContext = buildEventContext(context, call, request)
    // those on record, too: an older copy of the key store may have brought them back
    await keyring.destroy(keys, eventContext.time)
    const records = await readErasures(log, subject)
    const erased = new Set(records.flatMap((one) => one.keys))
    if (records.length > 0 && keys.every((key) => erased.has(key))) return records
    const event: ErasureEvent = { type: 'SubjectErased', data: { subject, keys } }
    const position = await appendErasure(log, subject, context.encode([event], eventContext))
    return [...records, { position, keys }]
  })
}

/** Appends behind what other instances record in between. */
async function appendErasure(
  log: EventStore,
  subject: string,
  events: readonly NewEvent[],
): Promise<number> {
  const stream = subjectErasureStream(subject)
  for (let tries = 0; tries < recordTries; tries += 1) {
    const { length } = await readErasures(log, subject)
    const expected = length === 0 ? 'no_stream' : length - 1
    const answer = await log.append({ stream, events, expected })
    if (answer.ok) return answer.position
  }
  throw unavailable('Too many requests erase the person at the same time.')
}

/** The erasures of a subject on record before a position, the oldest first. */
export async function readErasures(
  log: Pick<EventStore, 'readStream'>,
  subject: string,
  until = Number.POSITIVE_INFINITY,
): Promise<readonly RecordedErasure[]> {
  const found: RecordedErasure[] = []
  for await (const page of readPagesOfStream(log, subjectErasureStream(subject))) {
    for (const recorded of page) {
      const { event, position } = decode(recorded)
      if (event.type !== 'SubjectErased')
        throw new Error(`${recorded.stream} has more than erasures`)
      if (position < until) found.push({ position, keys: event.data.keys })
    }
  }
  return found
}
