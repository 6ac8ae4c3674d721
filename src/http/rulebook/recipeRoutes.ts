/** Authoring of recipes. */

import { idPrefixes } from '../../domain/ids.ts'
import type { AccountsPart } from '../../service/accounts/accountsPart.ts'
import type { RulebookPart } from '../../service/rulebook/rulebookPart.ts'
import type { Route } from '../request/route.ts'
import { recipeSchemas } from './authoringSchemas.ts'
import { resourceRoutes } from './resourceRoutes.ts'
import { authorsResource } from './routedResource.ts'

/** `/v2/watch/management/recipes`. */
export function recipeRoutes(service: AccountsPart & RulebookPart): readonly Route[] {
  return resourceRoutes({
    ...authorsResource(service, 'recipes'),
    resource: service.recipes,
    schemas: recipeSchemas,
    noun: 'recipe',
    prefix: idPrefixes.recipe,
    writeFailures: ['managed_recipe_read_only'],
    removeFailures: ['recipe_in_use', 'managed_recipe_read_only'],
  })
}
