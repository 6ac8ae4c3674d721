/** Folds evaluations into what each counts in, as recorded or by its opened evidence. */

import type { CounterSeries } from '../../../engine/language/counters.ts'
import type { Tally } from '../../../events/recording/tallies.ts'
import { readValues } from '../../../state/evaluation/counterKeys.ts'
import { type ClearTally, listClearTallies } from '../../../state/evaluation/listTallies.ts'
import type { Fold } from './folds.ts'
import type { Matcher } from './where.ts'

export interface TalliesOrder {
  /** Of evaluations, or of those that flagged. */
  readonly series: readonly CounterSeries[]
}

export interface TalliedEvaluation {
  /** Position in the log. */
  readonly at: number
  /** When it counts, and when it was recorded, in milliseconds since the Unix epoch. */
  readonly timeMs: number
  readonly recordedMs: number
  /** What it has on record. */
  readonly recorded: readonly Tally[]
  /** What its evidence says of the series that it has nothing on record of. */
  readonly found: readonly ClearTally[]
}

/** Evaluations whose evidence is forgotten count in what they have on record. */
export function foldTallies(
  { series }: TalliesOrder,
  _: Matcher,
): Fold<readonly TalliedEvaluation[]> {
  const tallied: TalliedEvaluation[] = []
  const flagged = series.filter(({ source }) => source === 'flagged')
  const ids = new Set(series.map(({ id }) => id))
  return {
    needs: { record: true, evidence: true },
    add: ({ body, record, recorded: evidence }) => {
      if (!record) return
      const recorded = (record.tallies ?? []).filter(([id]) => ids.has(id))
      const known = new Set(recorded.map(([id]) => id))
      const open = series.filter(({ id }) => !known.has(id))
      const counts = body.verdict === 'FLAG' ? open : open.filter((one) => !flagged.includes(one))
      const found = evidence ? listClearTallies(counts, readValues(evidence, body.flow_id)) : []
      if (recorded.length + found.length === 0) return
      const { at, time: timeMs, recorded: recordedMs } = body
      tallied.push({ at, timeMs, recordedMs, recorded, found })
    },
    take: () => tallied,
  }
}
