/** Counts evaluations by what was answered, and what the flow of today and a draft would. */

import type { LabelMeaning } from '../../../domain/evaluation/labelClasses.ts'
import type { Verdict } from '../../../engine/run/result.ts'
import {
  addToRows,
  type BacktestRow,
  type BacktestRows,
  type ChangedVerdict,
} from '../../../events/analysis/backtest.ts'
import type { Judged, Judgement } from './judgePlan.ts'

type LabelClass = LabelMeaning | 'unlabelled'

/** An evaluation, judged. */
export interface JudgedEvaluation {
  readonly id: string
  readonly answered: Verdict
  /** Undefined where nothing but the draft is judged. */
  readonly unchanged: Judged | undefined
  readonly draft: Judgement
  readonly label: LabelMeaning | undefined
}

export interface FoldedBacktest {
  readonly rows: readonly BacktestRow[]
  readonly changed: readonly ChangedVerdict[]
  /** Evaluations whose evidence has been erased. */
  readonly forgotten: number
}

type RowKey = Pick<BacktestRow, 'answered' | 'unchanged' | 'draft'>

/** Sums up what was judged, until it is taken. */
export function openTally() {
  const rows: BacktestRows = new Map()
  const changed: ChangedVerdict[] = []
  return {
    add: ({ id, answered, unchanged, draft, label }: JudgedEvaluation): void => {
      const verdicts: RowKey = { answered, ...(unchanged && { unchanged }), draft: draft.verdict }
      const one = (of: LabelClass) => Number((label ?? 'unlabelled') === of)
      const partial = Number(draft.isPartial)
      const labels = { fraud: one('fraud'), legitimate: one('legitimate') }
      const counts = { evaluations: 1, partial, ...labels, unlabelled: one('unlabelled') }
      addToRows(rows, { ...verdicts, ...counts })
      if (isChanged(verdicts))
        changed.push({ id, ...verdicts, ...(label && { label_class: label }) })
    },
    take: (): Omit<FoldedBacktest, 'forgotten'> => ({ rows: [...rows.values()], changed }),
  }
}

function isChanged({ answered, unchanged = answered, draft }: RowKey): boolean {
  const known = [answered, unchanged, draft].filter((verdict) => verdict !== 'NOT_EVALUATED')
  return new Set(known).size > 1
}
