/** Counts, in the background, what happened before a counter came into force. */

import { isUnavailable, unavailable } from '../../domain/failure.ts'
import { countsEvaluations } from '../../engine/language/counters.ts'
import type { CounterAnswer } from '../../engine/run/evidence.ts'
import {
  type CounterWarmed,
  type CounterWarmUpEvent,
  counterWarmUpStream,
  type WarmedEntry,
  type WarmedSeries,
  type WarmUpState,
} from '../../events/evaluation/counterWarmUp.ts'
import type { EventContext } from '../../events/recording/event.ts'
import type { KeptSeriesMap } from '../../events/rulebook/keptSeries.ts'
import { countedKeptMs, toUnits } from '../../projections/evaluation/counterGrains.ts'
import { digestTallies, type TalliedEvaluation } from '../../state/evaluation/listTallies.ts'
import type { TallySlicer, WarmUpStreams } from '../../state/evaluation/warmUpStreamType.ts'
import type { CommandContext, WriteContext } from '../handling/commandContext.ts'
import { buildFollowUpContext, executeCommand } from '../handling/executeCommand.ts'

/** What an account is waiting for on this instance. */
interface Noticed {
  /** Its series, with when they came into force. */
  readonly series: string
  readonly atMs: number
  isRunning: boolean
}

export interface WarmUpContext
  extends WriteContext,
    WarmUpStreams,
    Pick<CommandContext, 'background'> {
  /** By account. */
  readonly noticedWarmUps: Map<string, Noticed>
  readonly tallySlice: TallySlicer
  /** Aborted when the process ends. */
  readonly closing: AbortSignal
}

/** By then every instance has followed the rulebook, whatever its clock says. */
const followedMs = 2_000
/** How long the read models may take to have what was evaluated until then. */
const projectedMs = 30_000

/**
 * To be called whenever a counter has no answer since its series is too young. Counts what had happened before it came
 * into force, once, on whichever instance is first.
 */
export function warmCounters(
  context: WarmUpContext,
  startedBy: EventContext,
  kept: KeptSeriesMap,
): void {
  const { noticedWarmUps: noticed, clock, background } = context
  const { account } = startedBy
  const nowMs = clock.nowMs()
  const series = JSON.stringify([...kept].map(([id, { sinceMs }]) => [id, sinceMs]))
  const known = noticed.get(account)
  if (known?.isRunning) return
  if (known?.series !== series) {
    noticed.set(account, { series, atMs: nowMs, isRunning: false })
    return
  }
  if (nowMs - known.atMs < followedMs) return
  known.isRunning = true
  background.run(() =>
    warmAll(context, startedBy, kept)
      // the next evaluation tries again
      .catch(ignoreUnavailable)
      .finally(() => noticed.delete(account)),
  )
}

function ignoreUnavailable(error: unknown): undefined {
  if (isUnavailable(error)) return undefined
  throw error
}

export function hasYoungCounters(answers: ReadonlyMap<string, CounterAnswer>): boolean {
  for (const answer of answers.values()) {
    if ('reason' in answer && answer.reason === 'warming') return true
  }
  return false
}

/** A step of a warm-up: of which series, up to where, and how far it is. */
type Step = Pick<CounterWarmed, 'series' | 'cut' | 'from_ms' | 'after'>

async function warmAll(
  context: WarmUpContext,
  startedBy: EventContext,
  kept: KeptSeriesMap,
): Promise<void> {
  const stream = counterWarmUpStream(startedBy.account)
  const { state } = await context.warmUps.catchUp(stream)
  let step = continueWarmUp(state, kept) ?? (await beginWarmUp(context, state, kept))
  while (step && !context.closing.aborted) {
    step = await takeStep(context, startedBy, { step, kept })
    step ??= await beginWarmUp(context, (await context.warmUps.catchUp(stream)).state, kept)
  }
}

/** The warm-up under way, of the series that are still in force. */
function continueWarmUp({ last }: WarmUpState, kept: KeptSeriesMap): Step | undefined {
  if (!last || last.from_ms === 0) return undefined
  const series = last.series.filter(({ id, since }) => kept.get(id)?.sinceMs === since)
  return series.length === 0 ? undefined : { ...last, series }
}

/** A new one, of the series in force that no warm-up has had. Throws `unavailable` when the read models are behind. */
async function beginWarmUp(
  context: WarmUpContext,
  { runs }: WarmUpState,
  kept: KeptSeriesMap,
): Promise<Step | undefined> {
  const { clock } = context
  const series = [...kept].flatMap(([id, one]): WarmedSeries[] => {
    const run = runs.get(id)
    if (!countsEvaluations(one.series) || one.sinceMs === undefined || run?.since === one.sinceMs)
      return []
    const before = run && { floor: run.cut, from_ms: run.from_ms }
    return [{ id, since: one.sinceMs, ...before }]
  })
  if (series.length === 0) return undefined
  return { series, cut: await findProjectedHead(context), from_ms: clock.nowMs() + countedKeptMs }
}

/** Where the log ends, once the read models have all of it. Throws `unavailable` when they are behind. */
async function findProjectedHead({ events, projections }: WarmUpContext): Promise<number> {
  const head = await events.head()
  if (await projections.waitFor(head, projectedMs)) return head
  throw unavailable('The read models have not reached what is to be counted.')
}

/**
 * Counts the next evaluations, once the last ones are in the read models: these are everybody's. Undefined at the end,
 * and when another instance was faster.
 */
async function takeStep(
  context: WarmUpContext,
  startedBy: EventContext,
  { step, kept }: { readonly step: Step; readonly kept: KeptSeriesMap },
): Promise<Step | undefined> {
  const { account } = startedBy
  const { series, cut, after } = step
  const nowMs = context.clock.nowMs()
  await findProjectedHead(context)
  const slice = await context.tallySlice(
    {
      account,
      series: series.flatMap(({ id }) => kept.get(id)?.series ?? []),
      fromMs: nowMs - countedKeptMs,
      toMs: nowMs + countedKeptMs,
      end: cut,
      ...(after && { after }),
    },
    context.closing,
  )
  const entries = groupEntries(context, { account, series }, slice.evaluations)
  const reached = slice.after ? { from_ms: slice.reachedMs, after: slice.after } : { from_ms: 0 }
  const data = { series, cut, ...reached, entries }
  const warmed: CounterWarmUpEvent = { type: 'CounterWarmed', data }
  const { events: appended } = await executeCommand(context, context.warmUps, {
    stream: counterWarmUpStream(account),
    context: { ...buildFollowUpContext(context, startedBy), time: nowMs },
    decide: ({ last }) => (isFollowedBy(last, step) ? [warmed] : []),
  })
  return appended.length > 0 && slice.after ? { series, cut, ...reached } : undefined
}

/** Whether the stream stands where the step begins. */
function isFollowedBy(last: CounterWarmed | undefined, { cut, after }: Step): boolean {
  if (!after) return !last || last.from_ms === 0 || last.cut < cut
  return last?.cut === cut && last.after?.id === after.id
}

/** What evaluations count in and do not say themselves, unless an earlier warm-up has had it; by series and key. */
function groupEntries(
  { keyring }: Pick<WarmUpContext, 'keyring'>,
  { account, series }: { readonly account: string; readonly series: readonly WarmedSeries[] },
  evaluations: readonly TalliedEvaluation[],
): readonly WarmedEntry[] {
  const floors = new Map(series.map(({ id, floor = 0 }) => [id, floor]))
  const groups = new Map<string, [series: string, key: string, counted: WarmedEntry[2][number][]]>()
  for (const { at, timeMs, found } of evaluations) {
    const open = found.filter(({ series: { id } }) => at > (floors.get(id) ?? 0))
    for (const [id, key, counted] of digestTallies(keyring, account, open)) {
      const group = groups.get(`${id} ${key}`) ?? [id, key, []]
      groups.set(`${id} ${key}`, group)
      group[2].push([toUnits(timeMs), counted])
    }
  }
  return [...groups.values()]
}
