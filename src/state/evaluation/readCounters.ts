/** Reads counters from the read models: all of an evaluation up to one position of the log. */

import type { FindText } from '../../engine/language/counterKey.ts'
import type { CounterCall, CounterWindow } from '../../engine/language/counters.ts'
import type { CounterAnswer } from '../../engine/run/evidence.ts'
import type { Keyring } from '../../events/recording/sealing.ts'
import {
  type CounterDocument,
  countWindow,
  findWindowStart,
} from '../../projections/evaluation/counterGrains.ts'
import { buildCounterId, counterCollection } from '../../projections/evaluation/counters.ts'
import { activeCollection } from '../../projections/running/documents.ts'
import type { Projections } from '../../projections/running/projectionState.ts'
import type { ReadStore } from '../../stores/readStore.ts'
import type { FollowProgress } from '../folding/foldedStreamCache.ts'
import { openCounterKeys } from './listTallies.ts'

export interface CounterContext {
  readonly documents: Pick<ReadStore, 'load' | 'checkpoints'>
  readonly projections: Pick<Projections, 'active' | 'passed' | 'waitFor' | 'progress'>
  readonly keyring: Pick<Keyring, 'subject'>
  readonly followed: Pick<FollowProgress, 'heads'>
  readonly clock: { readonly nowMs: () => number }
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
  /** The position up to which they count. */
  readonly countedTo: number
}

/** Answers these counters: none of them is ever lower than what the log had a second before. */
export async function readCounters(
  context: CounterContext,
  question: CounterQuestion,
): Promise<CounterAnswers> {
  const { account, calls, timeMs, sinceMs } = question
  const keyOf = openCounterKeys(context.keyring, account, question.findText)
  const asked = calls.map((call) => {
    const key = keyOf(call.series.by)
    if (key === undefined) throw new Error('a counter is asked without its key')
    const isWarm = isWindowRecorded(sinceMs(call.series.id), call.window, timeMs)
    return { call, id: isWarm ? buildCounterId(account, call.series.id, key) : undefined }
  })
  const ids = new Set(asked.flatMap(({ id }) => id ?? []))
  const read = isBehind(context) ? undefined : await readDocuments(context, [...ids])
  const answers = new Map(
    asked.map(({ call, id }): [string, CounterAnswer] => {
      if (id === undefined) return [call.name, { reason: 'warming' }]
      if (!read) return [call.name, { reason: 'behind' }]
      return [call.name, answerWindow(read.found.get(id), call.window, timeMs)]
    }),
  )
  return { answers, countedTo: read?.position ?? passedBy(context) }
}

/** Events recorded so long after a series came into force carry it, whichever instance records them. */
const settledMs = 10_000

/** Whether all events of the window carry what the series counts. */
export function isWindowRecorded(
  sinceMs: number | undefined,
  window: CounterWindow,
  timeMs: number,
): boolean {
  return sinceMs !== undefined && findWindowStart(window, timeMs) >= sinceMs + settledMs
}

function answerWindow(
  document: CounterDocument | undefined,
  window: CounterWindow,
  timeMs: number,
): CounterAnswer {
  const count = countWindow(document, window, timeMs)
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
export const counterLagMaxMs = 1_000

/** Whether the documents lack an event that was in the log a second ago, or one that could not be folded. */
function isBehind({ projections, followed, clock }: CounterContext): boolean {
  if (projections.active(name) === undefined) return true
  if (projections.progress().some((one) => one.name === name && one.parked > 0)) return true
  const passed = projections.passed([name])
  const beforeMs = clock.nowMs() - counterLagMaxMs
  return followed.heads.some(({ atMs, position }) => atMs <= beforeMs && passed < position)
}

/** How often documents are read again that a commit is just changing, and how long the commit is waited for. */
const triesMax = 4
const commitMs = 250

interface ReadDocuments {
  readonly found: ReadonlyMap<string, CounterDocument>
  /** Every event up to here is in them, and none behind it. */
  readonly position: number
}

/**
 * The documents at one position of the log; undefined while they change too fast. A checkpoint is written with, or
 * after, the documents: what is read after it has all events up to it, and no other when no document is later.
 */
async function readDocuments(
  context: CounterContext,
  ids: readonly string[],
): Promise<ReadDocuments | undefined> {
  const { documents, projections } = context
  const collection = activeCollection(context, counterCollection)
  let position = passedBy(context)
  for (let tries = 0; tries < triesMax; tries += 1) {
    const loaded = await documents.load(collection, ids)
    const newest = Math.max(0, ...loaded.map((one) => one.position))
    if (newest <= position) {
      const found = loaded.flatMap(({ id, body }) =>
        // nobody else writes to the collection of the projection
        body ? [[id, body as unknown as CounterDocument] as const] : [],
      )
      return { found: new Map(found), position }
    }
    if (tries > 0) await projections.waitFor(newest, commitMs)
    position = await readCheckpoint(context, collection.version)
  }
  return undefined
}

/** As the store has it, which may be later than what this instance was told. */
async function readCheckpoint(
  { documents }: Pick<CounterContext, 'documents'>,
  version: number,
): Promise<number> {
  const checkpoints = await documents.checkpoints()
  const own = checkpoints.find((one) => one.projection === name && one.version === version)
  return own?.position ?? 0
}
