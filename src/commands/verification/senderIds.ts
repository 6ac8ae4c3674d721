/** Submits sender IDs for approval, and records the operator's decisions; declares their form. */

import type { Call, WriteResult } from '../../domain/call.ts'
import { Failure, notFound } from '../../domain/failure.ts'
import { closedObject, openObject, optional, type TypeOf } from '../../domain/jsonSchema.ts'
import type { OperatorPrincipal, Principal } from '../../domain/principal.ts'
import {
  describeSenderIdRefusal,
  isSenderId,
  senderIdFields,
  senderIdsMax,
} from '../../domain/verification/senderIds.ts'
import {
  type SenderIdEvent,
  type SenderIdState,
  senderIdStream,
} from '../../events/verification/senderId.ts'
import { type AccountStreams, requireManagement } from '../../state/accounts/requireAccess.ts'
import type { FoldedStreamCache } from '../../state/folding/foldedStreamCache.ts'
import type { WriteContext } from '../handling/commandContext.ts'
import { buildEventContext, executeAndPresent } from '../handling/executeCommand.ts'

const reason = { type: 'string', minLength: 1, maxLength: 500 } as const

/** Longer texts are refused unread; others are checked one by one. */
const senderId = {
  type: 'string',
  maxLength: 64,
  description:
    'As messages show it: 1 to 11 letters, digits, inner spaces and &+-._ with at least one letter, or a number of 3 to 15 digits.',
} as const

export const senderIdInputSchema = closedObject('SenderIdInput', { sender_id: senderId })

export const senderIdApprovalSchema = closedObject('SenderIdApproval', {
  sender_id: senderId,
  reason: optional(reason),
})

export const senderIdRejectionSchema = closedObject('SenderIdRejection', {
  sender_id: senderId,
  reason: { ...reason, description: 'The reason shown to the account.' },
})

/** The operator's decision on a sender ID; a rejection has a reason for the account. */
export type SenderIdDecision =
  | ({ readonly status: 'approved' } & TypeOf<typeof senderIdApprovalSchema>)
  | ({ readonly status: 'rejected' } & TypeOf<typeof senderIdRejectionSchema>)

export const senderIdSchema = openObject('SenderId', senderIdFields)
type SenderId = TypeOf<typeof senderIdSchema>

type Context = WriteContext & {
  readonly senderIds: FoldedStreamCache<SenderIdState, SenderIdEvent>
}

/**
 * A pending or approved one is unchanged, a rejected one is pending again. Throws `access_not_enabled`,
 * `invalid_sender_id` for a text that no network shows as a sender, `conflict` when the account has too many.
 */
export async function submitSenderId(
  context: Context & AccountStreams,
  call: Call,
  senderId: string,
): Promise<WriteResult<SenderId>> {
  await requireManagement(context, call)
  return changeSenderId(context, call, {
    account: call.principal.accountId,
    senderId,
    operation: 'sender_ids.submit',
    decide: (state) => {
      if (!isSenderId(senderId)) {
        throw new Failure('invalid_sender_id', 'This cannot be a sender ID; see details.', {
          param: 'request',
          details: [{ path: 'sender_id', message: describeSenderIdRefusal(senderId) }],
        })
      }
      const before = state.get(senderId)
      if (before && before.status !== 'rejected') return []
      if (!before && state.size >= senderIdsMax) {
        throw new Failure('conflict', `An account has at most ${senderIdsMax} sender IDs.`)
      }
      return [{ type: 'SenderIdSubmitted', data: { sender_id: senderId } }]
    },
  })
}

/** The operator may change it; repeating it is no error. Throws `not_found` for a sender ID never submitted. */
export async function recordSenderIdDecision(
  context: Context,
  call: Call<OperatorPrincipal>,
  { accountId, ...decision }: SenderIdDecision & { readonly accountId: string },
): Promise<WriteResult<SenderId>> {
  const { sender_id, ...input } = decision
  const { status, reason } = input
  return changeSenderId(context, call, {
    account: accountId,
    senderId: sender_id,
    operation: `sender_ids.${status}`,
    decide: (state) => {
      const before = state.get(sender_id)
      if (!before) throw notFound()
      if (before.status === status && before.reason === reason) return []
      if (decision.status === 'rejected') {
        return [{ type: 'SenderIdRejected', data: { sender_id, reason: decision.reason } }]
      }
      const data = { sender_id, ...(reason !== undefined && { reason }) }
      return [{ type: 'SenderIdApproved', data }]
    },
    input,
  })
}

interface Change {
  readonly account: string
  readonly senderId: string
  readonly operation: string
  readonly decide: (state: SenderIdState) => readonly SenderIdEvent[]
  readonly input?: object
}

function changeSenderId(
  context: Context,
  call: Call<Principal>,
  { account, senderId, operation, decide, input = {} }: Change,
): Promise<WriteResult<SenderId>> {
  const intention = { account, operation, input: { senderId, ...input } }
  return executeAndPresent(context, context.senderIds, {
    stream: senderIdStream(account),
    context: buildEventContext(context, call, intention),
    decide,
    present: (state) => {
      const outcome = state.get(senderId)
      if (!outcome) throw new Error('a sender ID that was changed is not there')
      return { sender_id: senderId, ...outcome }
    },
  })
}
