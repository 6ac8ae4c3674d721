/** Declares the routes for the list of events and keys recorded as lost from the history. */

import { optional, type Schema } from '../../domain/schema.ts'
import { keyLossReasons, type LossView, listLosses } from '../../queries/audit/losses.ts'
import { noBody } from '../request/body/bodyReader.ts'
import { defineRoute } from '../request/defineRoute.ts'
import { noQuery } from '../request/queryReader.ts'
import { accountAccess, type Route, type Served } from '../request/route.ts'
import { viewSchema } from '../request/schema/fields.ts'

const position: Schema = { type: 'string', pattern: '^[0-9]+$' }
const time: Schema = { type: 'string', format: 'date-time' }

const loss: Schema = viewSchema<LossView>('Loss', {
  lost: {
    type: 'string',
    enum: ['events', 'keys'],
    description:
      '`events`: part of the history is lost. `keys`: some personal data can no longer be opened, though it was not erased.',
  },
  accepted_at: time,
  position: { ...position, description: 'Position of the record of the loss.' },
  kept_position: optional({ ...position, description: 'For events: where the log ended.' }),
  first_position: optional({
    ...position,
    description: 'For events: the first lost position; absent when unknown.',
  }),
  last_position: optional({ ...position, description: 'For events: the last lost position.' }),
  reason: optional({
    type: 'string',
    enum: [...keyLossReasons],
    description: 'For keys: why they are lost.',
  }),
})

const lossListSchema: Schema = viewSchema<{ readonly losses: readonly LossView[] }>('LossList', {
  losses: { type: 'array', items: loss },
})

/** `GET /v2/watch/losses`. */
export function lossRoutes({ authenticate, context }: Served): readonly Route[] {
  return [
    defineRoute({
      method: 'GET',
      path: '/v2/watch/losses',
      operationId: 'listLosses',
      summary: 'List the losses of history that the owner of the installation accepted',
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
      serve: async () => ({ status: 200, body: { losses: await listLosses(context) } }),
    }),
  ]
}
