/** Counts evaluations by what was answered, and what the flow of today and a draft would. */

import type { LabelMeaning } from '../../../domain/evaluation/labelClasses.ts'
import type { Verdict } from '../../../engine/run/result.ts'
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

/** Evaluations of the same three verdicts. */
export interface BacktestRow {
  readonly answered: Verdict
  readonly unchanged?: Judged
  readonly draft: Judged
  readonly evaluations: number
  /** Of these, those in which a rule of the draft was not evaluated. */
  readonly partial: number
  readonly fraud: number
  readonly legitimate: number
  readonly unlabelled: number
}

/** An evaluation in which the verdicts that are known are not all the same. */
export interface ChangedVerdict {
  readonly id: string
  readonly answered: Verdict
  readonly unchanged?: Judged
  readonly draft: Judged
  readonly label_class?: LabelMeaning
}

export interface FoldedBacktest {
  readonly rows: readonly BacktestRow[]
  readonly changed: readonly ChangedVerdict[]
  /** Evaluations whose evidence has been erased. */
  readonly forgotten: number
}

type RowKey = Pick<BacktestRow, 'answered' | 'unchanged' | 'draft'>

/** Sums of rows by their verdicts. */
export type BacktestRows = Map<string, BacktestRow>

export function addToRows(rows: BacktestRows, row: BacktestRow): void {
  const { answered, unchanged, draft } = row
  const key = `${answered} ${unchanged} ${draft}`
  const sum = rows.get(key)
  rows.set(key, {
    ...row,
    evaluations: row.evaluations + (sum?.evaluations ?? 0),
    partial: row.partial + (sum?.partial ?? 0),
    fraud: row.fraud + (sum?.fraud ?? 0),
    legitimate: row.legitimate + (sum?.legitimate ?? 0),
    unlabelled: row.unlabelled + (sum?.unlabelled ?? 0),
  })
}

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
