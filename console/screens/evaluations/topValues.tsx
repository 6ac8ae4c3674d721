/** Shows the most frequent values of a name, each of which narrows the search. */

import { fileAddressOf } from '../../api/client.ts'
import { useScan } from '../../api/lines.ts'
import type { TopValues as Top } from '../../api/schema.ts'
import { Failed, ScanProgress } from '../../parts/states.tsx'
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
  const ask = (top: string) => onChange({ top, page: state.page, row: state.row })
  const where = whereOf(state)
  const address = fileAddressOf('GET /v2/watch/evaluations/top', {
    query: { name, limit: 10, ...span, where, format: 'ndjson' },
  })
  // every evaluation of the time is opened for it: counted when it is asked for
  const { stop, again, ...found } = useScan<never, Top>(name === '' ? undefined : address)
  const { result: value, failure } = found
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
          placeholder="a name, such as email_domain"
          onChange={(event) => ask(event.currentTarget.value)}
        />
        <datalist id="top-names">
          {names.map((one) => (
            <option key={one} value={one} />
          ))}
        </datalist>
      </label>
      {name === '' && (
        <p class="marks">
          {names.map((one) => (
            <button key={one} type="button" onClick={() => ask(one)}>
              {one}
            </button>
          ))}
        </p>
      )}
      {failure && <Failed failure={failure} retry={again} />}
      {name !== '' && <ScanProgress of={found} onStop={stop} onAgain={again} />}
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
