/** How long the evidence of evaluations is kept. */

import type { AccountsPart } from '../../service/accounts/accountsPart.ts'
import type { AuditPart, RetentionInput, RetentionView } from '../../service/audit/auditPart.ts'
import { removed, written } from '../request/answer.ts'
import { noBody, schemaBody } from '../request/bodyReader.ts'
import { defineRoute } from '../request/defineRoute.ts'
import { inputSchema, optional, viewSchema } from '../request/fields.ts'
import { noQuery } from '../request/queryReader.ts'
import { accountAccess, type Route } from '../request/route.ts'
import { count, type Schema, timeText } from '../request/schema.ts'

const days: Schema = {
  type: 'integer',
  minimum: 1,
  maximum: 36_500,
  description:
    'Evidence that is older is erased, at the latest 30 days later: a sealing key serves that long.',
}

const retentionInputSchema: Schema = inputSchema<RetentionInput>('RetentionInput', {
  evaluations_days: days,
})

const retentionSchema: Schema = viewSchema<RetentionView>('Retention', {
  evaluations_days: optional({ ...days, description: 'Absent while evidence is kept for ever.' }),
  erased_until: optional({
    ...timeText,
    description: 'Evaluations up to this time have no evidence any more.',
  }),
  evaluations_erased: { ...count, description: 'Since it was set.' },
  keys_destroyed: { ...count, description: 'Since it was set.' },
})

/** `/v2/watch/retention`. */
export function retentionRoutes(service: AccountsPart & AuditPart): readonly Route[] {
  return [getRoute(service), setRoute(service), endRoute(service)]
}

function common({ authenticate }: AccountsPart) {
  return {
    path: '/v2/watch/retention',
    tag: 'Audit',
    access: accountAccess(authenticate, 'manage'),
    ids: {},
    query: noQuery,
    failures: [],
  } as const
}

function getRoute(service: AccountsPart & AuditPart): Route {
  return defineRoute({
    ...common(service),
    method: 'GET',
    operationId: 'getRetention',
    summary: 'Show how long the evidence of evaluations is kept, and what was erased',
    kind: 'plain',
    body: noBody,
    answers: { 200: { description: 'The retention.', schema: retentionSchema } },
    serve: async ({ call }) => ({ status: 200, body: await service.retention.get(call) }),
  })
}

function setRoute(service: AccountsPart & AuditPart): Route {
  return defineRoute({
    ...common(service),
    method: 'PUT',
    operationId: 'setRetention',
    summary:
      'Erase the evidence of evaluations once it is old; verdicts and statistics stay. Looked for every hour, from the oldest evaluation on',
    kind: 'write',
    body: schemaBody<RetentionInput>(retentionInputSchema),
    answers: { 200: { description: 'The retention.', schema: retentionSchema } },
    failures: ['conflict'],
    serve: async ({ call, body }) => written(200, await service.retention.set(call, body)),
  })
}

function endRoute(service: AccountsPart & AuditPart): Route {
  return defineRoute({
    ...common(service),
    method: 'DELETE',
    operationId: 'endRetention',
    summary: 'Keep evidence for ever from now on; what was erased stays erased',
    kind: 'write',
    body: noBody,
    answers: { 204: { description: 'Nothing is erased by its age any more; again is no error.' } },
    failures: ['conflict'],
    serve: async ({ call }) => {
      const ended = await service.retention.end(call)
      return removed({ ...ended, value: undefined })
    },
  })
}
