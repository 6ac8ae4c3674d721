/** Lists the customer recipes that use a managed rule or recipe. */

import { recipeCollection } from '../../../projections/rulebook/currentVersions.ts'
import { managedUseCollection } from '../../../projections/rulebook/managedUses.ts'
import {
  getDocument,
  type Readers,
  readDocumentPages,
} from '../../../projections/running/documents.ts'

/** Uses read at a time. */
const pageMax = 500

/** Ids of recipes that name the managed rule, or extend the managed recipe, of this id now; at most `max`. */
export async function listRecipesUsing(
  readers: Readers,
  id: string,
  max: number,
): Promise<readonly string[]> {
  const prefix = `${id}/`
  const users: string[] = []
  const question = { where: { id: { prefix } } }
  // recipes that use it or once did
  const reading = { question, readAtOnce: pageMax }
  for await (const page of readDocumentPages(readers, managedUseCollection, reading)) {
    for (const use of page) {
      if (users.length === max) return users
      const recipe = use.id.slice(prefix.length)
      if (await isUsing(readers, recipe, id)) users.push(recipe)
    }
  }
  return users
}

async function isUsing(readers: Readers, recipeId: string, id: string): Promise<boolean> {
  const found = await getDocument(readers, recipeCollection, recipeId)
  if (!found) return false
  const { base_recipe_id, rules } = found.body
  return base_recipe_id === id || rules.some(({ rule_id }) => rule_id === id)
}
