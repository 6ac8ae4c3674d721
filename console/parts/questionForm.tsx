/** Asks of which flow and time, and which evaluations; all of it stands in the address. */

import { useEffect, useMemo, useState } from 'preact/hooks'
import { go, here, linkTo } from '../api/address.ts'
import { serverNowMs } from '../api/client.ts'
import { Select, TextField } from './fields.tsx'
import { useNames } from './useNames.ts'
import './question.css'

const ranges = { '24h': 1, '7d': 7, '30d': 30 } as const
type Range = keyof typeof ranges
const words = [
  ['24h', 'last 24 hours'],
  ['7d', 'last 7 days'],
  ['30d', 'last 30 days'],
] as const

const isRange = (text: string | null): text is Range => text !== null && text in ranges

export interface Question {
  readonly flow: string
  readonly where: string
  readonly range: Range
  /** The beginning of the range, the same until another is chosen. */
  readonly from: string
}

/** Of the address; a range that there is not is a week. */
export function useQuestion(): Question {
  const { query } = here.value
  const given = query.get('range')
  const range = isRange(given) ? given : '7d'
  const from = useMemo(
    () => new Date(serverNowMs() - ranges[range] * 86_400_000).toISOString(),
    [range],
  )
  return { flow: query.get('flow') ?? '', where: query.get('where') ?? '', range, from }
}

/** The other parameters of the address stay. */
export function changeQuestion(part: Readonly<Record<string, string>>): void {
  const { path, query } = here.value
  go(linkTo(path, { ...Object.fromEntries(query), ...part }))
}

/** The conditions of an export that lists the same. */
export function conditionsOf({ flow, where }: Question, ...more: readonly string[]): string {
  return [where.trim(), flow && `flow = ${flow}`, ...more].filter((one) => one !== '').join(' and ')
}

export function QuestionForm({ question }: { readonly question: Question }) {
  const { flow, where, range } = question
  const [typed, type] = useState(where)
  const names = useNames('flows')
  // also when Back leads to another
  useEffect(() => type(where), [where])
  const submit = (event: Event) => {
    event.preventDefault()
    changeQuestion({ where: typed.trim() })
  }
  return (
    <search>
      <form class="question" onSubmit={submit}>
        <TextField
          label="Evaluations"
          isWide
          isSearch
          value={typed}
          placeholder="all, or: verdict = FLAG and score >= 60"
          onChange={type}
        />
        <Select
          label="Flow"
          value={flow}
          options={names}
          none="all"
          onChange={(value) => changeQuestion({ flow: value })}
        />
        <Select
          label="Time"
          value={range}
          options={words}
          onChange={(value) => changeQuestion({ range: value })}
        />
        <button type="submit">Ask</button>
      </form>
    </search>
  )
}
