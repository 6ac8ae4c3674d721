/** Finds the customer recipes that use a managed rule or recipe. */

import { recipeCollection } from '../../projections/rulebook/currentVersions.ts'
import { managedUseCollection } from '../../projections/rulebook/managedUses.ts'
import { getDocument, type Readers } from '../reading/documents.ts'
import { findPage } from '../reading/page.ts'

/** Uses read at a time. */
const pageMax = 500

/** Ids of recipes that name the managed rule, or extend the managed recipe, of this id now; at most `max`. */
export async function findManagedUsers(
  readers: Readers,
  id: string,
  max: number,
): Promise<readonly string[]> {
  const prefix = `${id}/`
  const users: string[] = []
  let cursor: string | undefined
  do {
    // recipes that use it or once did
    const page = await findPage(readers, managedUseCollection, {
      where: { id: { prefix } },
      limit: pageMax,
      ...(cursor !== undefined && { cursor }),
    })
    for (const use of page.items) {
      const recipe = use.id.slice(prefix.length)
      if (users.length < max && (await names(readers, recipe, id))) users.push(recipe)
    }
    cursor = page.nextCursor
  } while (cursor !== undefined && users.length < max)
  return users
}

async function names(readers: Readers, recipeId: string, id: string): Promise<boolean> {
  const found = await getDocument(readers, recipeCollection, recipeId)
  if (!found) return false
  const { base_recipe_id, rules } = found.body
  return base_recipe_id === id || rules.some(({ rule_id }) => rule_id === id)
}
