/** Shows whether a value is on the list, and who put it there or took it away. */

import { useEffect, useState } from 'preact/hooks'
import type { ListEntryChange } from '../../api/schema.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { Failed, Loading } from '../../parts/states.tsx'
import { Table } from '../../parts/table.tsx'
import { findHistory, type Source } from './source.ts'

interface HistoryProps {
  readonly source: Source
  readonly value: string
  readonly onClose: () => void
}

const reasonOf = ({ reason }: ListEntryChange): string =>
  typeof reason === 'object' ? 'sealed' : (reason ?? '')

export function History({ source, value, onClose }: HistoryProps) {
  const [changes, show] = useState<readonly ListEntryChange[]>()
  const [failure, fail] = useState<Error>()
  const load = () => {
    fail(undefined)
    findHistory(source, value).then(show, fail)
  }
  useEffect(load, [value])
  return (
    <Dialog title={value} onClose={onClose}>
      {failure && <Failed failure={failure} retry={load} />}
      {!changes && !failure && <Loading />}
      {changes?.length === 0 && <p>It was never on this list.</p>}
      {changes && changes.length > 0 && (
        <Table
          name="Changes of the entry"
          rows={changes}
          keyOf={({ position }) => position}
          columns={[
            { title: 'Change', cell: ({ change }) => change },
            { title: 'When', as: 'moment', cell: ({ at }) => at },
            { title: 'By', cell: ({ by }) => by },
            { title: 'Reason', cell: reasonOf },
          ]}
        />
      )}
      <div class="actions">
        <button type="button" onClick={onClose}>
          Close
        </button>
      </div>
    </Dialog>
  )
}
