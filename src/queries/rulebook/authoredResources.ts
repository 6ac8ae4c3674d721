/** The resources of authors, as their API shows them. */

import { type FlowDocument, flows } from '../../projections/rulebook/flows.ts'
import { type RecipeDocument, recipes } from '../../projections/rulebook/recipes.ts'
import { type RuleDocument, rules } from '../../projections/rulebook/rules.ts'
import type { DocumentBody } from '../../stores/readStore.ts'
import { type ResourceReader, resourceReader } from '../reading/resourceReader.ts'

type Shown<Document> = Omit<Document, 'account'> & { readonly id: string }

export const authoredResources = {
  rules: resourceReader(rules, ({ id, body }) => {
    const { name, expression, version_id } = as<RuleDocument>(body)
    return { id, name, expression, version_id }
  }),
  recipes: resourceReader(recipes, ({ id, body }) => {
    const { account: _, version_id, name, status, ...content } = as<RecipeDocument>(body)
    return { id, name, status, ...content, version_id }
  }),
  flows: resourceReader(flows, ({ id, body }) => {
    const { name, recipes: members, version_id } = as<FlowDocument>(body)
    return { id, name, recipes: members, version_id }
  }),
} satisfies {
  readonly rules: ResourceReader<Shown<RuleDocument>>
  readonly recipes: ResourceReader<Shown<RecipeDocument>>
  readonly flows: ResourceReader<Shown<FlowDocument>>
}

/** The projection that fills the collection has put nothing else there. */
function as<Document>(body: DocumentBody): Document {
  return body as unknown as Document
}
