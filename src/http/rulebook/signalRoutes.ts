/** Routes the list of the names that rules can read. */

import { listSignals } from '../../queries/rulebook/signals.ts'
import { noBody } from '../request/bodyReader.ts'
import { defineRoute } from '../request/defineRoute.ts'
import { noQuery } from '../request/queryReader.ts'
import { accountAccess, type Route, type Served } from '../request/route.ts'
import { signalListSchema } from './authoringSchemas.ts'

/** `GET /v2/watch/management/signals`. */
export function signalRoutes({ context, authenticate }: Served): readonly Route[] {
  return [
    defineRoute({
      method: 'GET',
      path: '/v2/watch/management/signals',
      operationId: 'listSignals',
      summary: 'List every name that a rule can read',
      tag: 'Authoring',
      kind: 'plain',
      access: accountAccess(authenticate, 'author'),
      ids: {},
      query: noQuery,
      body: noBody,
      answers: { 200: { description: 'The names.', schema: signalListSchema } },
      failures: ['access_not_enabled'],
      serve: async ({ call }) => ({
        status: 200,
        body: { signals: await listSignals(context, call) },
      }),
    }),
  ]
}
