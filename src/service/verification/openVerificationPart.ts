/** Opens the verification part of the service. */

import { decideSenderId, submitSenderId } from '../../commands/verification/decideSenderIds.ts'
import type { Call, Written } from '../../domain/call.ts'
import { isoTime } from '../../domain/isoTime.ts'
import type { Principal } from '../../domain/principal.ts'
import { senderIdsMax } from '../../domain/senderIds.ts'
import { senderIdStream } from '../../events/verification/senderId.ts'
import { reached } from '../../queries/reading/reached.ts'
import type { SenderIdFound } from '../../queries/verification/senderIds.ts'
import { assertManagement } from '../lists/assertManagement.ts'
import {
  carryOut,
  eventContextOf,
  type ServiceContext,
  whenVisible,
} from '../opening/serviceContext.ts'
import { openTemplates } from './templates.ts'
import type {
  SenderIdAnswer,
  SenderIdView,
  SubmittedSenderId,
  VerificationPart,
} from './verificationPart.ts'

export function openVerificationPart(context: ServiceContext): VerificationPart {
  return { senderIds: openSenderIds(context), templates: openTemplates(context) }
}

/** Opens what accounts and the operator do with sender IDs. */
function openSenderIds(context: ServiceContext): VerificationPart['senderIds'] {
  const { heavyReads } = context
  return {
    submit: async (call, senderId) => {
      await assertManagement(context, call)
      return change(context, call, {
        account: call.principal.accountId,
        senderId,
        operation: 'sender_ids.submit',
        decide: submitSenderId(senderId),
      })
    },
    list: async (call, { minPosition, limit = senderIdsMax, ...page }) => {
      await assertManagement(context, call)
      const position = await reached(context, minPosition)
      const account = call.principal.accountId
      const found = await heavyReads.ask(call.principal, 'listSenderIds', {
        account,
        limit,
        ...page,
      })
      return { value: { ...found, items: found.items.map(viewOf) }, position }
    },
    listSubmitted: async ({ principal }, { minPosition, accountId, ...asked }) => {
      const position = await reached(context, minPosition)
      const found = await heavyReads.ask(principal, 'listSenderIds', {
        ...(accountId !== undefined && { account: accountId }),
        ...asked,
      })
      return { value: { ...found, items: found.items.map(submittedOf) }, position }
    },
    decide: async (call, { accountId, senderId, ...decision }) =>
      change(context, call, {
        account: accountId,
        senderId,
        operation: `sender_ids.${decision.status}`,
        decide: decideSenderId(senderId, decision),
        input: decision,
      }),
  }
}

interface Change {
  readonly account: string
  readonly senderId: string
  readonly operation: string
  readonly decide: ReturnType<typeof submitSenderId>
  readonly input?: object
}

async function change(
  context: ServiceContext,
  call: Call<Principal>,
  { account, senderId, operation, decide, input = {} }: Change,
): Promise<Written<SenderIdAnswer>> {
  const stream = senderIdStream(account)
  const handled = await carryOut(context, context.senderIds, {
    stream,
    context: eventContextOf(context, call, { account, operation, input: { senderId, ...input } }),
    decide,
  })
  const { position, repeated } = handled
  // a request sent again is answered as it was, whatever has been decided since
  const state = repeated ? await context.senderIds.stateAt(stream, position) : handled.state
  const standing = state.get(senderId)
  if (!standing) throw new Error('a sender ID that was changed is not there')
  const value = { sender_id: senderId, ...standing }
  const { visible } = await whenVisible(context, { position })
  return { value, position, visible }
}

function viewOf({
  sender_id,
  status,
  reason,
  submitted_at,
  decided_at,
}: SenderIdFound): SenderIdView {
  return {
    sender_id,
    status,
    ...(reason !== undefined && { reason }),
    submitted_at: isoTime(submitted_at),
    ...(decided_at !== undefined && { decided_at: isoTime(decided_at) }),
  }
}

function submittedOf(found: SenderIdFound): SubmittedSenderId {
  return { account_id: found.account, ...viewOf(found) }
}
