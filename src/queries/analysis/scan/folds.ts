/** Declares the folds of a scan by name: each makes plain data of the evaluations of a slice. */

import { foldRows, type RowsOrder } from './foldRows.ts'
import { foldRules, type RulesOrder } from './foldRules.ts'
import type { Needs, ScannedEvaluation } from './scanNames.ts'
import type { Matcher } from './where.ts'

/** Takes the evaluations of one slice that match. */
export interface Fold<Folded> {
  readonly needs: Needs
  readonly add: (one: ScannedEvaluation) => void | Promise<void>
  /** What came of them: plain data, since it goes to another thread. */
  readonly take: () => Folded
}

const folds = {
  rows: foldRows,
  rules: foldRules,
}

type Folds = typeof folds
export type FoldName = keyof Folds

/** A fold with what it is to make. */
export type FoldOrder =
  | ({ readonly kind: 'rows' } & RowsOrder)
  | ({ readonly kind: 'rules' } & RulesOrder)

/** What a fold makes of a slice. */
export type FoldedOf<Name extends FoldName> =
  ReturnType<Folds[Name]> extends Fold<infer Folded> ? Folded : never

/** Opens the fold of one slice. */
export function openFold(order: FoldOrder, matcher: Matcher): Fold<unknown> {
  const open: (order: never, matcher: Matcher) => Fold<unknown> = folds[order.kind]
  return open(order as never, matcher)
}
