/** Declares the routes for sender IDs (spec 4.3), and the operator's decisions on them. */

import {
  recordSenderIdDecision,
  type SenderIdDecision,
  senderIdApprovalSchema,
  senderIdInputSchema,
  senderIdRejectionSchema,
  senderIdSchema,
  submitSenderId,
} from '../../commands/verification/senderIds.ts'
import { idPrefixes } from '../../domain/ids.ts'
import type { SchemaOf } from '../../domain/jsonSchema.ts'
import { senderIdStatuses } from '../../domain/verification/senderIds.ts'
import {
  listSenderIds,
  listSubmittedSenderIds,
  senderIdsSchema,
  submittedSenderIdsSchema,
} from '../../queries/verification/senderIds.ts'
import { accountAccess, operatorAccess } from '../request/access.ts'
import { pageAnswer } from '../request/answer.ts'
import { schemaBody } from '../request/body/bodyReader.ts'
import {
  buildQueryReader,
  choiceParameter,
  idParameter,
  optionalPageQuery,
  pageParameters,
} from '../request/queryReader.ts'
import { defineRoute, type Route } from '../request/route.ts'

const common = {
  path: '/v2/verification/management/sender-id',
  tag: 'Verification management',
  access: accountAccess('manage'),
} as const

/** `/v2/verification/management/sender-id`, for accounts on which the operator has enabled it. */
export const senderIdRoutes: readonly Route[] = [
  defineRoute({
    ...common,
    method: 'GET',
    operationId: 'listSenderIds',
    summary: 'List the sender IDs of the account in the order first submitted: all, or a page',
    failures: ['access_not_enabled'],
    query: optionalPageQuery,
    answers: { 200: { description: 'The sender IDs.', schema: senderIdsSchema } },
    serve: ({ context, call, query }) =>
      pageAnswer('sender_ids', listSenderIds(context, call, query)),
  }),
  defineRoute({
    ...common,
    method: 'POST',
    operationId: 'submitSenderId',
    summary: 'Submit a sender ID for approval; idempotent',
    failures: ['access_not_enabled', 'invalid_sender_id', 'conflict'],
    body: schemaBody(senderIdInputSchema),
    answers: { 200: { description: 'The sender ID.', schema: senderIdSchema } },
    serve: ({ context, call, body }) => submitSenderId(context, call, body.sender_id),
  }),
]

const submittedQuery = buildQueryReader({
  status: choiceParameter('status', senderIdStatuses, 'Only those with this status.'),
  account: {
    ...idParameter('account_id', idPrefixes.account, {
      description: 'Only those of this account.',
      message: 'Must be the id of an account (acc_…).',
    }),
    schema: { type: 'string', maxLength: 30 },
  },
  ...pageParameters,
})

/** `/v2/operator/sender-ids`, and the decisions on those of an account. */
export const operatorSenderIdRoutes: readonly Route[] = [
  defineRoute({
    method: 'GET',
    path: '/v2/operator/sender-ids',
    tag: 'Operator',
    access: operatorAccess,
    operationId: 'listSubmittedSenderIds',
    summary: 'List the sender IDs of all accounts in the order first submitted',
    query: submittedQuery,
    answers: { 200: { description: 'One page of sender IDs.', schema: submittedSenderIdsSchema } },
    serve: ({ context, call, query }) =>
      pageAnswer('sender_ids', listSubmittedSenderIds(context, call, query)),
  }),
  decisionRoute({
    status: 'approved',
    path: 'approve',
    operationId: 'approveSenderId',
    summary: 'Approve a sender ID that the account has submitted',
    schema: senderIdApprovalSchema,
  }),
  decisionRoute({
    status: 'rejected',
    path: 'reject',
    operationId: 'rejectSenderId',
    summary: 'Reject a submitted or approved sender ID',
    schema: senderIdRejectionSchema,
  }),
]

interface Decision extends Pick<Route, 'path' | 'operationId' | 'summary'> {
  readonly status: SenderIdDecision['status']
  readonly schema: SchemaOf<Omit<SenderIdDecision, 'status'>>
}

function decisionRoute({ status, path, schema, ...facts }: Decision): Route {
  return defineRoute({
    ...facts,
    method: 'POST',
    path: `/v2/operator/accounts/{account_id}/sender-ids/${path}`,
    tag: 'Operator',
    access: operatorAccess,
    ids: { account_id: idPrefixes.account },
    answers: { 200: { description: 'The sender ID.', schema: senderIdSchema } },
    body: schemaBody(schema),
    serve: ({ context, call, ids, body }) => {
      // the schema of a rejection has its reason
      const decision = { status, ...body } as SenderIdDecision
      const input = { accountId: ids.account_id, ...decision }
      return recordSenderIdDecision(context, call, input)
    },
  })
}
