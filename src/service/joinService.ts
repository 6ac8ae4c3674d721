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
import { authorsOf, flowKind, recipeKind, ruleKind } from './rulebooks.ts'
import { openShelfWriter } from './shelfWriter.ts'
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
  const authors = authorsOf(house)
  const recipes = recipeKind(managedRulebook(house))
  return {
    authenticate: openAuthentication(house, operatorTokenHash),
    operator: { ...openOperator(house), ...openAccounts(house), ...openProjections(house) },
    managed: openManaged(house),
    rules: {
      ...guardManaged(house, 'rules', openShelfWriter(house, ruleKind, authors)),
      ...openShelfQuestions(house, { shelf: shelves.rules, prefix: 'rul' }, authors),
    },
    recipes: {
      ...guardManaged(house, 'recipes', openShelfWriter(house, recipes, authors)),
      ...openShelfQuestions(house, { shelf: shelves.recipes, prefix: 'rcp' }, authors),
    },
    flows: {
      ...openShelfWriter(house, flowKind, authors),
      ...openShelfQuestions(house, { shelf: shelves.flows, prefix: 'flo' }, authors),
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
