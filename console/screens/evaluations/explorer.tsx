/** Finds evaluations by anything known of them, and shows how they spread over time and values. */

import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { go, here, linkTo } from '../../api/address.ts'
import { fileAddressOf } from '../../api/client.ts'
import { useScan } from '../../api/lines.ts'
import { Command, Empty, Failed, Loading, ScanProgress } from '../../parts/states.tsx'
import { columns, type ExportedRow } from './exportedRow.ts'
import { Filters } from './filters.tsx'
import { type ListState, readState, spanOf, whereOf, writeState } from './listState.ts'
import { LiveTail } from './liveTail.tsx'
import { askedOf, Pages, pageOf } from './pages.tsx'
import { Rows } from './rows.tsx'
import { SavedSearches } from './savedSearches.tsx'
import { Spread } from './spread.tsx'
import { TopValues } from './topValues.tsx'
import '../../parts/question.css'
import './explorer.css'

export function Explorer() {
  const { state, ignored } = readState(here.value.query)
  // another search has other pages
  const change = (part: Partial<ListState>) =>
    go(linkTo('/evaluations', writeState({ ...state, page: '', row: '', ...part })))
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
        key={JSON.stringify(writeState({ ...state, top: '', page: '', row: '' }))}
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

const exportKey = 'GET /v2/watch/evaluations/export'

function Found({ state, onChange }: FoundProps) {
  const [round, next] = useState(0)
  // the end stays while pages are turned: nothing moves under who reads
  const span = useMemo(() => spanOf(state), [round])
  const where = whereOf(state)
  const query = { where, ...span, columns }
  const address = fileAddressOf(exportKey, {
    query: { ...query, ...askedOf(state.page), format: 'ndjson', progress: 'true' },
  })
  const { stop, again, ...found } = useScan<ExportedRow, object>(address, { rowName: 'row' })
  const isThere = found.rows.length > 0 || found.result !== undefined
  // the page before stays until the next one is there
  const shown = useRef<ReturnType<typeof pageOf>>(undefined)
  if (isThere) shown.current = pageOf(state.page, found.rows)
  const page = shown.current
  const card = useRef<HTMLElement>(null)
  const turnedTo = useRef(state.page)
  useEffect(() => {
    if (!isThere || turnedTo.current === state.page) return
    turnedTo.current = state.page
    card.current?.scrollIntoView()
  }, [isThere, state.page])
  return (
    <>
      <Spread state={state} span={span} onChange={onChange} />
      <div class="explorer">
        <section
          ref={card}
          class={isThere || found.failure || !page ? 'card' : 'card old'}
          aria-busy={!isThere}
          aria-labelledby="found-title"
        >
          <div class="card-head">
            <h2 id="found-title">Found</h2>
            <LiveTail
              onShow={() => {
                next(round + 1)
                if (state.page !== '') onChange({ page: '' })
              }}
            />
          </div>
          {found.failure && <Failed failure={found.failure} retry={again} />}
          {(found.progress || found.isStopped) && (
            <ScanProgress of={found} onStop={stop} onAgain={again} />
          )}
          {!page && !found.failure && !found.isStopped && <Loading lines={10} />}
          {page?.rows.length === 0 && found.result && (
            <Nothing isFiltered={where !== ''} onWiden={() => onChange({ range: '30d' })} />
          )}
          {page && page.rows.length > 0 && (
            <Rows
              state={state}
              rows={page.rows}
              file={fileAddressOf(exportKey, { query: { ...query, format: 'csv', excel: 'true' } })}
            />
          )}
          {page && <Pages of={page} onTurn={(to) => onChange({ page: to })} />}
        </section>
        <TopValues state={state} span={span} onChange={onChange} />
      </div>
    </>
  )
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
