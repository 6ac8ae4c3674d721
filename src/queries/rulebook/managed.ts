/** Managed rules and recipes, as the operator sees them and as customers do. */

import { managedRecipeCollection } from '../../projections/rulebook/managedRecipes.ts'
import { managedRuleCollection } from '../../projections/rulebook/managedRules.ts'
import { resourceReader, shown } from '../reading/resourceReader.ts'

/** Everything. */
export const managedResources = {
  rules: resourceReader(managedRuleCollection, shown),
  recipes: resourceReader(managedRecipeCollection, shown),
}

/** Without names, expressions and the rules of recipes. */
export const managedForCustomers = {
  rules: resourceReader(managedRuleCollection, ({ id, body: { description } }) => ({
    id,
    type: 'MANAGED' as const,
    description,
  })),
  recipes: resourceReader(managedRecipeCollection, ({ id, body }) => {
    const { description, threshold, threshold_bounds, parameters } = body
    return { id, description, threshold, threshold_bounds, parameters }
  }),
}
