/** Erases subjects: destroys the keys of their sealed data and records the destruction. */

import type { Call } from '../../domain/call.ts'
import { unavailable } from '../../domain/failure.ts'
import type { Principal } from '../../domain/principal.ts'
import { type ErasureEvent, subjectErasureStream } from '../../events/audit/erasure.ts'
import { decode } from '../../events/catalogue.ts'
import { findSubjectData, type SubjectData } from '../../state/audit/sealingKeys.ts'
import { type EventStore, readPagesOfStream } from '../../stores/eventStore.ts'
import type { ErasureContext } from './commandContext.ts'
import { buildEventContext } from './executeCommand.ts'

/** How long it is waited until the read models know every key that was used before. */
const knownMs = 10_000

/** Subjects that are looked up and recorded at a time: a person may have sent thousands of dispatches. */
const subjectsAtOnce = 16

/** How often an erasure is decided again after another instance has put one of the same subject on record. */
const recordTries = 20

interface RecordedErasure {
  readonly position: number
  readonly keys: readonly string[]
}

/** Destroys every key that sealed data of the subjects up to now, then records it. Throws `unavailable`. */
export async function eraseSubjects(
  context: ErasureContext,
  call: Call<Principal>,
  { account, subjects }: { readonly account: string; readonly subjects: readonly string[] },
): Promise<void> {
  await waitUntilKnown(context)
  const erased = await mapInGroups(subjects, async (subject) => ({
    subject,
    keys: (await findSubjectData(context, subject)).keys,
  }))
  await destroyKeys(context, call, { account, erased })
}

async function waitUntilKnown({
  events,
  projections,
}: Pick<ErasureContext, 'events' | 'projections'>): Promise<void> {
  // outside of any queue, which must not wait for the read models
  if (await projections.waitFor(await events.head(), knownMs)) return
  throw unavailable('It is not known yet under which keys the data is sealed.')
}

/** Maps all, a few at a time, in their order. */
export async function mapInGroups<In, Out>(
  all: readonly In[],
  work: (one: In) => Promise<Out>,
): Promise<readonly Out[]> {
  const results: Out[] = []
  for (let first = 0; first < all.length; first += subjectsAtOnce) {
    results.push(...(await Promise.all(all.slice(first, first + subjectsAtOnce).map(work))))
  }
  return results
}

/** Everything recorded of a subject up to now. Throws `unavailable` when the read models are not there in time. */
export async function findRecordedData(
  context: ErasureContext,
  subject: string,
): Promise<SubjectData> {
  await waitUntilKnown(context)
  return findSubjectData(context, subject)
}

/**
 * Destroys keys of subjects, all at once, then records it of each of which that is not on record yet: the record is
 * never ahead of the destruction, and after an interruption, erasing again finds the same keys. Throws `unavailable`
 * when a store does not answer.
 */
export async function destroyKeys(
  context: ErasureContext,
  call: Call<Principal>,
  {
    account,
    erased,
  }: { readonly account: string; readonly erased: readonly ErasureEvent['data'][] },
): Promise<void> {
  // those on record, too: an older copy of the key store may have brought them back
  const keys = erased.flatMap((one) => one.keys)
  await context.keyring.destroy(keys, context.clock.nowMs())
  await mapInGroups(erased, (data) => recordErasure(context, call, { account, data }))
}

async function recordErasure(
  context: ErasureContext,
  call: Call<Principal>,
  { account, data }: { readonly account: string; readonly data: ErasureEvent['data'] },
): Promise<void> {
  const { events: log } = context
  const stream = subjectErasureStream(data.subject)
  return context.streamQueue.run(stream, async () => {
    const request = { account, operation: `subjects.erase ${data.subject}`, input: null }
    const eventContext = buildEventContext(context, call, request)
    for (let tries = 0; tries < recordTries; tries += 1) {
      const records = await readErasures(log, data.subject)
      const decided = decideErasure(records, data)
      if (decided.length === 0) return
      const expected = records.length === 0 ? 'no_stream' : records.length - 1
      const events = context.encode(decided, eventContext)
      if ((await log.append({ stream, events, expected })).ok) return
    }
    throw unavailable('Too many requests erase the person at the same time.')
  })
}

/** None when all of the keys are on record; a subject without keys is erased, too. */
function decideErasure(
  records: readonly RecordedErasure[],
  data: ErasureEvent['data'],
): readonly ErasureEvent[] {
  const erased = new Set(records.flatMap(({ keys }) => keys))
  if (records.length > 0 && data.keys.every((key) => erased.has(key))) return []
  return [{ type: 'SubjectErased', data }]
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
