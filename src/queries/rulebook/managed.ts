/** Managed rules and recipes, as the operator sees them and as customers do. */

import {
  type ManagedRecipeDocument,
  managedRecipes,
} from '../../projections/rulebook/managedRecipes.ts'
import { type ManagedRuleDocument, managedRules } from '../../projections/rulebook/managedRules.ts'
import type { StoredDocument } from '../../stores/readStore.ts'
import { resourceReader } from '../reading/resourceReader.ts'

/** Everything. */
export const managedResources = {
  rules: resourceReader(managedRules, (document) => {
    const { account: _, ...shown } = as<ManagedRuleDocument>(document)
    return { id: document.id, ...shown }
  }),
  recipes: resourceReader(managedRecipes, (document) => {
    const { account: _, ...shown } = as<ManagedRecipeDocument>(document)
    return { id: document.id, ...shown }
  }),
}

/** Without names, expressions and the rules of recipes. */
export const managedForCustomers = {
  rules: resourceReader(managedRules, (document) => ({
    id: document.id,
    type: 'MANAGED' as const,
    description: as<ManagedRuleDocument>(document).description,
  })),
  recipes: resourceReader(managedRecipes, (document) => {
    const { description, threshold, threshold_bounds, parameters } =
      as<ManagedRecipeDocument>(document)
    return { id: document.id, description, threshold, threshold_bounds, parameters }
  }),
}

/** The projection that fills the collection has put nothing else there. */
function as<Document>({ body }: StoredDocument): Document {
  return body as unknown as Document
}
