/** Adds `vigil sender-ids`: submits sender IDs; lists, approves and rejects them (operator). */

import { type Command, Option } from 'commander'
import { senderIdStatuses } from '../../domain/verification/senderIds.ts'
import type { SenderIdView, SubmittedSenderId } from '../../queries/verification/senderIds.ts'
import { type Invocation, type Run, segment, serve } from '../connecting/invocation.ts'
import { listAll } from '../connecting/search.ts'
import { describe } from '../terminal/describe.ts'
import type { Screen } from '../terminal/screen.ts'
import { type Column, fieldLines, table } from '../terminal/table.ts'

const columns: readonly SenderIdColumn[] = [
  { title: 'ACCOUNT', cell: ({ account_id = '' }) => account_id },
  { title: 'SENDER ID', cell: ({ sender_id }) => sender_id },
  { title: 'STATUS', cell: ({ status }) => status },
  { title: 'SUBMITTED', cell: ({ submitted_at }) => submitted_at },
  { title: 'DECIDED', cell: ({ decided_at = '' }) => decided_at },
  { title: 'REASON', widthMax: 72, narrow: 'wrap', cell: ({ reason = '' }) => reason },
]

const path = '/v2/verification/management/sender-id'
const accountExample = 'acc_01jc0t6fwwfgfsq1md24mhyztj'

/** Adds `sender-ids`. */
export function addSenderIdCommands(program: Command, run: Run): void {
  const senderIds = describe(program, {
    usage: 'sender-ids',
    summary: 'Submit sender IDs; approve or reject them (operator).',
    example: 'vigil sender-ids submit "Ada Shop"',
  })
  describe(senderIds, {
    usage: 'list',
    summary: 'List the sender IDs of the account and what became of them.',
    example: 'vigil sender-ids list',
  }).action(serve(run, listSenderIds))
  describe(senderIds, {
    usage: 'submit',
    takes: { '<sender-id>': 'as messages are to show it' },
    summary: 'Submit a sender ID for approval; one that is pending or approved is no error.',
    example: 'vigil sender-ids submit "Ada Shop"',
  }).action(serve(run, submitSenderId))
  addOperatorCommands(senderIds, run)
}

function addOperatorCommands(senderIds: Command, run: Run): void {
  describe(senderIds, {
    usage: 'review',
    summary: 'List the sender IDs that accounts have submitted (operator).',
    example: 'vigil sender-ids review',
  })
    .addOption(
      new Option('--status <status>', 'only with this status')
        .choices([...senderIdStatuses, 'all'])
        .default('pending'),
    )
    .option('--account <account>', 'only of this account')
    .action(serve<ReviewOptions>(run, reviewSenderIds))
  describe(senderIds, {
    usage: 'approve <account> <sender-id>',
    summary: 'Approve a sender ID (operator).',
    example: `vigil sender-ids approve ${accountExample} "Ada Shop"`,
  })
    .option('--reason <text>', 'what to tell the account')
    .action(serve<DecisionOptions>(run, decideOn('approve')))
  describe(senderIds, {
    usage: 'reject <account> <sender-id>',
    summary: 'Reject a sender ID, also one that was approved (operator).',
    example: `vigil sender-ids reject ${accountExample} "Ada Shop" --reason "Registered by another company"`,
  })
    .requiredOption('--reason <text>', 'what to tell the account')
    .action(serve<DecisionOptions>(run, decideOn('reject')))
}

async function listSenderIds(invocation: Invocation): Promise<undefined> {
  const client = await invocation.client()
  const found = await listAll<SenderIdView>(client, { path, name: 'sender_ids' })
  invocation.print({ sender_ids: found }, () => senderIdTable(found, invocation.screen))
}

async function submitSenderId(
  invocation: Invocation,
  _: object,
  sender_id = '',
): Promise<undefined> {
  const client = await invocation.client()
  const { body } = await client('POST', path, { body: { sender_id } })
  invocation.print(body, () => fieldLines(body))
}

interface ReviewOptions {
  readonly status: string
  readonly account?: string
}

async function reviewSenderIds(
  invocation: Invocation,
  { status, account }: ReviewOptions,
): Promise<undefined> {
  const client = await invocation.client('operator')
  const found = await listAll<SubmittedSenderId>(client, {
    path: '/v2/operator/sender-ids',
    name: 'sender_ids',
    query: { status: status === 'all' ? undefined : status, account_id: account },
  })
  invocation.print({ sender_ids: found }, () => senderIdTable(found, invocation.screen))
}

interface DecisionOptions {
  readonly reason?: string
}

function decideOn(decision: 'approve' | 'reject') {
  return async (
    invocation: Invocation,
    { reason }: DecisionOptions,
    ...args: readonly string[]
  ): Promise<undefined> => {
    const [account = '', sender_id = ''] = args
    const client = await invocation.client('operator')
    const of = `/v2/operator/accounts/${segment(account)}/sender-ids`
    const { body } = await client('POST', `${of}/${decision}`, { body: { sender_id, reason } })
    invocation.print(body, () => fieldLines(body))
  }
}

type Shown = SenderIdView & Partial<Pick<SubmittedSenderId, 'account_id'>>

interface SenderIdColumn extends Column {
  readonly cell: (senderId: Shown) => string
}

/** A line for each of them; a column that none of them has is left out. */
function senderIdTable(senderIds: readonly Shown[], screen: Screen): readonly string[] {
  if (senderIds.length === 0) return ['No sender IDs.']
  const used = columns.filter(({ cell }) => senderIds.some((one) => cell(one) !== ''))
  const rows = senderIds.map((one) => used.map(({ cell }) => cell(one)))
  return table(used, rows, screen)
}
