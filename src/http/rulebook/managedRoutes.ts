/** Declares the routes for managed rules and recipes: written by the operator, listed for accounts. */

import {
  managedRecipeFields,
  managedRecipeKind,
  offeredRecipeFields,
} from '../../commands/rulebook/managed/managedRecipes.ts'
import { managedRuleFields, managedRuleKind } from '../../commands/rulebook/managed/managedRules.ts'
import type { AccountPrincipal } from '../../domain/principal.ts'
import { openObject, pageSchema, type Schema, text } from '../../domain/schema.ts'
import {
  listResources,
  managedRecipes,
  managedRules,
  offeredRecipes,
  offeredRules,
  type Resources,
} from '../../queries/rulebook/resources.ts'
import { seenPage } from '../request/answer.ts'
import { defineRoute } from '../request/defineRoute.ts'
import { pageQuery } from '../request/queryReader.ts'
import { accountAccess, operatorAccess, type Route } from '../request/route.ts'
import { resourceRoutes, title } from './resourceRoutes.ts'
import { resourceSchemas } from './resourceSchemas.ts'

const managedRuleSchemas = resourceSchemas({
  title: 'ManagedRule',
  plural: 'rules',
  ...managedRuleFields,
})

const managedRecipeSchemas = resourceSchemas({
  title: 'ManagedRecipe',
  plural: 'recipes',
  ...managedRecipeFields,
})

const offeredRulePage = pageSchema(
  'OfferedRulePage',
  'rules',
  openObject('OfferedRule', { id: text, type: { const: 'MANAGED' }, description: text }),
)

const offeredRecipePage = pageSchema(
  'OfferedRecipePage',
  'recipes',
  openObject('OfferedRecipe', { id: text, ...offeredRecipeFields }),
)

/** `/v2/operator/managed/{rules|recipes}`, and `…/managed` of the customers' resources; before the routes of those, whose ids they would be. */
export const managedRoutes: readonly Route[] = [
  offeredRoute({ noun: 'rule', of: offeredRules, page: offeredRulePage }),
  ...resourceRoutes({
    ...operatorsResource('rule'),
    kind: managedRuleKind,
    of: managedRules,
    schemas: managedRuleSchemas,
    writeFailures: ['invalid_rule'],
    removeFailures: ['rule_in_use'],
  }),
  offeredRoute({ noun: 'recipe', of: offeredRecipes, page: offeredRecipePage }),
  ...resourceRoutes({
    ...operatorsResource('recipe'),
    kind: managedRecipeKind,
    of: managedRecipes,
    schemas: managedRecipeSchemas,
    writeFailures: [],
    removeFailures: ['recipe_in_use'],
  }),
]

function operatorsResource(noun: string) {
  return {
    access: operatorAccess,
    tag: 'Operator',
    path: `/v2/operator/managed/${noun}s`,
    plural: `${noun}s`,
    // the other name is that of the list for customers
    listId: `listOperator${title(noun)}s`,
    failures: [],
  }
}

interface Offer {
  readonly noun: string
  readonly of: Resources<object, AccountPrincipal>
  readonly page: Schema
}

function offeredRoute({ noun, of, page }: Offer): Route {
  return defineRoute({
    method: 'GET',
    path: `/v2/watch/management/${noun}s/managed`,
    operationId: `listManaged${title(noun)}s`,
    summary: `List the managed ${noun}s that recipes may use, in the order of creation`,
    tag: 'Authoring',
    kind: 'read',
    access: accountAccess('author'),
    query: pageQuery,
    answers: { 200: { description: `A page of managed ${noun}s.`, schema: page } },
    failures: ['invalid_request', 'access_not_enabled'],
    serve: async ({ context, call, query }) =>
      seenPage(`${noun}s`, await listResources(context, call, { of, ...query })),
  })
}
