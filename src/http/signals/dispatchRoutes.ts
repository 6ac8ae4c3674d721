/** Declares the routes for recording the signals of a dispatch (operator). */

import { type DispatchInput, recordDispatch } from '../../commands/signals/dispatches.ts'
import { type FailureDetail, invalidRequest } from '../../domain/failure.ts'
import { idPrefixes } from '../../domain/ids.ts'
import { closedObject, openObject, text } from '../../domain/jsonSchema.ts'
import { deviceSignalsSchema } from '../../domain/signals/signalSchemas.ts'
import { operatorAccess } from '../request/access.ts'
import { schemaBody } from '../request/body/bodyReader.ts'
import { defineRoute, type Route } from '../request/route.ts'
import { pickSignals, readIp } from './normalizeSignals.ts'

const dispatchInputSchema = closedObject('DispatchInput', {
  dispatch_id: { type: 'string', minLength: 36, maxLength: 36 },
  signals: deviceSignalsSchema('DispatchSignals'),
})

export const dispatchSchema = openObject('Dispatch', { dispatch_id: text })

/** `POST /v2/operator/accounts/{account_id}/dispatches`. */
export const dispatchRoutes: readonly Route[] = [
  defineRoute({
    method: 'POST',
    path: '/v2/operator/accounts/{account_id}/dispatches',
    operationId: 'recordDispatch',
    summary: 'Record the signals of a dispatch',
    tag: 'Operator',
    access: operatorAccess,
    ids: { account_id: idPrefixes.account },
    body: schemaBody(dispatchInputSchema),
    answers: { 201: { description: 'The dispatch is recorded.', schema: dispatchSchema } },
    serve: ({ context, call, ids, body }) =>
      recordDispatch(context, call, {
        account: ids.account_id,
        ...canonicalDispatch(body),
      }),
  }),
]

function canonicalDispatch({ dispatch_id, signals }: DispatchInput): DispatchInput {
  const problems: FailureDetail[] = []
  const ip = readIp(signals.ip, problems)
  if (problems.length > 0) throw invalidRequest(problems)
  return { dispatch_id, signals: pickSignals(signals, ip) }
}
