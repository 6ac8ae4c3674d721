/** The evaluations of a part of the log computed again from their records, and compared with them to the byte. */

import { getHeapStatistics } from 'node:v8'
import { openCompiledPlans, type ReadyPlan } from '../../commands/evaluation/compiledPlans.ts'
import type { EvaluationRecord } from '../../commands/evaluation/evaluationRecord.ts'
import { Failure } from '../../domain/failure.ts'
import { decode, sealedUnder } from '../../events/catalogue.ts'
import type { Keyring, KeyState } from '../../events/recording/sealing.ts'
import { type LogReader, walkLog } from '../../stores/embedded/logReader.ts'
import type { RecordedEvent } from '../../stores/eventStore.ts'
import { readyPlanOf } from '../evaluation/openRecord.ts'
import { type Compared, compareRecord } from './compareRecord.ts'
import type { LogRange } from './logRanges.ts'
import { newTally, noteOther, type Recomputed, type Tally } from './recomputed.ts'

export interface RecomputeSources {
  readonly reader: Pick<LogReader, 'readBatch' | 'readStream'>
  /** The state of each of these keys; absent where it is lost. */
  readonly keys: Keyring['keys']
}

/**
 * What recomputes one range after the other. Throws what reading the log throws, by name where it is damaged; what is wrong with one
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
      return await readyPlanOf(record, { context: { events: store }, compiledPlans })
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
