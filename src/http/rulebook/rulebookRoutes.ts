/** Declares the routes of the rulebook: rules, recipes, flows, managed ones, changes, signals. */

import { flowDefinition } from '../../commands/rulebook/flows.ts'
import {
  managedRecipeDefinition,
  managedRecipeFields,
  offeredRecipeFields,
} from '../../commands/rulebook/managed/managedRecipes.ts'
import {
  managedRuleDefinition,
  managedRuleFields,
} from '../../commands/rulebook/managed/managedRules.ts'
import { recipeDefinition } from '../../commands/rulebook/recipes.ts'
import { ruleDefinition } from '../../commands/rulebook/rules.ts'
import { openObject, pageSchema, type Schema, text } from '../../domain/jsonSchema.ts'
import type { AccountPrincipal } from '../../domain/principal.ts'
import {
  authoredFlows,
  authoredRecipes,
  authoredRules,
  listResources,
  managedRecipes,
  managedRules,
  offeredRecipes,
  offeredRules,
  type Resources,
} from '../../queries/rulebook/resources.ts'
import { listSignals, signalListSchema } from '../../queries/rulebook/signals.ts'
import { accountAccess, operatorAccess } from '../request/access.ts'
import { pageAnswer } from '../request/answer.ts'
import { pageQuery } from '../request/queryReader.ts'
import { defineRoute, type Route } from '../request/route.ts'
import { resourceRoutes, toPascalCase } from './resourceRoutes.ts'
import { buildResourceSchemas, flowSchemas, recipeSchemas, ruleSchemas } from './resourceSchemas.ts'
import { rulebookChangeRoute } from './rulebookChangeRoute.ts'

const managedRuleSchemas = buildResourceSchemas({
  title: 'ManagedRule',
  plural: 'rules',
  ...managedRuleFields,
})

const managedRecipeSchemas = buildResourceSchemas({
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

/**
 * `/v2/watch/management/{rules|recipes|flows|changes|signals}` and `/v2/operator/managed/{rules|recipes}`. The lists
 * `…/management/{rules|recipes}/managed` come before the resources whose ids they would be.
 */
export const rulebookRoutes: readonly Route[] = [
  offeredRoute({ noun: 'rule', of: offeredRules, page: offeredRulePage }),
  ...resourceRoutes({
    ...operatorsResource('rule'),
    kind: managedRuleDefinition,
    of: managedRules,
    schemas: managedRuleSchemas,
    writeFailures: ['invalid_rule'],
    removeFailures: ['rule_in_use'],
  }),
  offeredRoute({ noun: 'recipe', of: offeredRecipes, page: offeredRecipePage }),
  ...resourceRoutes({
    ...operatorsResource('recipe'),
    kind: managedRecipeDefinition,
    of: managedRecipes,
    schemas: managedRecipeSchemas,
    writeFailures: [],
    removeFailures: ['recipe_in_use'],
  }),
  ...resourceRoutes({
    ...authorsResource('rules'),
    kind: ruleDefinition,
    of: authoredRules,
    schemas: ruleSchemas,
    writeFailures: ['invalid_rule', 'managed_rule_read_only'],
    removeFailures: ['rule_in_use', 'managed_rule_read_only'],
  }),
  ...resourceRoutes({
    ...authorsResource('recipes'),
    kind: recipeDefinition,
    of: authoredRecipes,
    schemas: recipeSchemas,
    writeFailures: ['managed_recipe_read_only'],
    removeFailures: ['recipe_in_use', 'managed_recipe_read_only'],
  }),
  ...resourceRoutes({
    ...authorsResource('flows'),
    kind: flowDefinition,
    of: authoredFlows,
    schemas: flowSchemas,
    writeFailures: [],
    removeFailures: [],
  }),
  rulebookChangeRoute,
  signalRoute(),
]

function authorsResource(plural: string) {
  return {
    access: accountAccess('author'),
    tag: 'Authoring',
    path: `/v2/watch/management/${plural}`,
    plural,
    failures: ['access_not_enabled'],
  } as const
}

function operatorsResource(noun: string) {
  return {
    access: operatorAccess,
    tag: 'Operator',
    path: `/v2/operator/managed/${noun}s`,
    plural: `${noun}s`,
    // the other name is that of the list for customers
    listId: `listOperator${toPascalCase(noun)}s`,
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
    operationId: `listManaged${toPascalCase(noun)}s`,
    summary: `List the managed ${noun}s that recipes may use, in the order of creation`,
    tag: 'Authoring',
    access: accountAccess('author'),
    query: pageQuery,
    answers: { 200: { description: `A page of managed ${noun}s.`, schema: page } },
    failures: ['access_not_enabled'],
    serve: ({ context, call, query }) =>
      pageAnswer(`${noun}s`, listResources(context, call, { of, ...query })),
  })
}

function signalRoute(): Route {
  return defineRoute({
    method: 'GET',
    path: '/v2/watch/management/signals',
    operationId: 'listSignals',
    summary: 'List every name that a rule can read',
    tag: 'Authoring',
    kind: 'plain',
    access: accountAccess('author'),
    answers: { 200: { description: 'The names.', schema: signalListSchema } },
    failures: ['access_not_enabled'],
    serve: async ({ context, call }) => ({
      value: { signals: await listSignals(context, call) },
    }),
  })
}
