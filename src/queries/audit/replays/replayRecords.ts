/** Replays recorded evaluations: decrypts and recomputes them, and compares every byte. */

import { hash } from 'node:crypto'
import { Failure, isUnavailable, messageOf } from '../../../domain/failure.ts'
import { type LoadContext, pauseLongWork } from '../../../domain/load/scheduler.ts'
import type { PlanRun } from '../../../engine/compile/compilePlan.ts'
import type { RecordedRecipe } from '../../../engine/run/recordResult.ts'
import {
  mismatchesMax,
  type ReplayMismatch,
  type ReplayRange,
  type ReplayTotals,
} from '../../../events/audit/replay.ts'
import { decode, openPersonal, sealedUnder } from '../../../events/catalogue.ts'
import { type FlowEvaluated, readClock } from '../../../events/evaluation/evaluationEvents.ts'
import type { Keyring, KeyState } from '../../../events/recording/sealing.ts'
import type { CompiledPlanCache, RunnablePlan } from '../../../state/evaluation/flowPlanCache.ts'
import type { EvaluationRecord } from '../../../state/evaluation/readEvaluationRecord.ts'
import type { EventStore, RecordedEvent } from '../../../stores/eventStore.ts'
import {
  compileRecordedPlan,
  isPlanAltered,
  readRecordedEvidence,
} from '../../evaluation/decryptEvaluation.ts'
import {
  comparePlans,
  compareRecordWithRun,
  hashUnanswered,
  type ReplayDifference,
} from '../../evaluation/replayEvaluation.ts'

export interface ReplaySources extends LoadContext {
  /** The log, for the plans that ran. */
  readonly events: Pick<EventStore, 'readStream'>
  /** The state of each of these keys; absent where it is lost. */
  readonly keys: Keyring['keys']
  /** The plans that events name, compiled once for all of them. */
  readonly compiledPlans: CompiledPlanCache
}

/** Which of the evaluations in the events count. */
export interface ReplayFilter extends Pick<ReplayRange, 'flow_id' | 'from_ms' | 'to_ms'> {
  /** Their streams in the read models: one not among these is a mismatch. Not compared unless given. */
  readonly listed?: ReadonlySet<string>
}

/**
 * Replays the evaluations among some events, in slices. Throws when the log or the keys cannot be read; a fault of one
 * evaluation is a mismatch.
 */
export type RecordReplayer = (
  recorded: readonly RecordedEvent[],
  filter: ReplayFilter,
) => Promise<ReplayTotals>

/** Opens the replaying of events; the plans that they name are compiled once for all of them. */
export function openRecordReplayer({
  events,
  keys,
  scheduler,
  compiledPlans,
}: ReplaySources): RecordReplayer {
  return async (recorded, filter) => {
    const tally: Tally = { match: 0, mismatch: 0, evidence_erased: 0, mismatches: [] }
    const records = recorded
      .flatMap((event) => readRecord(event, tally))
      .filter(({ decoded }) => isWanted(decoded, filter))
    const states = await keys([...new Set(records.flatMap(({ decoded }) => sealedUnder(decoded)))])
    const plans = new Map<string, RunnablePlan | string>()
    for (const record of records) {
      const { account, decoded } = record
      const key = `${account} ${decoded.event.data.plan}`
      const plan = plans.get(key) ?? (await findPlan({ events, compiledPlans, scheduler }, record))
      plans.set(key, plan)
      const found =
        filter.listed?.has(decoded.stream) === false
          ? { reason: 'the read models do not have it: build them again' }
          : compareRecord(record, plan, states)
      if (typeof found === 'string') tally[found] += 1
      else noteMismatch(tally, decoded, found.reason)
      await pauseLongWork({ scheduler })
    }
    return tally
  }
}

type Tally = { -readonly [Field in keyof ReplayTotals]: ReplayTotals[Field] } & {
  readonly mismatches: ReplayMismatch[]
}

function noteMismatch(
  tally: Tally,
  { stream, position }: Pick<RecordedEvent, 'stream' | 'position'>,
  reason: string,
): void {
  tally.mismatch += 1
  const evaluation_id = stream.slice(stream.indexOf('-') + 1)
  if (tally.mismatches.length < mismatchesMax) {
    tally.mismatches.push({ evaluation_id, position, reason })
  }
}

/** By the time of recording, as positions are found by it. */
function isWanted(
  { event, metadata: { time } }: EvaluationRecord['decoded'],
  filter: ReplayFilter,
): boolean {
  const { flow_id } = event.data
  const { from_ms = 0, to_ms = Number.POSITIVE_INFINITY } = filter
  return (filter.flow_id ?? flow_id) === flow_id && time >= from_ms && time < to_ms
}

/** The plan that ran, ready to run again, or why it is not to be had. Throws where the log cannot be read. */
async function findPlan(
  context: Parameters<typeof compileRecordedPlan>[0],
  { account, decoded }: EvaluationRecord,
): Promise<RunnablePlan | string> {
  try {
    return await compileRecordedPlan(context, { account, digest: decoded.event.data.plan })
  } catch (error) {
    if (isUnavailable(error)) throw error
    return innerMessage(error)
  }
}

/** The record where the event is an evaluation; none, and a finding, where it cannot be read. */
function readRecord(recorded: RecordedEvent, tally: Tally): readonly EvaluationRecord[] {
  if (recorded.type !== 'FlowEvaluated') return []
  try {
    const decoded = decode(recorded) as EvaluationRecord['decoded']
    return [{ account: decoded.metadata.account, decoded }]
  } catch (error) {
    noteMismatch(tally, recorded, innerMessage(error))
    return []
  }
}

/**
 * What comparing gave, or why the two differ, or cannot be compared: a key is lost, a box altered, or the plan is of
 * another record.
 */
function compareRecord(
  record: EvaluationRecord,
  runnablePlan: RunnablePlan | string,
  keys: ReadonlyMap<string, KeyState>,
): 'match' | 'evidence_erased' | { readonly reason: string } {
  if (typeof runnablePlan === 'string') return { reason: runnablePlan }
  try {
    const { data } = openPersonal(record.decoded, keys).event
    const compared = { ...record, data, runnablePlan }
    if (isPlanAltered(compared)) return { reason: describeDifferences(comparePlans(compared)) }
    const evidence = readRecordedEvidence(data, readClock(record.decoded))
    if (!evidence) return 'evidence_erased'
    const run = runnablePlan.compiled.run(evidence)
    if (isSame(data, runnablePlan, run)) return 'match'
    const differences = compareRecordWithRun(compared, run)
    return differences.length === 0 ? 'match' : { reason: describeDifferences(differences) }
  } catch (error) {
    return { reason: innerMessage(error) }
  }
}

/** Differences that are shown of one evaluation, and characters of each value. */
const shownMax = { differences: 3, chars: 80 }

function describeDifferences(differences: readonly ReplayDifference[]): string {
  const shown = differences
    .slice(0, shownMax.differences)
    .map(
      ({ path, recorded, recomputed }) =>
        `${path}: recorded ${printValue(recorded)}, recomputed ${printValue(recomputed)}`,
    )
  const more = differences.length - shown.length
  return [...shown, ...(more > 0 ? [`${more} more`] : [])].join('; ')
}

function printValue(value: unknown): string {
  const text = value === undefined ? 'nothing' : JSON.stringify(value)
  return text.length > shownMax.chars ? `${text.slice(0, shownMax.chars)}…` : text
}

/** What went wrong, with its cause where that says more. */
function innerMessage(error: unknown): string {
  const isCaused = error instanceof Failure && error.cause instanceof Error
  return messageOf(isCaused ? error.cause : error)
}

/** The same in all that `compareRecordWithRun` compares, found out without putting the recorded answer together. */
function isSame(data: FlowEvaluated, { compiled, plan }: RunnablePlan, run: PlanRun): boolean {
  const recomputed = compiled.encodeRun(run)
  return (
    data.semantics === plan.semantics &&
    data.verdict === run.verdict &&
    data.recipes.length === recomputed.recipes.length &&
    data.recipes.every((one, at) => isSameRecipe(one, recomputed.recipes[at])) &&
    hashUnanswered(data) === hashUnanswered(recomputed) &&
    data.result_hash === hash('sha256', compiled.renderResponse(data.evaluation_id, run), 'hex')
  )
}

function isSameRecipe(one: RecordedRecipe, other: RecordedRecipe | undefined): boolean {
  return (
    one.recipe_id === other?.recipe_id &&
    one.score === other.score &&
    one.verdict === other.verdict &&
    one.determined_by === other.determined_by &&
    one.outcomes === other.outcomes
  )
}
