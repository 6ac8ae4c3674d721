/** Authoring of rules, recipes and flows. */

import { idPrefixes } from '../../domain/ids.ts'
import type { AccountsPart } from '../../service/accounts/accountsPart.ts'
import type { RulebookPart } from '../../service/rulebook/rulebookPart.ts'
import type { Route } from '../request/route.ts'
import { flowSchemas, recipeSchemas, ruleSchemas } from './authoringSchemas.ts'
import { resourceRoutes } from './resourceRoutes.ts'
import { authorsResource } from './routedResource.ts'

/** `/v2/watch/management/flows`. */
export function flowRoutes(service: AccountsPart & RulebookPart): readonly Route[] {
  return resourceRoutes({
    ...authorsResource(service, 'flows'),
    resource: service.flows,
    schemas: flowSchemas,
    noun: 'flow',
    prefix: idPrefixes.flow,
    writeFailures: [],
    removeFailures: [],
  })
}

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

/** `/v2/watch/management/rules`. */
export function ruleRoutes(service: AccountsPart & RulebookPart): readonly Route[] {
  return resourceRoutes({
    ...authorsResource(service, 'rules'),
    resource: service.rules,
    schemas: ruleSchemas,
    noun: 'rule',
    prefix: idPrefixes.rule,
    writeFailures: ['invalid_rule', 'managed_rule_read_only'],
    removeFailures: ['rule_in_use', 'managed_rule_read_only'],
  })
}
