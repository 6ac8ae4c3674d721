/** What a rule is used for. */

import { idPrefixes } from '../../domain/ids.ts'
import type { AccountsPart } from '../../service/accounts/accountsPart.ts'
import type { AnalysisPart } from '../../service/analysis/analysisPart.ts'
import { accountAccess } from '../request/access.ts'
import { seen } from '../request/answer.ts'
import { noBody } from '../request/bodyReader.ts'
import { defineRoute } from '../request/defineRoute.ts'
import { askingQuery } from '../request/queryReader.ts'
import type { Route } from '../request/route.ts'
import { ruleUsageSchema } from './usageSchemas.ts'

/** `GET /v2/watch/management/rules/{id}/usage`. */
export function usageRoutes({
  authenticate,
  findRuleUsage,
}: AccountsPart & AnalysisPart): readonly Route[] {
  return [
    defineRoute({
      method: 'GET',
      path: '/v2/watch/management/rules/{id}/usage',
      operationId: 'getRuleUsage',
      summary: 'Who names a rule, and its outcomes of the last seven days',
      tag: 'Authoring',
      kind: 'read',
      access: accountAccess(authenticate, 'author'),
      ids: { id: idPrefixes.rule },
      query: askingQuery,
      body: noBody,
      answers: { 200: { description: 'The usage.', schema: ruleUsageSchema } },
      failures: ['invalid_request', 'access_not_enabled'],
      serve: async ({ call, ids, query }) => seen(await findRuleUsage(call, ids.id, query)),
    }),
  ]
}
