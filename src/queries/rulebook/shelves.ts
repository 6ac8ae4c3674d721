/** The shelves of authors, as their API shows them. */

import { type FlowDocument, flows } from '../../projections/rulebook/flows.ts'
import { type RecipeDocument, recipes } from '../../projections/rulebook/recipes.ts'
import { type RuleDocument, rules } from '../../projections/rulebook/rules.ts'
import type { DocumentBody } from '../../stores/readStore.ts'
import { type ShelfReader, shelfReader } from '../reading/shelf.ts'

type Shown<Document> = Omit<Document, 'account'> & { readonly id: string }

export const shelves = {
  rules: shelfReader(rules, ({ id, body }) => {
    const { name, expression, version_id } = as<RuleDocument>(body)
    return { id, name, expression, version_id }
  }),
  recipes: shelfReader(recipes, ({ id, body }) => {
    const { account: _, version_id, name, status, ...content } = as<RecipeDocument>(body)
    return { id, name, status, ...content, version_id }
  }),
  flows: shelfReader(flows, ({ id, body }) => {
    const { name, recipes: members, version_id } = as<FlowDocument>(body)
    return { id, name, recipes: members, version_id }
  }),
} satisfies {
  readonly rules: ShelfReader<Shown<RuleDocument>>
  readonly recipes: ShelfReader<Shown<RecipeDocument>>
  readonly flows: ShelfReader<Shown<FlowDocument>>
}

/** The projection that fills the collection has put nothing else there. */
function as<Document>(body: DocumentBody): Document {
  return body as unknown as Document
}
