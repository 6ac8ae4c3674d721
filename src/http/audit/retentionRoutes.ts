/** Declares the routes for the retention period of evaluation evidence: show, set and end it. */

import { endRetention, retentionInputSchema, setRetention } from '../../commands/audit/retention.ts'
import { findRetention } from '../../queries/audit/evidenceRetention.ts'
import { retentionSchema } from '../../state/audit/retentionStreamType.ts'
import { accountAccess } from '../request/access.ts'
import { schemaBody } from '../request/body/bodyReader.ts'
import { defineRoute, type Route } from '../request/route.ts'

const common = {
  path: '/v2/watch/retention',
  tag: 'Audit',
  access: accountAccess('manage'),
} as const

/** `/v2/watch/retention`. */
export const retentionRoutes: readonly Route[] = [
  defineRoute({
    ...common,
    method: 'GET',
    operationId: 'getRetention',
    summary: 'Show how long the evidence of evaluations is kept, and what was erased',
    kind: 'plain',
    answers: { 200: { description: 'The retention.', schema: retentionSchema } },
    serve: async ({ context, call }) => ({ value: await findRetention(context, call) }),
  }),
  defineRoute({
    ...common,
    method: 'PUT',
    operationId: 'setRetention',
    summary:
      'Erase the evidence of evaluations older than this; verdicts and statistics stay. Runs every hour, oldest evaluations first',
    body: schemaBody(retentionInputSchema),
    answers: { 200: { description: 'The retention.', schema: retentionSchema } },
    serve: ({ context, call, body }) => setRetention(context, call, body),
  }),
  defineRoute({
    ...common,
    method: 'DELETE',
    operationId: 'endRetention',
    summary: 'Keep evidence indefinitely; erased evidence stays erased',
    answers: { 204: { description: 'Evidence is no longer erased by age; idempotent.' } },
    serve: ({ context, call }) => endRetention(context, call),
  }),
]
