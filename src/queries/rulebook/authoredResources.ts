/** The resources of authors, as their API shows them. */

import { flowCollection } from '../../projections/rulebook/flows.ts'
import { recipeCollection } from '../../projections/rulebook/recipes.ts'
import { ruleCollection } from '../../projections/rulebook/rules.ts'
import { resourceReader } from '../reading/resourceReader.ts'

export const authoredResources = {
  rules: resourceReader(ruleCollection, ({ id, body: { account: _, ...shown } }) => ({
    id,
    ...shown,
  })),
  recipes: resourceReader(recipeCollection, ({ id, body: { account: _, name, ...shown } }) => {
    const { version_id, status, ...content } = shown
    return { id, name, status, ...content, version_id }
  }),
  flows: resourceReader(flowCollection, ({ id, body: { account: _, ...shown } }) => ({
    id,
    ...shown,
  })),
}
