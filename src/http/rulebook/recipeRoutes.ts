/** Authoring of recipes. */

import { idPrefixes } from '../../domain/ids.ts'
import type { Service } from '../../service.ts'
import type { Route } from '../request/route.ts'
import { recipeSchemas } from './authoringSchemas.ts'
import { authorsDoor } from './shelfDoor.ts'
import { shelfRoutes } from './shelfRoutes.ts'

/** `/v2/watch/management/recipes`. */
export function recipeRoutes(service: Service): readonly Route[] {
  return shelfRoutes({
    ...authorsDoor(service, 'recipes'),
    shelf: service.recipes,
    schemas: recipeSchemas,
    noun: 'recipe',
    prefix: idPrefixes.recipe,
    writeFailures: ['managed_recipe_read_only'],
    removeFailures: ['recipe_in_use', 'managed_recipe_read_only'],
  })
}
