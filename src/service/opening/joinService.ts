/** Joins the parts over one context into the service that the doors call. */

import { type Metrics, openMetrics } from '../../metrics/openMetrics.ts'
import { authoredResources } from '../../queries/rulebook/authoredResources.ts'
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
import { openResourceCommands } from '../rulebook/resourceCommands.ts'
import { openResourceQueries } from '../rulebook/resourceQueries.ts'
import { authorsOf, flowKind, recipeKind, ruleKind } from '../rulebook/rulebooks.ts'
import { managedRulebook, type ServiceContext } from './serviceContext.ts'

interface JoinOptions {
  readonly context: ServiceContext
  /** SHA-256 of the operator's token, hexadecimal. */
  readonly operatorTokenHash: string
  readonly metrics?: Metrics
  readonly close: () => Promise<void>
}

/** The table of contents of the system. */
export function joinService(options: JoinOptions): Service {
  const { context, operatorTokenHash, close, metrics = openMetrics() } = options
  const authors = authorsOf(context)
  const recipes = recipeKind(managedRulebook(context))
  return {
    authenticate: openAuthentication(context, operatorTokenHash),
    operator: { ...openOperator(context), ...openAccounts(context), ...openProjections(context) },
    managed: openManaged(context),
    rules: {
      ...guardManaged(context, 'rules', openResourceCommands(context, ruleKind, authors)),
      ...openResourceQueries(
        context,
        { resource: authoredResources.rules, prefix: 'rul' },
        authors,
      ),
    },
    recipes: {
      ...guardManaged(context, 'recipes', openResourceCommands(context, recipes, authors)),
      ...openResourceQueries(
        context,
        { resource: authoredResources.recipes, prefix: 'rcp' },
        authors,
      ),
    },
    flows: {
      ...openResourceCommands(context, flowKind, authors),
      ...openResourceQueries(
        context,
        { resource: authoredResources.flows, prefix: 'flo' },
        authors,
      ),
    },
    listSignals: openListSignals(context),
    findRuleUsage: openFindRuleUsage(context),
    testRule: openTestRule(context),
    testFlow: openTestFlow(context),
    evaluateFlow: openEvaluation(context, metrics.evaluated),
    findEvaluation: openFindEvaluation(context),
    listEvaluations: openListEvaluations(context),
    compareRecipes: openCompareRecipes(context),
    replayEvaluation: openReplayEvaluation(context),
    readiness: () => readinessOf(context),
    metrics,
    close,
  }
}
