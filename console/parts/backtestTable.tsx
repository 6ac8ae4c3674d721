/** Shows what a backtest found: each pair of verdicts with its labels, and the verdicts that change. */

import { linkTo } from '../api/address.ts'
import type { BacktestChange, BacktestReport, BacktestRow } from '../api/schema.ts'
import { OutcomeMark } from './outcome.tsx'
import { ShortTable } from './shortTable.tsx'
import { Table } from './table.tsx'
import { count } from './values.tsx'

interface ReportProps {
  readonly report: Pick<BacktestReport, 'table' | 'evaluations' | 'forgotten'>
}

const figures = [
  ['Evaluations', 'evaluations'],
  ['Partial', 'partial'],
  ['Fraud', 'fraud'],
  ['Legitimate', 'legitimate'],
  ['No label', 'unlabelled'],
] as const

export function BacktestTable({ report: { table, forgotten } }: ReportProps) {
  const hasToday = table.some(({ unchanged }) => unchanged !== undefined)
  const verdicts = [
    ['Answered', 'answered'],
    ...(hasToday ? ([['Today', 'unchanged']] as const) : []),
    ['Draft', 'draft'],
  ] as const
  return (
    <>
      <Table
        name="Verdicts of the draft"
        rows={table}
        keyOf={({ answered, unchanged, draft }) => `${answered} ${unchanged} ${draft}`}
        columns={[
          ...verdicts.map(([title, field]) => ({
            title,
            isShort: true,
            show: (row: BacktestRow) => <Mark of={row[field]} />,
            cell: (row: BacktestRow) => row[field],
          })),
          ...figures.map(([title, field]) => ({
            title,
            isNumber: true,
            show: (row: BacktestRow) => count(row[field]),
            cell: (row: BacktestRow) => row[field],
          })),
        ]}
      />
      {forgotten > 0 && (
        <p class="soft">{count(forgotten)} more are in no row: their evidence was erased.</p>
      )}
    </>
  )
}

function Mark({ of }: { readonly of: BacktestRow['unchanged'] }) {
  return of === undefined ? <span class="soft">–</span> : <OutcomeMark of={of} />
}

interface ChangedProps {
  readonly report: Pick<BacktestReport, 'changed' | 'changed_more'>
}

/** What today and the draft answer otherwise; of a rule alone, what was answered otherwise. */
export function ChangedVerdicts({ report: { changed, changed_more } }: ChangedProps) {
  const turned = changed.filter(({ answered, unchanged = answered, draft }) => unchanged !== draft)
  if (turned.length === 0) return <p class="soft">It turns no verdict.</p>
  return (
    <>
      <ShortTable
        name="Verdicts that it turns"
        rows={turned}
        keyOf={({ id }) => id}
        columns={[
          {
            title: 'Evaluation',
            as: 'code',
            href: ({ id }) => linkTo(`/evaluations/${id}`),
            cell: ({ id }) => id,
          },
          {
            title: 'Without it',
            isShort: true,
            show: ({ answered, unchanged = answered }) => <OutcomeMark of={unchanged} />,
            cell: ({ answered, unchanged = answered }) => unchanged,
          },
          { title: 'With it', isShort: true, as: 'outcome', cell: ({ draft }) => draft },
          { title: 'Label', cell: labelOf },
        ]}
      />
      {changed_more > 0 && (
        <p class="soft">
          {count(changed_more)} more changed verdicts are counted above and not listed.
        </p>
      )}
    </>
  )
}

const labelOf = ({ label_class }: BacktestChange): string => label_class ?? 'none'
