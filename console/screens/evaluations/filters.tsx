/** Asks for what is looked for: one search box, flow, verdict and time. */

import { useEffect, useState } from 'preact/hooks'
import { go, linkTo } from '../../api/address.ts'
import { type ListState, type Range, readSearch, spanOf, writeState } from './listState.ts'
import { useFlowNames } from './rows.tsx'

interface FiltersProps {
  readonly state: ListState
  readonly onChange: (part: Partial<ListState>) => void
}

export function Filters({ state, onChange }: FiltersProps) {
  const [typed, type] = useState(state.where)
  const names = useFlowNames()
  // also when Back leads to another
  useEffect(() => type(state.where), [state.where])
  const search = (event: SubmitEvent) => {
    event.preventDefault()
    const times = readTimes(new FormData(event.currentTarget as HTMLFormElement), state)
    const found = readSearch(typed)
    if ('open' in found) go(linkTo(`/evaluations/${found.open}`))
    else {
      type(found.where)
      onChange({ where: found.where, ...times })
    }
  }
  return (
    <search>
      <form class="filters" onSubmit={search}>
        <label class="wide">
          Search
          <input
            type="search"
            value={typed}
            placeholder="phone, e-mail, IP, evl_…, or: score >= 60 and missing = signal.ip"
            onInput={(event) => type(event.currentTarget.value)}
          />
        </label>
        <label>
          Flow
          <select
            value={state.flow}
            onChange={(event) => onChange({ flow: event.currentTarget.value })}
          >
            <option value="">all</option>
            {[...(names ?? [])].map(([id, name]) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </select>
        </label>
        <label>
          Verdict
          <select
            value={state.verdict}
            onChange={(event) =>
              onChange({ verdict: event.currentTarget.value as ListState['verdict'] })
            }
          >
            <option value="">both</option>
            <option value="FLAG">flag</option>
            <option value="PASS">pass</option>
          </select>
        </label>
        <label>
          Time
          <select
            value={state.range}
            onChange={(event) =>
              onChange(timeOf(state, event.currentTarget.value as Range | 'fixed'))
            }
          >
            <option value="1h">last hour</option>
            <option value="24h">last 24 hours</option>
            <option value="7d">last 7 days</option>
            <option value="30d">last 30 days</option>
            <option value="fixed">from … to</option>
          </select>
        </label>
        {state.range === 'fixed' && <FixedTimes state={state} />}
        <button type="submit" class="primary">
          Search
        </button>
        <CopyLink state={state} />
      </form>
    </search>
  )
}

function timeOf(state: ListState, range: Range | 'fixed'): Partial<ListState> {
  if (range !== 'fixed') return { range, from: '', to: '' }
  return { range, ...spanOf(state) }
}

/** The times in the form; one that was not changed keeps its milliseconds. */
function readTimes(form: FormData, state: ListState): Pick<ListState, 'from' | 'to'> {
  const read = (name: 'from' | 'to') => {
    const timeMs = Date.parse(`${form.get(name)}Z`)
    const isChanged = timeMs !== Math.floor(Date.parse(state[name]) / 1_000) * 1_000
    return isChanged && !Number.isNaN(timeMs) ? new Date(timeMs).toISOString() : state[name]
  }
  return { from: read('from'), to: read('to') }
}

/** In UTC, like every row and axis. Searched for with the form: a time half typed is one, too. */
function FixedTimes({ state }: Pick<FiltersProps, 'state'>) {
  const field = (name: 'from' | 'to') => (
    <label>
      {name === 'from' ? 'From (UTC)' : 'To (UTC)'}
      <input type="datetime-local" name={name} step="1" value={state[name].slice(0, 19)} />
    </label>
  )
  return (
    <>
      {field('from')}
      {field('to')}
    </>
  )
}

/** The link has fixed times: whoever opens it tomorrow sees the same. */
function CopyLink({ state }: { readonly state: ListState }) {
  const [said, say] = useState('')
  const copy = async () => {
    const fixed = { ...state, range: 'fixed' as const, ...spanOf(state) }
    const address = linkTo('/evaluations', writeState(fixed))
    try {
      // there is none on plain http
      await navigator.clipboard.writeText(location.origin + address)
      say('Copied, with these times.')
    } catch {
      go(address)
    }
  }
  return (
    <>
      <button type="button" onClick={() => void copy()}>
        Copy link
      </button>
      <span role="status" class="soft">
        {said}
      </span>
    </>
  )
}
