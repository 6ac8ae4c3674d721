/** Joins the parts over one house into the service that the doors call. */

import { type Metrics, openMetrics } from '../../metrics/openMetrics.ts'
import { shelves } from '../../queries/rulebook/shelves.ts'
import type { Service } from '../../service.ts'
import { openAccounts } from '../accounts/accounts.ts'
import { openAuthentication } from '../accounts/authenticate.ts'
import { openOperator } from '../accounts/operator.ts'
import { openCompareRecipes, openListEvaluations } from '../analysis/analysis.ts'
import { openFindRuleUsage } from '../analysis/findUsage.ts'
import { openEvaluation } from '../evaluation/evaluations.ts'
import { openFindEvaluation, openReplayEvaluation } from '../evaluation/evaluationViews.ts'
import { openTestFlow, openTestRule } from '../evaluation/tryOut.ts'
import { openProjections } from '../operations/projections.ts'
import { readinessOf } from '../operations/readiness.ts'
import { openListSignals } from '../rulebook/listSignals.ts'
import { openManaged } from '../rulebook/managed.ts'
import { guardManaged } from '../rulebook/managedGuard.ts'
import { authorsOf, flowKind, recipeKind, ruleKind } from '../rulebook/rulebooks.ts'
import { openShelfWriter } from '../rulebook/shelfWriter.ts'
import { openShelfQuestions } from '../rulebook/shelves.ts'
import { type House, managedRulebook } from './house.ts'

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
