/** The sender IDs that accounts have submitted, for the operator, who decides on them. */

import { idPrefixes, isId } from '../../domain/ids.ts'
import { type SenderIdStatus, senderIdStatuses } from '../../domain/senderIds.ts'
import type { AccountsPart } from '../../service/accounts/accountsPart.ts'
import type {
  SenderIdsAsked,
  VerificationPart,
} from '../../service/verification/verificationPart.ts'
import { seen, written } from '../request/answer.ts'
import { noBody, schemaBody } from '../request/bodyReader.ts'
import { defineRoute } from '../request/defineRoute.ts'
import { noQuery, pageQuery, type QueryReader } from '../request/queryReader.ts'
import { operatorAccess, type Route } from '../request/route.ts'
import {
  approvalSchema,
  type GivenApproval,
  type GivenRejection,
  rejectionSchema,
  senderIdAnswerSchema,
  submittedSenderIdsSchema,
} from './senderIdRoutes.ts'

/** `/v2/operator/sender-ids`, and what is decided on those of an account. */
export function submittedSenderIdRoutes(
  service: AccountsPart & VerificationPart,
): readonly Route[] {
  return [listRoute(service), ...decisionRoutes(service)]
}

function listRoute({ authenticate, senderIds }: AccountsPart & VerificationPart): Route {
  return defineRoute({
    method: 'GET',
    path: '/v2/operator/sender-ids',
    tag: 'Operator',
    kind: 'read',
    access: operatorAccess(authenticate),
    operationId: 'listSubmittedSenderIds',
    summary: 'The sender IDs of all accounts in the order first submitted',
    failures: [],
    ids: {},
    query: submittedQuery,
    body: noBody,
    answers: { 200: { description: 'One page of them.', schema: submittedSenderIdsSchema } },
    serve: async ({ call, query }) => {
      const { value, position } = await senderIds.listSubmitted(call, query)
      const { items, nextCursor } = value
      return seen({ value: { sender_ids: items, next_cursor: nextCursor }, position })
    },
  })
}

function decisionRoutes({
  authenticate,
  senderIds,
}: AccountsPart & VerificationPart): readonly Route[] {
  const common = {
    method: 'POST',
    tag: 'Operator',
    kind: 'write',
    access: operatorAccess(authenticate),
    ids: { account_id: idPrefixes.account },
    query: noQuery,
    failures: ['conflict'],
    answers: { 200: { description: 'What stands of it.', schema: senderIdAnswerSchema } },
  } as const
  const path = '/v2/operator/accounts/{account_id}/sender-ids'
  return [
    defineRoute({
      ...common,
      path: `${path}/approve`,
      operationId: 'approveSenderId',
      summary: 'Approve a sender ID that the account has submitted',
      body: schemaBody<GivenApproval>(approvalSchema),
      serve: async ({ call, ids, body: { sender_id: senderId, ...said } }) => {
        const decided = {
          accountId: ids.account_id,
          senderId,
          status: 'approved',
          ...said,
        } as const
        return written(200, await senderIds.decide(call, decided))
      },
    }),
    defineRoute({
      ...common,
      path: `${path}/reject`,
      operationId: 'rejectSenderId',
      summary: 'Reject a sender ID that the account has submitted, also one that was approved',
      body: schemaBody<GivenRejection>(rejectionSchema),
      serve: async ({ call, ids, body: { sender_id: senderId, ...said } }) => {
        const decided = {
          accountId: ids.account_id,
          senderId,
          status: 'rejected',
          ...said,
        } as const
        return written(200, await senderIds.decide(call, decided))
      },
    }),
  ]
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
    const { status, account_id: accountId } = given
    if (status !== undefined && !isStatus(status)) {
      details.push({ path: 'status', message: `Must be one of: ${senderIdStatuses.join(', ')}.` })
    }
    if (accountId !== undefined && !isId(idPrefixes.account, accountId)) {
      details.push({ path: 'account_id', message: 'Must be the id of an account (acc_…).' })
    }
    return {
      ...pageQuery.read(given, details),
      ...(status !== undefined && isStatus(status) && { status }),
      ...(accountId !== undefined && { accountId }),
    }
  },
}

function isStatus(text: string): text is SenderIdStatus {
  return senderIdStatuses.some((status) => status === text)
}
