/** Reads counters from the read models: all of an evaluation up to one position of the log. */

import { setImmediate as nextPhase } from 'node:timers/promises'
import type { FindText } from '../../engine/language/counterKey.ts'
import type { CounterCall } from '../../engine/language/counters.ts'
import type { CounterAnswer } from '../../engine/run/evidence.ts'
import {
  type CounterDocument,
  countWindow,
  findWindowStart,
} from '../../projections/evaluation/counterGrains.ts'
import {
  buildCounterId,
  buildWarmUpId,
  counterCollection,
  type WarmUpDocument,
  warmUpCollection,
} from '../../projections/evaluation/counters.ts'
import { activeCollection } from '../../projections/running/documents.ts'
import type { DocumentCollection } from '../../projections/running/projection.ts'
import type { LoadedDocument } from '../../stores/readStore.ts'
import type { FollowProgress } from '../folding/foldedStreamCache.ts'
import type { StateContext } from '../folding/stateContext.ts'
import { createCounterKeys } from './listTallies.ts'
import { type PendingTalliesContext, waitForPendingTallies } from './pendingTallies.ts'

export interface CounterContext
  extends Pick<StateContext, 'events' | 'documents' | 'projections' | 'keyring' | 'clock'>,
    Pick<PendingTalliesContext, 'pendingTallies'> {
  readonly followed: FollowProgress
  /** What the evaluations of this turn of the event loop ask for. */
  readonly counterLoads: { next: Batch | undefined }
}

export interface CounterQuestion {
  readonly account: string
  /** Of which every part of the key arrived. */
  readonly calls: readonly CounterCall[]
  readonly findText: FindText
  /** The time of the evaluation, in milliseconds since the Unix epoch. */
  readonly timeMs: number
  /** Since when the series is recorded; undefined where it is not. */
  readonly sinceMs: (seriesId: string) => number | undefined
}

export interface CounterAnswers {
  /** By the name of the call. */
  readonly answers: ReadonlyMap<string, CounterAnswer>
  /** The position up to which they count; undefined where the read models are behind. */
  readonly countedTo: number | undefined
}

/** Answers these counters: none of them is ever lower than what the log had a second before. */
export async function readCounters(
  context: CounterContext,
  question: CounterQuestion,
): Promise<CounterAnswers> {
  const { account, calls } = question
  const keyOf = createCounterKeys(context.keyring, account, question.findText)
  const asked = calls.map((call): Asked => {
    const key = keyOf(call.series)
    if (key === undefined) throw new Error('a counter is asked without its key')
    return { call, id: buildCounterId(call.series.id, key) }
  })
  const ids = {
    counters: asked.map(({ id }) => id),
    warmUps: asked.flatMap(({ call }) =>
      isRecorded(question, call) ? [] : [buildWarmUpId(account, call.series.id)],
    ),
  }
  await waitForPendingTallies(context, ids.counters)
  const read = (await isBehind(context, account))
    ? undefined
    : await loadCounterDocuments(context, ids)
  const answers = asked.map(
    (one) =>
      [
        one.call.name,
        read ? answer(question, one, read) : ({ reason: 'behind' } as const),
      ] as const,
  )
  return { answers: new Map(answers), countedTo: read?.position }
}

interface Asked {
  readonly call: CounterCall
  /** Of the document. */
  readonly id: string
}

/** Events recorded so long after a series came into force carry it, whichever instance records them. */
const settledMs = 10_000

/** Whether all events of the window carry what the series counts. */
function isRecorded(
  { timeMs, sinceMs }: CounterQuestion,
  { series, window }: CounterCall,
): boolean {
  const since = sinceMs(series.id)
  return since !== undefined && findWindowStart(window, timeMs) >= since + settledMs
}

/** Whether those that do not carry it were counted since. */
function isWarmed(
  { account, timeMs, sinceMs }: CounterQuestion,
  { series, window }: CounterCall,
  { warmUps }: CounterDocuments,
): boolean {
  const warmUp = warmUps.get(buildWarmUpId(account, series.id))
  if (warmUp === undefined || warmUp.since !== sinceMs(series.id)) return false
  return warmUp.from === 0 || findWindowStart(window, timeMs) > warmUp.from
}

function answer(
  question: CounterQuestion,
  { call, id }: Asked,
  read: CounterDocuments,
): CounterAnswer {
  if (!isRecorded(question, call) && !isWarmed(question, call, read)) return { reason: 'warming' }
  const count = countWindow(read.counters.get(id), call.window, question.timeMs)
  if (count === 'too_early') return { reason: 'behind' }
  if (count === 'too_large') return { reason: 'too_large' }
  const { value, leftOut } = count
  return leftOut === 0 ? { value } : { value, left_out: leftOut }
}

const name = counterCollection.projection

function passedBy({ projections }: Pick<CounterContext, 'projections'>): number {
  return projections.passed([name])
}

/** A second; beyond it counters say that they do not know. */
const counterLagMaxMs = 1_000

/** Keeps what the lag of counters is judged by: the heads of the last second. */
export function noteHead(followed: FollowProgress, head: FollowProgress['heads'][number]): void {
  const sinceMs = head.atMs - counterLagMaxMs
  // a clock that was set back begins anew
  const young = followed.heads.filter(({ atMs }) => atMs >= sinceMs && atMs <= head.atMs)
  followed.heads = [...young, head]
}

/** Whether the documents lack an event that was in the log a second ago, or one of the account that is parked. */
async function isBehind(context: CounterContext, account: string): Promise<boolean> {
  const { events, projections, followed, clock } = context
  if (projections.active(name) === undefined) return true
  const mayLack = (whose: string) => !whose || whose === account
  const states = projections.progress().filter((one) => one.name === name)
  if (states.some(({ parkedAccounts = [] }) => parkedAccounts.some(mayLack))) return true
  const head = followed.heads.find(({ atMs }) => atMs >= clock.nowMs() - counterLagMaxMs)
  if (head) return passedBy(context) < head.position
  // after a pause of this process nobody knows how old the rest of the log is
  return !(await projections.waitFor(await events.head(), counterLagMaxMs))
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

interface CounterDocuments {
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
async function loadCounterDocuments(
  context: CounterContext,
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
  context: CounterContext,
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

function openBatch(context: CounterContext): Batch {
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
  context: CounterContext,
  { counters, warmUps, asksStore }: Batch,
): Promise<Loaded> {
  const load = (collection: DocumentCollection<object>, ids: ReadonlySet<string>) =>
    ids.size === 0 ? [] : context.documents.load(activeCollection(context, collection), [...ids])
  const passed = passedBy(context)
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

async function readCheckpoint(context: CounterContext): Promise<number> {
  const { version } = activeCollection(context, counterCollection)
  const checkpoints = await context.documents.checkpoints()
  const own = checkpoints.find((one) => one.projection === name && one.version === version)
  return own?.position ?? 0
}
