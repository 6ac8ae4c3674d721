/** Declares the routes for the list of events and keys recorded as lost from the history. */

import { dataLossListSchema, listDataLosses } from '../../queries/audit/dataLosses.ts'
import { accountAccess } from '../request/access.ts'
import { defineRoute, type Route } from '../request/route.ts'

/** `GET /v2/watch/losses`. */
export const lossRoutes: readonly Route[] = [
  defineRoute({
    method: 'GET',
    path: '/v2/watch/losses',
    operationId: 'listLosses',
    summary: 'List the losses of history that the owner of the installation accepted',
    tag: 'Audit',
    kind: 'plain',
    access: accountAccess('audit'),
    answers: {
      200: {
        description: 'Every loss, the oldest first; each concerns all accounts. Usually none.',
        schema: dataLossListSchema,
      },
    },
    serve: async ({ context }) => ({
      value: { losses: await listDataLosses(context) },
    }),
  }),
]
