/** Shows one page of evaluations. */

import { useEffect } from 'preact/hooks'
import { go, linkTo } from '../../api/address.ts'
import { CopyId } from '../../parts/copyId.tsx'
import { Moment } from '../../parts/moment.tsx'
import { Table } from '../../parts/table.tsx'
import { useNames } from '../../parts/useNames.ts'
import type { ExportedRow } from './exportedRow.ts'
import { type ListState, writeState } from './listState.ts'

interface RowsProps {
  readonly state: ListState
  readonly rows: readonly ExportedRow[]
  readonly file: string
}

export function Rows({ state, rows, file }: RowsProps) {
  const names = useNames('flows')
  // who comes back goes on at the row that was opened
  useEffect(() => document.querySelector<HTMLElement>('.explorer [aria-current]')?.focus(), [])
  const open = (row: string) => go(linkTo('/evaluations', writeState({ ...state, row })), 'replace')
  return (
    <Table
      name="Evaluations"
      rows={rows}
      keyOf={({ id }) => id}
      file={
        <a href={file} download="evaluations.csv">
          Save all of them as CSV
        </a>
      }
      columns={[
        {
          title: 'When',
          isShort: true,
          show: ({ id, evaluated_at }) => (
            <a
              href={linkTo(`/evaluations/${id}`)}
              aria-current={id === state.row || undefined}
              onClick={() => open(id)}
            >
              <Moment at={evaluated_at} />
            </a>
          ),
          cell: ({ evaluated_at }) => evaluated_at,
        },
        { title: 'Verdict', isShort: true, as: 'outcome', cell: ({ verdict }) => verdict },
        { title: 'Scores', isShort: true, show: (row) => <Scores of={row} />, cell: scoresOf },
        { title: 'Who', as: 'clip', cell: whoOf },
        {
          title: 'Flow',
          show: ({ flow }) => {
            const name = names.get(flow)
            return name ? <bdi class="clip">{name}</bdi> : <CopyId id={flow} shown={6} />
          },
          cell: ({ flow }) => flow,
        },
        {
          title: 'Label',
          show: ({ class: of, labels = [] }) =>
            of ? (
              <span class={`badge ${of}`}>{of}</span>
            ) : (
              labels.length > 0 && <bdi class="clip">{labels.join(', ')}</bdi>
            ),
          cell: ({ class: of, labels = [] }) => of ?? labels.join(' '),
        },
      ]}
    />
  )
}

function whoOf(row: ExportedRow): string {
  if (row.forgotten) return 'erased'
  return row['target.phone_number'] ?? row['target.email_address'] ?? ''
}

/** One below the other. */
function Scores({
  of: { score = [], threshold = [], partial = [] },
}: {
  readonly of: ExportedRow
}) {
  return (
    <ul class="scores">
      {score.map((one, index) => (
        <li key={index}>
          <b class="number">{one}</b>
          <span class="soft">
            {' '}
            / {threshold[index]}
            {partial[index] && ' partial'}
          </span>
        </li>
      ))}
    </ul>
  )
}

/** Those of the recipes, a missing piece of evidence marked. */
function scoresOf({ score = [], threshold = [], partial = [] }: ExportedRow): string {
  return score
    .map((one, index) => `${one}/${threshold[index]}${partial[index] ? ' partial' : ''}`)
    .join(', ')
}
