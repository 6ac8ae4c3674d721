/** Declares the route for the usage of a rule: recipes and flows that name it, recent outcomes. */

import { idPrefixes } from '../../domain/ids.ts'
import { findUsageOfRule, ruleUsageSchema } from '../../queries/analysis/ruleUsage.ts'
import { seen } from '../request/answer.ts'
import { defineRoute } from '../request/defineRoute.ts'
import { askingQuery } from '../request/queryReader.ts'
import { accountAccess, type Route, type Served } from '../request/route.ts'

/** `GET /v2/watch/management/rules/{id}/usage`. */
export function usageRoutes({ authenticate, context }: Served): readonly Route[] {
  return [
    defineRoute({
      method: 'GET',
      path: '/v2/watch/management/rules/{id}/usage',
      operationId: 'getRuleUsage',
      summary:
        'Show the recipes and flows that use a rule, and its outcomes of the last seven days',
      tag: 'Authoring',
      kind: 'read',
      access: accountAccess(authenticate, 'author'),
      ids: { id: idPrefixes.rule },
      query: askingQuery,
      answers: { 200: { description: 'The usage.', schema: ruleUsageSchema } },
      failures: ['invalid_request', 'access_not_enabled'],
      serve: async ({ call, ids, query }) =>
        seen(await findUsageOfRule(context, call, { ruleId: ids.id, ...query })),
    }),
  ]
}
