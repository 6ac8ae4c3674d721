/** Parks events that cannot be applied, with the later events of the same sequence. */

/**
 * So the rest of the projection goes on and nothing is applied out of order. The sequence of an event is the later
 * events of its stream when it could not be decoded, and the later events of the document when it could not be applied
 * to that document.
 */

import type {
  Change,
  Collection,
  DocumentBody,
  FindQuery,
  ReadStore,
  StoredDocument,
} from '../../stores/readStore.ts'
import type { Projection } from './projection.ts'

/** Events parked by one projection; one more stops it, because then the events are not the cause. */
export const parkedMax = 10_000

const positionDigits = 16
const pageMax = 1_000

/** A parked event: its position in the log, and its sequence. */
export interface ParkedEvent {
  readonly sequence: string
  readonly position: number
  readonly stream: string
  readonly revision: number
  readonly type: string
  /** Whose the event is; empty where that cannot be read. */
  readonly account: string
  /** The error that opened the sequence; absent on events that wait behind. */
  readonly error?: string
}

/** The parked sequences of a projection, with the position of the first event of each. */
export interface ParkedSequences {
  readonly firstPositions: ReadonlyMap<string, number>
  readonly accounts: ReadonlySet<string>
  readonly eventCount: number
}

/** The projection's own collection of parked events, in the order of the log by id. */
export function defineParkedCollection({
  name,
  version,
}: Pick<Projection, 'name' | 'version'>): Collection {
  return { name: `parked_${name}`, version, indexes: [] }
}

/** The sequence of the later events of a stream. */
export function streamSequence(stream: string): string {
  return `stream/${stream}`
}

/** The sequence of the later events of a document. */
export function documentSequence(collection: Collection, id: string): string {
  return `document/${collection.name}/${id}`
}

/** The change that parks the event. */
export function createParkChange(collection: Collection, parked: ParkedEvent): Change {
  const { position, sequence } = parked
  const id = `${String(position).padStart(positionDigits, '0')}/${sequence}`
  return { collection, id, position, body: { ...parked } as unknown as DocumentBody }
}

/** The parked event of a document that `createParkChange` has written. */
export function readParkedEvent({ body }: Pick<StoredDocument, 'body'>): ParkedEvent {
  return body as unknown as ParkedEvent
}

/** Every parked event of a projection, in the order of the log; at most `parkedMax` and a page. */
export async function listParked(
  store: Pick<ReadStore, 'find'>,
  collection: Collection,
): Promise<readonly ParkedEvent[]> {
  const found: ParkedEvent[] = []
  let after: FindQuery['after']
  while (found.length <= parkedMax) {
    const find = { where: {}, limit: pageMax, ...(after && { after }) }
    const page = await store.find(collection, find)
    found.push(...page.map(readParkedEvent))
    const last = page.at(-1)
    if (!last || page.length < pageMax) break
    after = { id: last.id, values: [] }
  }
  return found
}

export const noneParked: ParkedSequences = {
  firstPositions: new Map(),
  accounts: new Set(),
  eventCount: 0,
}

/** The sequences after these events were parked too; one parked a second time counts again until the next start. */
export function addParkedEvents(
  sequences: ParkedSequences,
  parked: readonly ParkedEvent[],
): ParkedSequences {
  if (parked.length === 0) return sequences
  const first = new Map(sequences.firstPositions)
  for (const { sequence, position } of parked) {
    first.set(sequence, Math.min(first.get(sequence) ?? position, position))
  }
  const accounts = new Set([...sequences.accounts, ...parked.map(({ account }) => account)])
  return { firstPositions: first, accounts, eventCount: sequences.eventCount + parked.length }
}
