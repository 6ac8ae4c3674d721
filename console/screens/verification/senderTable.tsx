/** Shows sender IDs with what the operator has decided on each. */

import type { ListedSenderId } from '../../api/schema.ts'
import { Moment } from '../../parts/moment.tsx'
import { ShortTable } from '../../parts/shortTable.tsx'
import { StateMark } from '../../parts/stateMark.tsx'
import type { TableProps } from '../../parts/table.tsx'

interface SenderTableProps<Row> {
  readonly rows: readonly Row[]
  /** Of the operator alone. */
  readonly more?: TableProps<Row>['columns']
}

export function SenderTable<Row extends ListedSenderId>({
  rows,
  more = [],
}: SenderTableProps<Row>) {
  return (
    <ShortTable
      name="Sender IDs"
      rows={rows}
      keyOf={({ sender_id, submitted_at }) => sender_id + submitted_at}
      columns={[
        {
          title: 'Sender',
          show: ({ sender_id }) => <b>{sender_id}</b>,
          cell: ({ sender_id }) => sender_id,
        },
        {
          title: 'State',
          isShort: true,
          show: ({ status }) => <StateMark of={status} />,
          cell: ({ status }) => status,
        },
        {
          title: 'Reason',
          show: ({ reason }) => reason && <bdi>{reason}</bdi>,
          cell: ({ reason }) => reason,
        },
        {
          title: 'Submitted',
          show: ({ submitted_at }) => <Moment at={submitted_at} />,
          cell: ({ submitted_at }) => submitted_at,
        },
        {
          title: 'Decided',
          show: ({ decided_at }) => decided_at && <Moment at={decided_at} />,
          cell: ({ decided_at }) => decided_at,
        },
        ...more,
      ]}
    />
  )
}
