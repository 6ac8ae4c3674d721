/** Declares the routes for the retention period of evaluation evidence: show, set and end it. */

import {
  endRetention,
  type RetentionInput,
  type RetentionView,
  setRetention,
} from '../../commands/audit/retention.ts'
import { count, optional, type Schema, timeText } from '../../domain/schema.ts'
import { findRetention } from '../../queries/audit/erasures.ts'
import { removed, written } from '../request/answer.ts'
import { noBody, schemaBody } from '../request/body/bodyReader.ts'
import { defineRoute } from '../request/defineRoute.ts'
import { noQuery } from '../request/queryReader.ts'
import { accountAccess, type Route, type Served } from '../request/route.ts'
import { inputSchema, viewSchema } from '../request/schema/fields.ts'

const days: Schema = {
  type: 'integer',
  minimum: 1,
  maximum: 36_500,
  description: 'Older evidence is erased, at most 30 days later: a sealing key covers that long.',
}

const retentionInputSchema: Schema = inputSchema<RetentionInput>('RetentionInput', {
  evaluations_days: days,
})

const retentionSchema: Schema = viewSchema<RetentionView>('Retention', {
  evaluations_days: optional({ ...days, description: 'Absent while evidence is kept for ever.' }),
  erased_until: optional({
    ...timeText,
    description: 'The evidence of evaluations up to this time is erased.',
  }),
  evaluations_erased: { ...count, description: 'Number since the retention was set.' },
  keys_destroyed: { ...count, description: 'Number since the retention was set.' },
})

/** `/v2/watch/retention`. */
export function retentionRoutes(served: Served): readonly Route[] {
  return [getRoute(served), setRoute(served), endRoute(served)]
}

function common({ authenticate }: Served) {
  return {
    path: '/v2/watch/retention',
    tag: 'Audit',
    access: accountAccess(authenticate, 'manage'),
    ids: {},
    query: noQuery,
    failures: [],
  } as const
}

function getRoute(served: Served): Route {
  return defineRoute({
    ...common(served),
    method: 'GET',
    operationId: 'getRetention',
    summary: 'Show how long the evidence of evaluations is kept, and what was erased',
    kind: 'plain',
    body: noBody,
    answers: { 200: { description: 'The retention.', schema: retentionSchema } },
    serve: async ({ call }) => ({ status: 200, body: await findRetention(served.context, call) }),
  })
}

function setRoute(served: Served): Route {
  return defineRoute({
    ...common(served),
    method: 'PUT',
    operationId: 'setRetention',
    summary:
      'Erase the evidence of evaluations older than this; verdicts and statistics stay. Runs every hour, oldest evaluations first',
    kind: 'write',
    body: schemaBody<RetentionInput>(retentionInputSchema),
    answers: { 200: { description: 'The retention.', schema: retentionSchema } },
    failures: ['conflict'],
    serve: async ({ call, body }) => written(200, await setRetention(served.context, call, body)),
  })
}

function endRoute(served: Served): Route {
  return defineRoute({
    ...common(served),
    method: 'DELETE',
    operationId: 'endRetention',
    summary: 'Keep evidence indefinitely; erased evidence stays erased',
    kind: 'write',
    body: noBody,
    answers: { 204: { description: 'Evidence is no longer erased by age; idempotent.' } },
    failures: ['conflict'],
    serve: async ({ call }) => {
      const ended = await endRetention(served.context, call)
      return removed({ ...ended, value: undefined })
    },
  })
}
