/** Routes recording the signals of a dispatch (operator). */

import { type DispatchInput, recordDispatch } from '../../commands/signals/dispatches.ts'
import { type FailureDetail, invalidRequest } from '../../domain/failure.ts'
import { idPrefixes } from '../../domain/ids.ts'
import type { Schema } from '../../domain/schema.ts'
import { written } from '../request/answer.ts'
import { schemaBody } from '../request/body/bodyReader.ts'
import { defineRoute } from '../request/defineRoute.ts'
import { operatorAccess, type Route, type Served } from '../request/route.ts'
import { inputSchema, viewSchema } from '../request/schema/fields.ts'
import { keepSignals, readIp } from './readSignals.ts'
import { deviceSignalsSchema } from './signalSchemas.ts'

const dispatchInputSchema: Schema = inputSchema<DispatchInput>('DispatchInput', {
  dispatch_id: { type: 'string', minLength: 36, maxLength: 36 },
  signals: deviceSignalsSchema('DispatchSignals'),
})

export const dispatchSchema: Schema = viewSchema<Pick<DispatchInput, 'dispatch_id'>>('Dispatch', {
  dispatch_id: { type: 'string' },
})

/** `POST /v2/operator/accounts/{account_id}/dispatches`. */
export function dispatchRoutes({ authenticate, context }: Served): readonly Route[] {
  return [
    defineRoute({
      method: 'POST',
      path: '/v2/operator/accounts/{account_id}/dispatches',
      operationId: 'recordDispatch',
      summary: 'Record the signals of a dispatch',
      tag: 'Operator',
      kind: 'write',
      access: operatorAccess(authenticate),
      ids: { account_id: idPrefixes.account },
      body: schemaBody<DispatchInput>(dispatchInputSchema),
      answers: { 201: { description: 'The dispatch is recorded.', schema: dispatchSchema } },
      failures: ['conflict'],
      serve: async ({ call, ids, body }) =>
        written(
          201,
          await recordDispatch(context, call, {
            account: ids.account_id,
            ...canonicalDispatch(body),
          }),
        ),
    }),
  ]
}

function canonicalDispatch({ dispatch_id, signals }: DispatchInput): DispatchInput {
  const problems: FailureDetail[] = []
  const ip = readIp(signals.ip, problems)
  if (problems.length > 0) throw invalidRequest(problems)
  return { dispatch_id, signals: keepSignals(signals, ip) }
}
