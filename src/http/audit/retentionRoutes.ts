/** Declares the routes for the retention period of evaluation evidence: show, set and end it. */

import {
  endRetention,
  retentionInputSchema,
  retentionSchema,
  setRetention,
} from '../../commands/audit/retention.ts'
import { findRetention } from '../../queries/audit/evidenceRetention.ts'
import { commandAnswer, noContentAnswer } from '../request/answer.ts'
import { schemaBody } from '../request/body/bodyReader.ts'
import { defineRoute } from '../request/defineRoute.ts'
import { accountAccess, type Route } from '../request/route.ts'

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
    failures: [],
    serve: async ({ context, call }) => ({ status: 200, body: await findRetention(context, call) }),
  }),
  defineRoute({
    ...common,
    method: 'PUT',
    operationId: 'setRetention',
    summary:
      'Erase the evidence of evaluations older than this; verdicts and statistics stay. Runs every hour, oldest evaluations first',
    kind: 'write',
    body: schemaBody(retentionInputSchema),
    answers: { 200: { description: 'The retention.', schema: retentionSchema } },
    failures: ['conflict'],
    serve: async ({ context, call, body }) =>
      commandAnswer(200, await setRetention(context, call, body)),
  }),
  defineRoute({
    ...common,
    method: 'DELETE',
    operationId: 'endRetention',
    summary: 'Keep evidence indefinitely; erased evidence stays erased',
    kind: 'write',
    answers: { 204: { description: 'Evidence is no longer erased by age; idempotent.' } },
    failures: ['conflict'],
    serve: async ({ context, call }) => noContentAnswer(await endRetention(context, call)),
  }),
]
