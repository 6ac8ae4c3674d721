/** Declares the routes of the rulebook: rules, recipes, flows, managed ones, changes, signals. */

import {
  managedRecipeDefinition,
  managedRecipeFields,
  offeredRecipeFields,
} from '../../commands/rulebook/managed/managedRecipes.ts'
import {
  managedRuleDefinition,
  managedRuleFields,
} from '../../commands/rulebook/managed/managedRules.ts'
import { type FieldTable, openObject, pageSchema, text } from '../../domain/jsonSchema.ts'
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
import { flowDefinition, flowFields } from '../../state/rulebook/flows.ts'
import { recipeDefinition, recipeFields } from '../../state/rulebook/recipes.ts'
import { ruleDefinition, ruleFields } from '../../state/rulebook/rules.ts'
import { accountAccess, operatorAccess } from '../request/access.ts'
import { pageAnswer } from '../request/answer.ts'
import { pageQuery } from '../request/queryReader.ts'
import { defineRoute, type Route } from '../request/route.ts'
import { defineResourceRoutes, toPascalCase } from './resourceRoutes.ts'
import { buildResourceSchemas } from './resourceSchemas.ts'
import { rulebookChangeRoute } from './rulebookChangeRoute.ts'

/**
 * `/v2/watch/management/{rules|recipes|flows|changes|signals}` and `/v2/operator/managed/{rules|recipes}`. The lists
 * `…/management/{rules|recipes}/managed` come before the resources whose ids they would be.
 */
export const rulebookRoutes: readonly Route[] = [
  defineOfferedRoute('rule', offeredRules, {
    id: text,
    type: { const: 'MANAGED' },
    description: text,
  }),
  ...defineResourceRoutes({
    ...buildOperatorResource('rule'),
    kind: managedRuleDefinition,
    of: managedRules,
    schemas: buildResourceSchemas('ManagedRule', 'rules', managedRuleFields),
    writeFailures: ['invalid_rule'],
    removeFailures: ['rule_in_use'],
  }),
  defineOfferedRoute('recipe', offeredRecipes, { id: text, ...offeredRecipeFields }),
  ...defineResourceRoutes({
    ...buildOperatorResource('recipe'),
    kind: managedRecipeDefinition,
    of: managedRecipes,
    schemas: buildResourceSchemas('ManagedRecipe', 'recipes', managedRecipeFields),
    removeFailures: ['recipe_in_use'],
  }),
  ...defineResourceRoutes({
    ...buildAuthorResource('rules'),
    kind: ruleDefinition,
    of: authoredRules,
    schemas: buildResourceSchemas('Rule', 'rules', { input: ruleFields, view: ruleFields }),
    writeFailures: ['invalid_rule', 'managed_rule_read_only'],
    removeFailures: ['rule_in_use', 'managed_rule_read_only'],
  }),
  ...defineResourceRoutes({
    ...buildAuthorResource('recipes'),
    kind: recipeDefinition,
    of: authoredRecipes,
    schemas: buildResourceSchemas('Recipe', 'recipes', { input: recipeFields, view: recipeFields }),
    writeFailures: ['managed_recipe_read_only'],
    removeFailures: ['recipe_in_use', 'managed_recipe_read_only'],
  }),
  ...defineResourceRoutes({
    ...buildAuthorResource('flows'),
    kind: flowDefinition,
    of: authoredFlows,
    schemas: buildResourceSchemas('Flow', 'flows', { input: flowFields, view: flowFields }),
  }),
  rulebookChangeRoute,
  defineRoute({
    method: 'GET',
    path: '/v2/watch/management/signals',
    operationId: 'listSignals',
    summary: 'List every name that a rule can read',
    tag: 'Authoring',
    kind: 'plain',
    access: accountAccess('author'),
    answers: { 200: { description: 'The names.', schema: signalListSchema } },
    failures: ['access_not_enabled'],
    serve: async ({ context, call }) => ({ value: { signals: await listSignals(context, call) } }),
  }),
]

function buildAuthorResource(plural: string) {
  return {
    access: accountAccess('author'),
    tag: 'Authoring',
    path: `/v2/watch/management/${plural}`,
    plural,
    failures: ['access_not_enabled'],
  } as const
}

function buildOperatorResource(noun: string) {
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

function defineOfferedRoute(
  noun: 'rule' | 'recipe',
  of: Resources<object, AccountPrincipal>,
  fields: FieldTable,
): Route {
  const name = toPascalCase(noun)
  const schema = pageSchema(`Offered${name}Page`, `${noun}s`, openObject(`Offered${name}`, fields))
  return defineRoute({
    method: 'GET',
    path: `/v2/watch/management/${noun}s/managed`,
    operationId: `listManaged${name}s`,
    summary: `List the managed ${noun}s that recipes may use, in the order of creation`,
    tag: 'Authoring',
    access: accountAccess('author'),
    query: pageQuery,
    answers: { 200: { description: `A page of managed ${noun}s.`, schema } },
    failures: ['access_not_enabled'],
    serve: ({ context, call, query }) =>
      pageAnswer(`${noun}s`, listResources(context, call, { of, ...query })),
  })
}
