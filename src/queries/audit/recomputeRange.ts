/** Recomputes the evaluations in a range of the log, and compares them to the byte. */

import { hash } from 'node:crypto'
import { getHeapStatistics } from 'node:v8'
import { openCompiledPlans, type ReadyPlan } from '../../commands/evaluation/plans.ts'
import type { EvaluationRecord } from '../../commands/evaluation/readRecord.ts'
import { Failure } from '../../domain/failure.ts'
import type { PlanRun } from '../../engine/compile/compilePlan.ts'
import type { RecordedRecipe } from '../../engine/run/record.ts'
import { decode, openPersonal, sealedUnder } from '../../events/catalogue.ts'
import type { FlowEvaluated } from '../../events/evaluation/evaluation.ts'
import type { Keyring, KeyState } from '../../events/recording/sealing.ts'
import { type LogReader, walkLog } from '../../stores/embedded/logReader.ts'
import type { RecordedEvent } from '../../stores/eventStore.ts'
import { evidenceOf, isAltered, readyPlanOf } from '../evaluation/openRecord.ts'
import { differencesFrom } from '../evaluation/replayEvaluation.ts'
import type { LogRange } from './logRanges.ts'
import { newTally, noteOther, type Recomputed, type Tally } from './recomputed.ts'

export interface RecomputeSources {
  readonly reader: Pick<LogReader, 'readBatch' | 'readStream'>
  /** The state of each of these keys; absent where it is lost. */
  readonly keys: Keyring['keys']
}

/**
 * Recomputes one range after the other. Throws what reading the log throws, by name where it is damaged; a fault of one
 * evaluation is a finding.
 */
export type RecomputeRange = (range: LogRange, signal: AbortSignal) => Promise<Recomputed>

/** Of the memory that the thread may use, what compiled plans may hold. */
const compiledShare = 1 / 4

/** Opens the recomputing of ranges; the plans that they name are compiled once for all of them. */
export function openRecomputeRange({ reader, keys }: RecomputeSources): RecomputeRange {
  const planOf = planFinder(reader)
  const recompute = async (batch: readonly RecordedEvent[], tally: Tally): Promise<void> => {
    const records = batch.flatMap((recorded) => recordOf(recorded, tally))
    const states = await keys([...new Set(records.flatMap(({ decoded }) => sealedUnder(decoded)))])
    for (const record of records) {
      const plan = await planOf(record)
      note(tally, record, typeof plan === 'string' ? plan : compared(record, plan, states))
    }
  }
  return async (range, signal) => {
    const tally = newTally()
    for await (const batch of walkLog(reader, { ...range, signal })) await recompute(batch, tally)
    return tally
  }
}

/** The plan that ran, ready to run again, or why it is not to be had. Throws where the log cannot be read. */
function planFinder({ readStream }: RecomputeSources['reader']) {
  const compiledPlans = openCompiledPlans(getHeapStatistics().heap_size_limit * compiledShare)
  const store = {
    readStream: async (...asked: Parameters<typeof readStream>) => readStream(...asked),
  }
  return async (record: EvaluationRecord): Promise<ReadyPlan | string> => {
    try {
      return await readyPlanOf({ events: store, compiledPlans }, record)
    } catch (error) {
      if (error instanceof Failure && error.code === 'unavailable') throw error
      return wordsOf(error)
    }
  }
}

/** The record where the event is an evaluation; none, and a finding, where it cannot be read. */
function recordOf(recorded: RecordedEvent, tally: Tally): readonly EvaluationRecord[] {
  const { type, stream, position } = recorded
  if (type !== 'FlowEvaluated') return []
  try {
    const decoded = decode(recorded) as EvaluationRecord['decoded']
    return [{ account: decoded.metadata.account, decoded }]
  } catch (error) {
    noteOther(tally, {
      evaluation_id: stream.slice(stream.indexOf('-') + 1),
      position,
      why: wordsOf(error),
    })
    return []
  }
}

function compared(
  record: EvaluationRecord,
  plan: ReadyPlan,
  keys: ReadonlyMap<string, KeyState>,
): Compared | string {
  try {
    return compareRecord(record, plan, keys)
  } catch (error) {
    return wordsOf(error)
  }
}

function note(tally: Tally, { decoded }: EvaluationRecord, found: Compared | string): void {
  if (found === 'forgotten') tally.forgotten += 1
  else if (typeof found !== 'string' && found.length === 0) tally.same += 1
  else {
    const { event, position } = decoded
    const why = typeof found === 'string' ? found : `differs in ${found.join(', ')}`
    noteOther(tally, { evaluation_id: event.data.evaluation_id, position, why })
  }
}

/** What went wrong, with its cause where that says more. */
function wordsOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const cause = error instanceof Failure && error.cause instanceof Error ? error.cause : undefined
  return cause?.message ?? error.message
}

/** The places in which record and computation differ: none when they are the same to the byte. `forgotten`: its evidence is erased. */
type Compared = readonly string[] | 'forgotten'

/** Throws what opening the record throws: where a key is lost, a box altered, or record and plan do not belong together. */
function compareRecord(
  record: EvaluationRecord,
  ready: ReadyPlan,
  keys: ReadonlyMap<string, KeyState>,
): Compared {
  const { data } = openPersonal(record.decoded, keys).event
  if (isAltered(data, ready)) return ['plan']
  const evidence = evidenceOf(data, ready.names)
  if (!evidence) return 'forgotten'
  const run = ready.compiled.run(evidence)
  if (isSame(data, ready, run)) return []
  return differencesFrom({ ...record, data, plan: ready.plan, ready }, run).map(({ path }) => path)
}

/** The same in all that `differencesFrom` compares, found out without putting the recorded answer together. */
function isSame(data: FlowEvaluated, ready: ReadyPlan, run: PlanRun): boolean {
  const { compiled, digest, plan } = ready
  return (
    data.plan === digest &&
    data.semantics === plan.semantics &&
    data.verdict === run.verdict &&
    areSame(data.recipes, compiled.record(run)) &&
    data.result_hash === hash('sha256', compiled.render(data.evaluation_id, run), 'hex')
  )
}

function areSame(some: readonly RecordedRecipe[], others: readonly RecordedRecipe[]): boolean {
  return some.length === others.length && some.every((one, at) => isSameRecipe(one, others[at]))
}

function isSameRecipe(one: RecordedRecipe, other: RecordedRecipe | undefined): boolean {
  return (
    one.recipe_id === other?.recipe_id &&
    one.score === other.score &&
    one.verdict === other.verdict &&
    one.determined_by === other.determined_by &&
    one.outcomes === other.outcomes &&
    one.blocked_by.length === other.blocked_by.length &&
    one.blocked_by.every((name, at) => name === other.blocked_by[at])
  )
}
