/** Declares the routes for rules, recipes and flows, and the list of signals that rules can read. */

import { flowKind } from '../../commands/rulebook/flows.ts'
import { recipeKind } from '../../commands/rulebook/recipes.ts'
import { ruleKind } from '../../commands/rulebook/rules.ts'
import { authoredFlows, authoredRecipes, authoredRules } from '../../queries/rulebook/resources.ts'
import { listSignals, signalListSchema } from '../../queries/rulebook/signals.ts'
import { defineRoute } from '../request/defineRoute.ts'
import { accountAccess, type Route } from '../request/route.ts'
import { resourceRoutes } from './resourceRoutes.ts'
import { flowSchemas, recipeSchemas, ruleSchemas } from './resourceSchemas.ts'

function authorsResource(plural: string) {
  return {
    access: accountAccess('author'),
    tag: 'Authoring',
    path: `/v2/watch/management/${plural}`,
    plural,
    failures: ['access_not_enabled'],
  } as const
}

/** `/v2/watch/management/flows`. */
export const flowRoutes: readonly Route[] = resourceRoutes({
  ...authorsResource('flows'),
  kind: flowKind,
  of: authoredFlows,
  schemas: flowSchemas,
  writeFailures: [],
  removeFailures: [],
})

/** `/v2/watch/management/recipes`. */
export const recipeRoutes: readonly Route[] = resourceRoutes({
  ...authorsResource('recipes'),
  kind: recipeKind,
  of: authoredRecipes,
  schemas: recipeSchemas,
  writeFailures: ['managed_recipe_read_only'],
  removeFailures: ['recipe_in_use', 'managed_recipe_read_only'],
})

/** `/v2/watch/management/rules`. */
export const ruleRoutes: readonly Route[] = resourceRoutes({
  ...authorsResource('rules'),
  kind: ruleKind,
  of: authoredRules,
  schemas: ruleSchemas,
  writeFailures: ['invalid_rule', 'managed_rule_read_only'],
  removeFailures: ['rule_in_use', 'managed_rule_read_only'],
})

/** `GET /v2/watch/management/signals`. */
export const signalRoutes: readonly Route[] = [
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
    serve: async ({ context, call }) => ({
      status: 200,
      body: { signals: await listSignals(context, call) },
    }),
  }),
]
