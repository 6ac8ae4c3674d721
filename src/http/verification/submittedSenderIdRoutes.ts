/** Routes listing submitted sender IDs, and approving or rejecting them (operator). */

import { decideSenderId, type SenderIdDecision } from '../../commands/verification/senderIds.ts'
import { idPrefixes, isId } from '../../domain/ids.ts'
import type { Schema } from '../../domain/schema.ts'
import { type SenderIdStatus, senderIdStatuses } from '../../domain/verification/senderIds.ts'
import {
  listSubmittedSenderIds,
  type SenderIdsAsked,
} from '../../queries/verification/senderIds.ts'
import { seenPage, written } from '../request/answer.ts'
import { schemaBody } from '../request/body/bodyReader.ts'
import { defineRoute } from '../request/defineRoute.ts'
import { pageQuery, type QueryReader } from '../request/queryReader.ts'
import { operatorAccess, type Route, type RouteFacts, type Served } from '../request/route.ts'
import {
  approvalSchema,
  type GivenApproval,
  type GivenRejection,
  rejectionSchema,
  senderIdAnswerSchema,
  submittedSenderIdsSchema,
} from './senderIdRoutes.ts'

/** `/v2/operator/sender-ids`, and the decisions on those of an account. */
export function submittedSenderIdRoutes(served: Served): readonly Route[] {
  return [
    listRoute(served),
    decisionRoute<GivenApproval>(served, {
      status: 'approved',
      path: 'approve',
      operationId: 'approveSenderId',
      summary: 'Approve a sender ID that the account has submitted',
      schema: approvalSchema,
    }),
    decisionRoute<GivenRejection>(served, {
      status: 'rejected',
      path: 'reject',
      operationId: 'rejectSenderId',
      summary: 'Reject a sender ID that the account has submitted, also one that was approved',
      schema: rejectionSchema,
    }),
  ]
}

function listRoute({ authenticate, context }: Served): Route {
  return defineRoute({
    method: 'GET',
    path: '/v2/operator/sender-ids',
    tag: 'Operator',
    kind: 'read',
    access: operatorAccess(authenticate),
    operationId: 'listSubmittedSenderIds',
    summary: 'The sender IDs of all accounts in the order first submitted',
    failures: [],
    query: submittedQuery,
    answers: { 200: { description: 'One page of them.', schema: submittedSenderIdsSchema } },
    serve: async ({ call, query }) =>
      seenPage('sender_ids', await listSubmittedSenderIds(context, call, query)),
  })
}

interface Decision extends Pick<RouteFacts, 'path' | 'operationId' | 'summary'> {
  readonly status: SenderIdDecision['status']
  readonly schema: Schema
}

function decisionRoute<Given extends GivenApproval>(
  { authenticate, context }: Served,
  { status, path, schema, ...facts }: Decision,
): Route {
  return defineRoute({
    ...facts,
    method: 'POST',
    path: `/v2/operator/accounts/{account_id}/sender-ids/${path}`,
    tag: 'Operator',
    kind: 'write',
    access: operatorAccess(authenticate),
    ids: { account_id: idPrefixes.account },
    failures: ['conflict'],
    answers: { 200: { description: 'What stands of it.', schema: senderIdAnswerSchema } },
    body: schemaBody<Given>(schema),
    serve: async ({ call, ids, body: { sender_id: senderId, ...said } }) => {
      // the schema of a rejection has its reason
      const decision = { status, ...said } as SenderIdDecision
      const decided = { accountId: ids.account_id, senderId, ...decision }
      return written(200, await decideSenderId(context, call, decided))
    },
  })
}

/** `status`, `account_id` and a page. */
const submittedQuery: QueryReader<SenderIdsAsked & ReturnType<typeof pageQuery.read>> = {
  parameters: [
    {
      name: 'status',
      description: 'Only those with this status.',
      schema: { type: 'string', enum: senderIdStatuses },
    },
    {
      name: 'account_id',
      description: 'Only those of this account.',
      schema: { type: 'string', maxLength: 30 },
    },
    ...pageQuery.parameters,
  ],
  read: (given, details) => {
    const { status, account_id: account } = given
    if (status !== undefined && !isStatus(status)) {
      details.push({ path: 'status', message: `Must be one of: ${senderIdStatuses.join(', ')}.` })
    }
    if (account !== undefined && !isId(idPrefixes.account, account)) {
      details.push({ path: 'account_id', message: 'Must be the id of an account (acc_…).' })
    }
    return {
      ...pageQuery.read(given, details),
      ...(status !== undefined && isStatus(status) && { status }),
      ...(account !== undefined && { account }),
    }
  },
}

function isStatus(text: string): text is SenderIdStatus {
  return senderIdStatuses.some((status) => status === text)
}
