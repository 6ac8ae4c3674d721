/** Loads documents of counters at one position of the log, for all evaluations of a turn. */

import { setImmediate as nextPhase } from 'node:timers/promises'
import type { CounterDocument } from '../../projections/evaluation/counterGrains.ts'
import {
  counterCollection,
  type WarmUpDocument,
  warmUpCollection,
} from '../../projections/evaluation/counters.ts'
import { activeCollection } from '../../projections/running/documents.ts'
import type { DocumentCollection } from '../../projections/running/projection.ts'
import type { LoadedDocument } from '../../stores/readStore.ts'
import type { StateContext } from '../folding/stateContext.ts'

export interface CounterLoadContext extends Pick<StateContext, 'documents' | 'projections'> {
  /** What the evaluations of this turn of the event loop ask for. */
  readonly counterLoads: { next: Batch | undefined }
}

/** Ids of documents, by their collections. */
interface Ids {
  readonly counters: readonly string[]
  readonly warmUps: readonly string[]
}

interface Batch {
  readonly counters: Set<string>
  readonly warmUps: Set<string>
  /** Whether to ask the store how far it is, which may be later than what this instance was told. */
  asksStore: boolean
  readonly loaded: Promise<Loaded>
}

interface Loaded {
  readonly documents: ReadonlyMap<string, LoadedDocument>
  /** Every event up to here is in them. */
  readonly position: number
}

export interface CounterDocuments {
  readonly counters: ReadonlyMap<string, CounterDocument>
  readonly warmUps: ReadonlyMap<string, WarmUpDocument>
  /** Every event up to here is in them, and none behind it. */
  readonly position: number
}

/** Ids of one question. */
const idsMax = 1_000

/** How often documents are read again that a commit is just changing, and how long the commit is waited for. */
const triesMax = 4
const commitMs = 250

/**
 * The documents at one position of the log; undefined while they change too fast. A checkpoint is written with, or
 * after, the documents: what is read after it has all events up to it, and no other when no document is later.
 */
export async function loadCounterDocuments(
  context: CounterLoadContext,
  ids: Ids,
): Promise<CounterDocuments | undefined> {
  for (let tries = 0; tries < triesMax; tries += 1) {
    const { documents, position } = await loadTogether(context, ids, tries > 0)
    const found = (of: readonly string[]) => of.flatMap((id) => documents.get(id) ?? [])
    const [counters, warmUps] = [found(ids.counters), found(ids.warmUps)]
    const newest = Math.max(0, ...[...counters, ...warmUps].map((one) => one.position))
    if (newest <= position) {
      return { counters: toBodies(counters), warmUps: toBodies(warmUps), position }
    }
    if (tries > 0) await context.projections.waitFor(newest, commitMs)
  }
  return undefined
}

function loadTogether(
  context: CounterLoadContext,
  { counters, warmUps }: Ids,
  asksStore: boolean,
): Promise<Loaded> {
  const { counterLoads } = context
  let batch = counterLoads.next
  if (!batch || batch.counters.size + counters.length > idsMax) {
    batch = openBatch(context)
    counterLoads.next = batch
  }
  for (const id of counters) batch.counters.add(id)
  for (const id of warmUps) batch.warmUps.add(id)
  batch.asksStore ||= asksStore
  return batch.loaded
}

function openBatch(context: CounterLoadContext): Batch {
  const ids = { counters: new Set<string>(), warmUps: new Set<string>(), asksStore: false }
  const batch: Batch = Object.assign(ids, {
    loaded: nextPhase().then(() => {
      if (context.counterLoads.next === batch) context.counterLoads.next = undefined
      return loadBatch(context, batch)
    }),
  })
  return batch
}

async function loadBatch(
  context: CounterLoadContext,
  { counters, warmUps, asksStore }: Batch,
): Promise<Loaded> {
  const load = (collection: DocumentCollection<object>, ids: ReadonlySet<string>) =>
    ids.size === 0 ? [] : context.documents.load(activeCollection(context, collection), [...ids])
  const passed = context.projections.passed([counterCollection.projection])
  const position = asksStore ? Math.max(passed, await readCheckpoint(context)) : passed
  const loaded = await Promise.all([
    load(counterCollection, counters),
    load(warmUpCollection, warmUps),
  ])
  return { documents: new Map(loaded.flat().map((one) => [one.id, one])), position }
}

/** Nobody else writes to the collections of the projection. */
function toBodies<Document>(loaded: readonly LoadedDocument[]): ReadonlyMap<string, Document> {
  return new Map(
    loaded.flatMap(({ id, body }) => (body ? [[id, body as unknown as Document] as const] : [])),
  )
}

async function readCheckpoint(context: CounterLoadContext): Promise<number> {
  const { version } = activeCollection(context, counterCollection)
  const checkpoints = await context.documents.checkpoints()
  const own = checkpoints.find(
    (one) => one.projection === counterCollection.projection && one.version === version,
  )
  return own?.position ?? 0
}
