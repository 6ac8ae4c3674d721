/** Reads counters from the read models: all of an evaluation up to one position of the log. */

import type { FindText } from '../../engine/language/counterKey.ts'
import type { CounterCall } from '../../engine/language/counters.ts'
import type { CounterAnswer } from '../../engine/run/evidence.ts'
import { countWindow, findWindowStart } from '../../projections/evaluation/counterGrains.ts'
import {
  buildCounterId,
  buildWarmUpId,
  counterCollection,
} from '../../projections/evaluation/counters.ts'
import type { FollowProgress } from '../folding/foldedStreamCache.ts'
import type { StateContext } from '../folding/stateContext.ts'
import { createCounterKeys } from './listTallies.ts'
import {
  type CounterDocuments,
  type CounterLoadContext,
  loadCounterDocuments,
} from './loadCounterDocuments.ts'
import { type PendingTalliesContext, waitForPendingTallies } from './pendingTallies.ts'

export interface CounterContext
  extends Pick<StateContext, 'events' | 'documents' | 'projections' | 'keyring' | 'clock'>,
    Pick<PendingTalliesContext, 'pendingTallies'>,
    CounterLoadContext {
  readonly followed: FollowProgress
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
