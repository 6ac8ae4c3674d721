/** Declares the folds of a scan by name: each makes plain data of the evaluations of a slice. */

import type { LoadContext } from '../../../domain/load/scheduler.ts'
import type { CompiledPlanCache } from '../../../state/evaluation/flowPlanCache.ts'
import { type BacktestOrder, foldBacktest } from './foldBacktest.ts'
import { type ComparisonOrder, foldComparison } from './foldComparison.ts'
import { type CountsOrder, foldCounts } from './foldCounts.ts'
import { foldFound } from './foldFound.ts'
import { foldMissing } from './foldMissing.ts'
import { foldRows, type RowsOrder } from './foldRows.ts'
import { foldRules } from './foldRules.ts'
import { foldTallies, type TalliesOrder } from './foldTallies.ts'
import { foldTop, type TopOrder } from './foldTop.ts'
import type { Needs, ScannedEvaluation } from './scanNames.ts'
import type { Matcher } from './where.ts'

/** Takes the evaluations of one slice that match. */
export interface Fold<Folded> {
  readonly needs: Needs
  /** Whether the evidence of one whose event is read is opened; of all unless given. */
  readonly opens?: (one: ScannedEvaluation) => boolean
  readonly add: (one: ScannedEvaluation) => void | Promise<void>
  /** What came of them: plain data, since it goes to another thread. */
  readonly take: () => Folded
  /** Whether the slice is to end; by its own limits alone unless given. */
  readonly isFull?: () => boolean
}

/** What folds take of the thread that scans. */
export interface FoldContext extends LoadContext {
  readonly compiledPlans: CompiledPlanCache
}

const folds = {
  rows: foldRows,
  found: foldFound,
  backtest: foldBacktest,
  rules: foldRules,
  comparison: foldComparison,
  top: foldTop,
  missing: foldMissing,
  counts: foldCounts,
  tallies: foldTallies,
}

type Folds = typeof folds
export type FoldName = keyof Folds

/** A fold with what it is to make. */
export type FoldOrder =
  | ({ readonly kind: 'rows' } & RowsOrder)
  | ({ readonly kind: 'backtest' } & BacktestOrder)
  | { readonly kind: 'found' }
  | { readonly kind: 'rules' }
  | ({ readonly kind: 'comparison' } & ComparisonOrder)
  | ({ readonly kind: 'top' } & TopOrder)
  | { readonly kind: 'missing' }
  | ({ readonly kind: 'counts' } & CountsOrder)
  | ({ readonly kind: 'tallies' } & TalliesOrder)

/** What a fold makes of a slice. */
export type FoldedOf<Name extends FoldName> =
  ReturnType<Folds[Name]> extends Fold<infer Folded> ? Folded : never

/** Opens the fold of one slice. */
export function openFold(order: FoldOrder, matcher: Matcher, context: FoldContext): Fold<unknown> {
  const open = folds[order.kind] as (...given: Parameters<typeof openFold>) => Fold<unknown>
  return open(order, matcher, context)
}
