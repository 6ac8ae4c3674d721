/** What was lost from the history, for whoever must rely on it. */

import type { AccountsPart } from '../../service/accounts/accountsPart.ts'
import type { AuditPart } from '../../service/audit/auditPart.ts'
import { accountAccess } from '../request/access.ts'
import { noBody } from '../request/bodyReader.ts'
import { defineRoute } from '../request/defineRoute.ts'
import { noQuery } from '../request/queryReader.ts'
import type { Route } from '../request/route.ts'
import { lossListSchema } from './lossSchemas.ts'

/** `GET /v2/watch/losses`. */
export function lossRoutes({
  authenticate,
  listLosses,
}: AccountsPart & AuditPart): readonly Route[] {
  return [
    defineRoute({
      method: 'GET',
      path: '/v2/watch/losses',
      operationId: 'listLosses',
      summary: 'List what was lost from the history, and accepted by the owner of the installation',
      tag: 'Audit',
      kind: 'plain',
      access: accountAccess(authenticate, 'audit'),
      ids: {},
      query: noQuery,
      body: noBody,
      answers: {
        200: {
          description: 'Every loss, the oldest first; each concerns all accounts. Usually none.',
          schema: lossListSchema,
        },
      },
      failures: [],
      serve: async ({ call }) => ({ status: 200, body: { losses: await listLosses(call) } }),
    }),
  ]
}
