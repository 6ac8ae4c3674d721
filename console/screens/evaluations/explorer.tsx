/** Finds evaluations by anything known of them, and shows how they spread over time and values. */

import { useMemo, useState } from 'preact/hooks'
import { go, here, linkTo } from '../../api/address.ts'
import { fileAddressOf } from '../../api/client.ts'
import { useAnswer } from '../../api/query.ts'
import { Command, Empty, Pending } from '../../parts/states.tsx'
import { columns, type ExportedRow, readRows } from './exportedRow.ts'
import { Filters } from './filters.tsx'
import { type ListState, readState, spanOf, whereOf, writeState } from './listState.ts'
import { LiveTail } from './liveTail.tsx'
import { Rows } from './rows.tsx'
import { SavedSearches } from './savedSearches.tsx'
import { Spread } from './spread.tsx'
import { TopValues } from './topValues.tsx'
import '../../parts/question.css'
import './explorer.css'

const pageRows = 50

export function Explorer() {
  const { state, ignored } = readState(here.value.query)
  const change = (part: Partial<ListState>) =>
    go(linkTo('/evaluations', writeState({ ...state, ...part })))
  return (
    <>
      <div class="head">
        <h1>Evaluations</h1>
      </div>
      <Filters state={state} onChange={change} />
      <SavedSearches state={state} />
      {ignored.length > 0 && (
        <p class="warning">Not understood in the address, and left out: {ignored.join(', ')}.</p>
      )}
      <Found
        key={JSON.stringify(writeState({ ...state, top: '' }))}
        state={state}
        onChange={change}
      />
    </>
  )
}

interface FoundProps {
  readonly state: ListState
  readonly onChange: (part: Partial<ListState>) => void
}

function Found({ state, onChange }: FoundProps) {
  const [round, next] = useState(0)
  // the end stays while pages are turned: nothing moves under who reads
  const span = useMemo(() => spanOf(state), [round])
  const where = whereOf(state)
  const [turned, turn] = useState<readonly Page[]>([])
  const { to, seen } = turned.at(-1) ?? { to: span.to, seen: [] }
  const query = { where, from: span.from, to, order: 'newest', columns } as const
  const answer = useAnswer('GET /v2/watch/evaluations/export', {
    query: { ...query, limit: pageRows + 1 + seen.length, format: 'ndjson' },
  })
  const { value } = answer
  const all = useMemo(() => readRows(String(value ?? '')), [value]).filter(
    ({ id }) => !seen.includes(id),
  )
  const rows = all.slice(0, pageRows)
  const file = fileAddressOf('GET /v2/watch/evaluations/export', {
    query: { ...query, to: span.to, format: 'csv', excel: 'true' },
  })
  const newest = () => {
    turn([])
    next(round + 1)
  }
  return (
    <>
      <Spread state={state} span={span} />
      <div class="explorer">
        <section class="card" aria-labelledby="found-title">
          <div class="card-head">
            <h2 id="found-title">Found</h2>
            <LiveTail onShow={newest} />
          </div>
          <Pending of={answer} lines={10} />
          {value !== undefined && rows.length === 0 && (
            <Nothing isFiltered={where !== ''} onWiden={() => onChange({ range: '30d' })} />
          )}
          {rows.length > 0 && <Rows rows={rows} file={file} />}
          <div class="actions">
            {turned.length > 0 && (
              <button type="button" onClick={() => turn(turned.slice(0, -1))}>
                Newer
              </button>
            )}
            {all.length > pageRows && (
              <button type="button" onClick={() => turn([...turned, pageAfter(rows)])}>
                Older
              </button>
            )}
          </div>
        </section>
        <TopValues state={state} span={span} onChange={onChange} />
      </div>
    </>
  )
}

interface Page {
  /** Excluded. */
  readonly to: string
  /** What was on the page before although it is in the time. */
  readonly seen: readonly string[]
}

/** Those of the same millisecond may stand on both sides of the end. */
function pageAfter(rows: readonly ExportedRow[]): Page {
  const last = rows.at(-1)?.evaluated_at ?? ''
  return {
    to: new Date(Date.parse(last) + 1).toISOString(),
    seen: rows.filter(({ evaluated_at }) => evaluated_at === last).map(({ id }) => id),
  }
}

function Nothing({
  isFiltered,
  onWiden,
}: {
  readonly isFiltered: boolean
  readonly onWiden: () => void
}) {
  if (isFiltered) {
    return (
      <Empty title="No evaluation fulfils this">
        <p>
          <button type="button" onClick={onWiden}>
            Look in 30 days
          </button>{' '}
          <a href={linkTo('/evaluations')}>Clear the filters</a>
        </p>
      </Empty>
    )
  }
  return (
    <Empty title="No evaluations in this time">
      <p>Ask for a first verdict:</p>
      <Command>npx vigil eval Signup --phone +33612345678 --email ada90210@mailinator.com</Command>
    </Empty>
  )
}
