/** How sender IDs are shown. */

import type {
  SenderIdView,
  SubmittedSenderId,
} from '../../service/verification/verificationPart.ts'
import type { Screen } from '../terminal/screen.ts'
import { type Column, table } from '../terminal/table.ts'

type Shown = SenderIdView & Partial<Pick<SubmittedSenderId, 'account_id'>>

interface SenderIdColumn extends Column {
  readonly cell: (senderId: Shown) => string
}

const columns: readonly SenderIdColumn[] = [
  { title: 'ACCOUNT', cell: ({ account_id = '' }) => account_id },
  { title: 'SENDER ID', cell: ({ sender_id }) => sender_id },
  { title: 'STATUS', cell: ({ status }) => status },
  { title: 'SUBMITTED', cell: ({ submitted_at }) => submitted_at },
  { title: 'DECIDED', cell: ({ decided_at = '' }) => decided_at },
  { title: 'REASON', widthMax: 72, narrow: 'wrap', cell: ({ reason = '' }) => reason },
]

/** A line for each of them; a column that none of them has is left out. */
export function senderIdTable(senderIds: readonly Shown[], screen: Screen): readonly string[] {
  if (senderIds.length === 0) return ['No sender IDs.']
  const used = columns.filter(({ cell }) => senderIds.some((one) => cell(one) !== ''))
  const rows = senderIds.map((one) => used.map(({ cell }) => cell(one)))
  return table(used, rows, screen)
}
