/** Routes several changes of a rulebook at once. */

import { changeRulebook } from '../../commands/rulebook/changes/changeRulebook.ts'
import { written } from '../request/answer.ts'
import { readableBody } from '../request/bodyReader.ts'
import { defineRoute } from '../request/defineRoute.ts'
import { noQuery } from '../request/queryReader.ts'
import { accountAccess, type Route, type Served } from '../request/route.ts'
import { changedRulebookSchema, rulebookChangesSchema } from './changeSchemas.ts'
import { readChanges } from './readChanges.ts'

/** `POST /v2/watch/management/changes`. */
export function changeRoutes(served: Served): readonly Route[] {
  return [
    defineRoute({
      method: 'POST',
      path: '/v2/watch/management/changes',
      operationId: 'changeRulebook',
      summary:
        'Make several changes of lists, rules, recipes and flows at once, all of them or none',
      tag: 'Authoring',
      kind: 'write',
      access: accountAccess(served.authenticate, 'author'),
      ids: {},
      query: noQuery,
      body: readableBody(rulebookChangesSchema, 'batch', readChanges),
      answers: { 200: { description: 'What became of each.', schema: changedRulebookSchema } },
      failures: [
        'access_not_enabled',
        'invalid_rule',
        'managed_rule_read_only',
        'managed_recipe_read_only',
        'not_found',
        'conflict',
        'rule_in_use',
        'recipe_in_use',
        'list_in_use',
        'precondition_failed',
      ],
      serve: async ({ call, body }) =>
        written(200, await changeRulebook(served.context, call, body)),
    }),
  ]
}
