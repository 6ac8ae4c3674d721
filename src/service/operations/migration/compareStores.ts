/**
 * Reads two stores from end to end and side by side: the same events in the same order, whatever their positions. What an event says is compared and
 * digested as canonical JSON: a client that reads it, or copies it from server to server, parses it and may write it in another way.
 */

import { canonicalJson } from '../../../domain/canonicalJson.ts'
import { type LogReader, walkLog } from '../../../stores/embedded/logReader.ts'
import type { EventStore, RecordedEvent } from '../../../stores/eventStore.ts'
import { logDigest } from '../../../stores/logDigest.ts'
import type { LongWork } from '../longWork.ts'

export interface Agreement {
  readonly events: number
  /** See `logDigest`, over canonical JSON; the same of both. */
  readonly digest: string
  /** The last event, as the target has it; undefined when there is none. */
  readonly last: RecordedEvent | undefined
}

interface Stores {
  readonly source: LogReader
  readonly target: Pick<EventStore, 'readAll'>
  readonly work: LongWork
}

/** Events read at a time from the target. */
const pageMax = 200

/** Throws an `Error` that names the first difference. */
export async function compareStores({ source, target, work }: Stores): Promise<Agreement> {
  const end = source.head()
  const theirs = walkStore(target)
  const ofSource = logDigest()
  const ofTarget = logDigest()
  let last: RecordedEvent | undefined
  for await (const batch of walkLog(source, { end, signal: work.signal })) {
    for (const event of batch) {
      const { value: other } = await theirs.next()
      refuseDifference(event, other ?? undefined)
      ofSource.add(canonical(event))
      ofTarget.add(canonical(other ?? event))
      last = other ?? undefined
    }
    work.onProgress('Comparing events', batch.at(-1)?.position ?? 0, end)
  }
  const more = await theirs.next()
  if (!more.done) throw different(`it goes on after the last of ${ofSource.events()} events`)
  const digest = ofSource.hex()
  if (ofTarget.hex() !== digest) throw different('its digest is another')
  return { events: ofSource.events(), digest, last }
}

async function* walkStore(
  store: Pick<EventStore, 'readAll'>,
): AsyncGenerator<RecordedEvent, undefined, undefined> {
  let after = 0
  for (;;) {
    const page = await store.readAll({ after, limit: pageMax })
    yield* page
    after = page.at(-1)?.position ?? after
    if (page.length < pageMax) return undefined
  }
}

function refuseDifference(event: RecordedEvent, other: RecordedEvent | undefined): void {
  const { position, stream, revision } = event
  const place = `position ${position} of the folder (${stream}, revision ${revision})`
  if (!other) throw different(`it ends before the event at ${place}`)
  const field = differenceOf(event, other)
  if (field !== undefined) throw different(`${field} of the event at ${place}`)
}

const fields = ['id', 'type', 'stream', 'revision', 'data', 'metadata'] as const

/** The first field, position aside, in which two events differ; undefined when they say the same. */
export function differenceOf(one: RecordedEvent, other: RecordedEvent): string | undefined {
  const [first, second] = [canonical(one), canonical(other)]
  return fields.find((field) => first[field] !== second[field])
}

function canonical(event: RecordedEvent): RecordedEvent {
  return { ...event, data: canonicalText(event.data), metadata: canonicalText(event.metadata) }
}

/** A text that is no JSON is what it says. */
function canonicalText(text: string): string {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    if (error instanceof SyntaxError) return text
    throw error
  }
  return canonicalJson(value)
}

function different(what: string): Error {
  return new Error(
    `The EventStoreDB does not have what the folder has: ${what}. Nothing in the folder was changed; begin again with an empty EventStoreDB.`,
  )
}
