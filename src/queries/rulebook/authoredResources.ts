/** The resources of authors, as their API shows them. */

import { flowCollection } from '../../projections/rulebook/flows.ts'
import { recipeCollection } from '../../projections/rulebook/recipes.ts'
import { ruleCollection } from '../../projections/rulebook/rules.ts'
import { resourceReader, shown } from '../reading/resourceReader.ts'

export const authoredResources = {
  rules: resourceReader(ruleCollection, shown),
  recipes: resourceReader(recipeCollection, (found) => {
    const { id, name, status, version_id, ...content } = shown(found)
    return { id, name, status, ...content, version_id }
  }),
  flows: resourceReader(flowCollection, shown),
}
