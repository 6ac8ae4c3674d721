/** Folds evaluations into what each counts in, as recorded or by its opened evidence. */

import type { CounterSeries } from '../../../engine/language/counters.ts'
import { readValues } from '../../../state/evaluation/counterKeys.ts'
import { listClearTallies, type TalliedEvaluation } from '../../../state/evaluation/listTallies.ts'
import type { Fold } from './folds.ts'
import type { ScannedEvaluation } from './scanNames.ts'
import type { Matcher } from './where.ts'

export interface TalliesOrder {
  /** Of evaluations, or of those that flagged. */
  readonly series: readonly CounterSeries[]
}

/** Evaluations whose evidence is forgotten count in what they have on record. */
export function foldTallies(
  { series }: TalliesOrder,
  _: Matcher,
): Fold<readonly TalliedEvaluation[]> {
  const tallied: TalliedEvaluation[] = []
  const flagged = series.filter(({ source }) => source === 'flagged')
  const ids = new Set(series.map(({ id }) => id))
  /** Those that it may count in and has nothing on record of. */
  const listOpen = ({ body, record }: ScannedEvaluation): readonly CounterSeries[] => {
    const known = new Set((record?.tallies ?? []).map(([id]) => id))
    const open = series.filter(({ id }) => !known.has(id))
    return body.verdict === 'FLAG' ? open : open.filter((one) => !flagged.includes(one))
  }
  return {
    needs: { record: true, recorded: true },
    opens: (one) => listOpen(one).length > 0,
    add: (one) => {
      const { body, record, recorded: evidence } = one
      const recorded = (record?.tallies ?? []).filter(([id]) => ids.has(id))
      const found = evidence
        ? listClearTallies(listOpen(one), readValues(evidence, body.flow_id))
        : []
      if (recorded.length + found.length === 0) return
      const { at, time: timeMs, recorded: recordedMs } = body
      tallied.push({ at, timeMs, recordedMs, recorded, found })
    },
    take: () => tallied,
  }
}
