/** Folds evaluations into rows of chosen columns. */

import { isoTime } from '../../../domain/text/isoTime.ts'
import type { Fold } from './folds.ts'
import { columnNeeds, readColumn } from './rowColumns.ts'
import { addNeeds, type Matcher } from './where.ts'

export interface RowsOrder {
  readonly columns: readonly string[]
}

/** A row: the id of the evaluation and its time, then the columns. */
export interface ScanRow {
  readonly id: string
  readonly evaluated_at: string
  readonly [column: string]: unknown
}

/** A row for each evaluation, in the order of the scan. */
export function foldRows({ columns }: RowsOrder, _: Matcher): Fold<readonly ScanRow[]> {
  const rows: ScanRow[] = []
  return {
    needs: addNeeds(columns.map(columnNeeds)),
    add: (one) => {
      const { id, body } = one
      const values = columns.map((column) => [column, readColumn(column, one)] as const)
      rows.push({
        id,
        evaluated_at: isoTime(body.time),
        ...Object.fromEntries(values),
      })
    },
    take: () => rows,
  }
}
