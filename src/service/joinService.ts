/** Joins the parts over one house into the service that the doors call. */

import { type Metrics, openMetrics } from '../metrics/openMetrics.ts'
import { shelves } from '../queries/shelves.ts'
import type { Service } from '../service.ts'
import { openAccounts } from './accounts.ts'
import { openCompareRecipes, openListEvaluations } from './analysis.ts'
import { openAuthentication } from './authenticate.ts'
import { openEvaluation } from './evaluations.ts'
import { openFindEvaluation, openReplayEvaluation } from './evaluationViews.ts'
import { openFindRuleUsage } from './findUsage.ts'
import { type House, managedRulebook } from './house.ts'
import { openListSignals } from './listSignals.ts'
import { openManaged } from './managed.ts'
import { guardManaged } from './managedGuard.ts'
import { openOperator } from './operator.ts'
import { openProjections } from './projections.ts'
import { readinessOf } from './readiness.ts'
import { flowKind, openShelfWriter, recipeKind, ruleKind } from './rulebooks.ts'
import { openShelfQuestions } from './shelves.ts'
import { openTestFlow, openTestRule } from './tryOut.ts'

interface JoinOptions {
  readonly house: House
  /** SHA-256 of the operator's token, hexadecimal. */
  readonly operatorTokenHash: string
  readonly metrics?: Metrics
  readonly close: () => Promise<void>
}

/** The table of contents of the system. */
export function joinService(options: JoinOptions): Service {
  const { house, operatorTokenHash, close, metrics = openMetrics() } = options
  return {
    authenticate: openAuthentication(house, operatorTokenHash),
    operator: { ...openOperator(house), ...openAccounts(house), ...openProjections(house) },
    managed: openManaged(house),
    rules: {
      ...guardManaged(house, 'rules', openShelfWriter(house, ruleKind)),
      ...openShelfQuestions(house, shelves.rules, 'rul'),
    },
    recipes: {
      ...guardManaged(house, 'recipes', openShelfWriter(house, recipeKind(managedRulebook(house)))),
      ...openShelfQuestions(house, shelves.recipes, 'rcp'),
    },
    flows: {
      ...openShelfWriter(house, flowKind),
      ...openShelfQuestions(house, shelves.flows, 'flo'),
    },
    listSignals: openListSignals(house),
    findRuleUsage: openFindRuleUsage(house),
    testRule: openTestRule(house),
    testFlow: openTestFlow(house),
    evaluateFlow: openEvaluation(house, metrics.evaluated),
    findEvaluation: openFindEvaluation(house),
    listEvaluations: openListEvaluations(house),
    compareRecipes: openCompareRecipes(house),
    replayEvaluation: openReplayEvaluation(house),
    readiness: () => readinessOf(house),
    metrics,
    close,
  }
}
