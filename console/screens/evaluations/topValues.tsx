/** Shows the most frequent values of a name, each of which narrows the search. */

import { useAnswer } from '../../api/query.ts'
import { Pending } from '../../parts/states.tsx'
import { Table } from '../../parts/table.tsx'
import { percent } from '../../parts/values.tsx'
import { type ListState, type spanOf, whereOf } from './listState.ts'

const names = [
  'email_domain',
  'phone_country',
  'network',
  'missing',
  'label',
  'signal.device_platform',
  'signal.device_id',
]

interface TopProps {
  readonly state: ListState
  readonly span: ReturnType<typeof spanOf>
  readonly onChange: (part: Partial<ListState>) => void
}

export function TopValues({ state, span, onChange }: TopProps) {
  const name = state.top
  const where = whereOf(state)
  const answer = useAnswer('GET /v2/watch/evaluations/top', {
    query: { name, limit: 10, from: span.from, to: span.to, ...(where && { where }) },
  })
  const { value } = answer
  const narrow = (text: string) => {
    const condition = `${name} = ${JSON.stringify(text)}`
    onChange({ where: state.where === '' ? condition : `${state.where} and ${condition}` })
  }
  return (
    <section class="card" aria-labelledby="top-title">
      <h2 id="top-title">Top values</h2>
      <label>
        Of
        <input
          list="top-names"
          value={name}
          onChange={(event) =>
            event.currentTarget.value !== '' && onChange({ top: event.currentTarget.value })
          }
        />
        <datalist id="top-names">
          {names.map((one) => (
            <option key={one} value={one} />
          ))}
        </datalist>
      </label>
      <Pending of={answer} />
      {value?.values.length === 0 && <p class="soft">No evaluation has a value of this name.</p>}
      {value && value.values.length > 0 && (
        <Table
          name={`Top values of ${name}`}
          rows={value.values}
          keyOf={(row) => row.value}
          columns={[
            {
              title: 'Value',
              show: (row) => (
                <button type="button" class="quiet value-button" onClick={() => narrow(row.value)}>
                  <bdi class="clip">{row.value}</bdi>
                </button>
              ),
              cell: (row) => row.value,
            },
            { title: 'All', isNumber: true, cell: (row) => row.evaluations },
            {
              title: 'Flagged',
              isNumber: true,
              show: (row) => percent(row.share),
              cell: (row) => row.share,
            },
          ]}
        />
      )}
    </section>
  )
}
