/** Declares `vigil sender-ids`: submits sender IDs; lists, approves and rejects them (operator). */

import { senderIdStatuses } from '../../domain/verification/senderIds.ts'
import type { SubmittedSenderId } from '../../queries/verification/senderIds.ts'
import type { CommandRow } from '../connecting/commandRow.ts'
import type { CellColumn } from '../terminal/table.ts'

const path = '/v2/verification/management/sender-id'
const accountPath = '/v2/operator/accounts/<account>/sender-ids'
const accountExample = 'acc_01jc0t6fwwfgfsq1md24mhyztj'

const columns: readonly CellColumn<SubmittedSenderId>[] = [
  { title: 'ACCOUNT', cell: 'account_id', optional: true },
  { title: 'SENDER ID', cell: 'sender_id' },
  { title: 'STATUS', cell: 'status' },
  { title: 'SUBMITTED', cell: 'submitted_at' },
  { title: 'DECIDED', cell: 'decided_at', optional: true },
  { title: 'REASON', cell: 'reason', optional: true, widthMax: 72, narrow: 'wrap' },
]
const list = { name: 'sender_ids', columns, none: 'No sender IDs.' }

export const senderIdCommands: CommandRow = {
  usage: 'sender-ids',
  summary: 'Submit sender IDs; approve or reject them (operator).',
  example: 'vigil sender-ids submit "Ada Shop"',
  commands: [
    {
      usage: 'list',
      summary: 'List the sender IDs of the account, with their status.',
      request: `GET ${path}`,
      list,
    },
    {
      usage: 'submit',
      arguments: { '<sender-id>': 'as shown to the recipients of messages' },
      summary: 'Submit a sender ID for approval; already pending or approved is not an error.',
      example: 'vigil sender-ids submit "Ada Shop"',
      request: `POST ${path}`,
      body: { sender_id: '<sender-id>' },
    },
    {
      usage: 'review',
      summary: 'List the sender IDs that accounts have submitted (operator).',
      options: {
        '--status <status>': {
          meaning: 'only with this status',
          choices: [...senderIdStatuses, 'all'],
          default: 'pending',
        },
        '--account <account>': 'only of this account',
      },
      caller: 'operator',
      request: 'GET /v2/operator/sender-ids',
      query: {
        status: (given) => (given('--status') === 'all' ? undefined : given('--status')),
        account_id: '--account',
      },
      list,
    },
    {
      usage: 'approve <account> <sender-id>',
      summary: 'Approve a sender ID (operator).',
      example: `vigil sender-ids approve ${accountExample} "Ada Shop"`,
      options: { '--reason <text>': 'a note for the account' },
      caller: 'operator',
      request: `POST ${accountPath}/approve`,
      body: { sender_id: '<sender-id>', reason: '--reason' },
    },
    {
      usage: 'reject <account> <sender-id>',
      summary: 'Reject a sender ID, also an approved one (operator).',
      example: `vigil sender-ids reject ${accountExample} "Ada Shop" --reason "Registered by another company"`,
      options: { '--reason <text>': { meaning: 'a note for the account', required: true } },
      caller: 'operator',
      request: `POST ${accountPath}/reject`,
      body: { sender_id: '<sender-id>', reason: '--reason' },
    },
  ],
}
