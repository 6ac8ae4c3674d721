/** Has a row for each rule that ran, with its shares as interval bars. */

import { linkTo } from '../../api/address.ts'
import type { CountByLabelClass, ReportedRule, Share } from '../../api/schema.ts'
import { Table } from '../../parts/table.tsx'
import { count, percent } from '../../parts/values.tsx'
import { IntervalBar } from './intervalBar.tsx'

interface TableProps {
  readonly rules: readonly ReportedRule[]
  readonly label: string
}

const sum = ({ fraud, legitimate, unlabelled }: CountByLabelClass) =>
  fraud + legitimate + unlabelled
const ran = ({ fired, not_fired }: ReportedRule) => sum(fired) + sum(not_fired)
const times = (value: number) => `${value.toFixed(value < 10 ? 1 : 0)}×`

/** In a file: the value with its bounds. */
const cellOf = (of: Share | null) => of && `${of.value} (${of.low} to ${of.high})`

export function ReportTable({ rules, label }: TableProps) {
  const liftMax = Math.max(2, ...rules.map(({ lift }) => Math.min(10, lift?.high ?? 0)))
  const share = (title: string, field: 'precision' | 'recall') => ({
    title,
    show: (row: ReportedRule) => <IntervalBar name={title} of={row[field]} max={1} say={percent} />,
    cell: (row: ReportedRule) => cellOf(row[field]),
  })
  return (
    <Table
      name="Rules report"
      rows={rules}
      keyOf={({ rule_id, version_id, status }) => `${rule_id} ${version_id} ${status}`}
      columns={[
        {
          title: 'Rule',
          show: (row) => <Name row={row} />,
          cell: ({ name, rule_id }) => name ?? rule_id,
        },
        {
          title: 'Triggered',
          isNumber: true,
          show: (row) => (
            <span>
              {count(sum(row.fired))} <span class="soft">of {count(ran(row))}</span>
            </span>
          ),
          cell: ({ fired }) => sum(fired),
        },
        share('Precision', 'precision'),
        share('Recall', 'recall'),
        {
          title: 'Lift',
          show: ({ lift }) => (
            <IntervalBar name="Lift" of={lift} max={liftMax} say={times} mark={1} />
          ),
          cell: ({ lift }) => cellOf(lift),
        },
        {
          title: label === 'fraud' ? 'Legitimate hit' : 'Fraud hit',
          isNumber: true,
          cell: ({ false_positives }) => false_positives,
        },
        { title: 'Decided alone', isNumber: true, cell: ({ alone }) => sum(alone) },
      ]}
    />
  )
}

function Name({ row }: { readonly row: ReportedRule }) {
  const { rule_id, name = rule_id, type, status, fires, not_evaluated, contained_in } = row
  return (
    <div>
      {type === 'CUSTOM' ? (
        <a href={linkTo(`/rules/${rule_id}`)}>
          <bdi>{name}</bdi>
        </a>
      ) : (
        <code>{name}</code>
      )}
      <div class="rule-facts">
        {status === 'SHADOW' && <span class="badge">shadow</span>}
        {fires !== 'sometimes' && (
          <span class="badge odd">{fires ? `${fires} triggers` : 'never ran'}</span>
        )}
        {not_evaluated > 0 && (
          <a href={linkTo('/missing')}>lacked evidence in {count(not_evaluated)}</a>
        )}
        {contained_in && (
          <span class="soft">
            triggers only with <bdi>{contained_in.name ?? contained_in.rule_id}</bdi>
          </span>
        )}
      </div>
    </div>
  )
}
