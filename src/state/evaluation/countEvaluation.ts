/** Answers the counters of an evaluation, and adds what it counts in to its record. */

import type { CounterAsk } from '../../engine/compile/compileAskedCall.ts'
import type { CounterAnswer, CounterReason } from '../../engine/run/evidence.ts'
import type { EvaluationToRecord } from '../../events/evaluation/evaluationEvents.ts'
import type { KeptSeriesMap } from '../../events/rulebook/keptSeries.ts'
import { readValues } from './counterKeys.ts'
import type { EvaluationRequest, GatheredEvidence } from './gatherEvidence.ts'
import { listTallies } from './listTallies.ts'
import { type CounterContext, readCounters } from './readCounters.ts'

/** The counters of an evaluation. */
interface CounterQuestion {
  readonly account: string
  /** `flow_id` is absent where a rule alone is tried. */
  readonly request: Partial<Pick<EvaluationRequest, 'flow_id' | 'occurred_at'>>
  /** The series that the account keeps. */
  readonly kept: KeptSeriesMap
  readonly asked: Pick<GatheredEvidence, 'evidence'> & { readonly counters: readonly CounterAsk[] }
  readonly timeMs: number
}

interface Counted {
  /** By the name of the counter. */
  readonly answers: ReadonlyMap<string, CounterAnswer>
  /** The position of the log up to which they count; undefined where none was read. */
  readonly countedTo: number | undefined
}

/** Of a plan that asks none. */
export const noCounters: Counted = { answers: new Map(), countedTo: undefined }

/** Answers what the plan asks of counters, all up to one position of the log; of what is recorded later, nothing. */
export async function answerCounters(
  context: CounterContext,
  { account, request, kept, asked, timeMs }: CounterQuestion,
): Promise<Counted> {
  const { counters, evidence } = asked
  if (request.occurred_at !== undefined) return refuseCounters(counters, 'imported')
  const known = counters.filter(({ counter }) => kept.has(counter.series.id))
  const unknown = counters.filter((ask) => !known.includes(ask))
  const { answers } = refuseCounters(unknown, 'not_kept')
  if (known.length === 0) return { answers, countedTo: undefined }
  const read = await readCounters(context, {
    account,
    calls: known.map(({ counter }) => counter),
    findText: readValues(evidence, request.flow_id),
    timeMs,
    sinceMs: (id) => kept.get(id)?.sinceMs,
  })
  return { answers: new Map([...answers, ...read.answers]), countedTo: read.countedTo }
}

function refuseCounters(counters: readonly CounterAsk[], reason: CounterReason): Counted {
  const answers = counters.map(({ name }) => [name, { reason }] as const)
  return { answers: new Map(answers), countedTo: undefined }
}

/** The record with what the evaluation counts in, and up to where its counters were read. */
export function addCounted(
  { keyring }: Pick<CounterContext, 'keyring'>,
  data: EvaluationToRecord,
  counting: Pick<CounterQuestion, 'account' | 'kept' | 'asked'> & Pick<Counted, 'countedTo'>,
): EvaluationToRecord {
  const { account, kept, asked, countedTo } = counting
  const series = [...kept.values()].flatMap(({ series: one }) => {
    const counts =
      one.source === 'evaluations' || (one.source === 'flagged' && data.verdict === 'FLAG')
    return counts ? [one] : []
  })
  const findText = readValues(asked.evidence, data.flow_id)
  const tallies = listTallies(keyring, { account, series, findText })
  return {
    ...data,
    ...(tallies.length > 0 && { tallies }),
    ...(countedTo !== undefined && { counted_to: countedTo }),
  }
}
