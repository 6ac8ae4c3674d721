/** Folds evaluations into what lists show of them. */

import type { EvaluationWithPlan } from '../../evaluation/evaluationsByPosition.ts'
import type { LaterReports } from '../evaluationSearch.ts'
import type { Fold } from './folds.ts'

/** An evaluation with what was reported of it later. */
export interface FoundEvaluation extends EvaluationWithPlan {
  readonly reports: LaterReports
}

/** Each evaluation, in the order of the scan. */
export function foldFound(): Fold<readonly FoundEvaluation[]> {
  const found: FoundEvaluation[] = []
  return {
    needs: { reports: true },
    add: ({ id, body, planDocument: plan, reports = { followed_by: [] } }) => {
      found.push({ id, body, plan, reports })
    },
    take: () => found,
  }
}
