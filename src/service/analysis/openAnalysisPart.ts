/** Opens the analysis' part of the service. */

import type { ServiceContext } from '../opening/serviceContext.ts'
import { openCompareRecipes, openListEvaluations, openSearchEvaluations } from './analysis.ts'
import type { AnalysisPart } from './analysisPart.ts'
import { openFindRuleUsage } from './findUsage.ts'

export function openAnalysisPart(context: ServiceContext): AnalysisPart {
  return {
    findRuleUsage: openFindRuleUsage(context),
    listEvaluations: openListEvaluations(context),
    searchEvaluations: openSearchEvaluations(context),
    compareRecipes: openCompareRecipes(context),
  }
}
