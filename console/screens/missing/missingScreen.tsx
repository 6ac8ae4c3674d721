/** Shows the names that rules waited for, and the keys that arrived, which may be misspelt. */

import { linkTo } from '../../api/address.ts'
import { useAnswer } from '../../api/query.ts'
import type { ArrivedKey, MissingInEvaluations } from '../../api/schema.ts'
import { Moment } from '../../parts/moment.tsx'
import {
  conditionsOf,
  type Question,
  QuestionForm,
  useQuestion,
} from '../../parts/questionForm.tsx'
import { Empty, Pending } from '../../parts/states.tsx'
import { Table } from '../../parts/table.tsx'
import { count, percent } from '../../parts/values.tsx'
import './missing.css'

export function MissingScreen() {
  const question = useQuestion()
  return (
    <>
      <div class="head">
        <h1>What was missing</h1>
        <span class="soft">times in UTC</span>
      </div>
      <QuestionForm question={question} />
      <Ledger question={question} />
    </>
  )
}

interface LedgerProps {
  readonly question: Question
}

function Ledger({ question }: LedgerProps) {
  const where = conditionsOf(question)
  const answer = useAnswer('GET /v2/watch/evaluations/missing', {
    query: { from: question.from, ...(where && { where }) },
  })
  const { value } = answer
  if (answer.failure || !value) return <Pending of={answer} lines={8} />
  const { evaluations, names, keys, left_out, forgotten, from, to } = value
  if (evaluations === 0) {
    return (
      <Empty title="No evaluations">
        <p>Nothing was evaluated that fits, so nothing was missing.</p>
        {question.range !== '30d' && (
          <a href={linkTo('/missing', { range: '30d' })}>Ask of the last 30 days</a>
        )}
      </Empty>
    )
  }
  return (
    <>
      <p class="soft">
        {count(evaluations)} evaluations from <Moment at={from} /> to <Moment at={to} />
      </p>
      <section class="card" aria-labelledby="names-title">
        <h2 id="names-title">Names that rules waited for</h2>
        {names.length === 0 ? (
          <p class="soft">Every rule had what it reads.</p>
        ) : (
          <Names names={names} question={question} />
        )}
      </section>
      <section class="card" aria-labelledby="keys-title">
        <h2 id="keys-title">
          Keys of <code>ext</code> that arrived
        </h2>
        {keys.length === 0 ? (
          <p class="soft">No request had any.</p>
        ) : (
          <Keys keys={keys} question={question} />
        )}
      </section>
      {forgotten > 0 && (
        <p class="soft">
          Of {count(forgotten)} evaluations the values are erased: their keys are not told.
        </p>
      )}
      {left_out && (
        <p class="warning">
          Too many names were met: {count(left_out.names)} occurrences of names and{' '}
          {count(left_out.keys)} of keys are not counted. Ask for a shorter time or one flow.
        </p>
      )}
    </>
  )
}

function linkToEvaluations(question: Question, condition: string): string {
  const { range } = question
  return linkTo('/evaluations', { where: conditionsOf(question, condition), range })
}

/** Managed rules do not say what they wait for. */
const said = (name: string) => (name === 'missing_data' ? 'what managed rules read' : name)

interface NamesProps extends LedgerProps {
  readonly names: readonly MissingInEvaluations[]
}

function Names({ names, question }: NamesProps) {
  return (
    <Table
      name="Names that rules waited for"
      rows={names}
      keyOf={({ name }) => name}
      columns={[
        {
          title: 'Name',
          show: ({ name }) => (
            <a href={linkToEvaluations(question, `missing = ${JSON.stringify(name)}`)}>
              {name === 'missing_data' ? said(name) : <code>{name}</code>}
            </a>
          ),
          cell: ({ name }) => name,
        },
        { title: 'Evaluations', isNumber: true, cell: ({ evaluations }) => evaluations },
        {
          title: 'Share',
          isNumber: true,
          show: ({ name, share }) => (
            <span class="with-meter">
              <meter
                min={0}
                max={1}
                value={share ?? 0}
                aria-label={`Share of evaluations without ${said(name)}`}
              />
              {percent(share)}
            </span>
          ),
          cell: ({ share }) => share,
        },
        { title: 'Fragile verdicts', isNumber: true, cell: ({ fragile }) => fragile },
      ]}
    />
  )
}

const kinds = [
  ['number', 'numbers'],
  ['boolean', 'yes or no'],
  ['date', 'dates'],
  ['text', 'texts'],
  ['empty', 'blank'],
] as const

function formsOf({ forms }: ArrivedKey): string {
  return kinds
    .filter(([kind]) => forms[kind] > 0)
    .map(([kind, word]) => `${count(forms[kind])} ${word}`)
    .join(', ')
}

function lengthOf({ shortest, longest }: ArrivedKey): string {
  if (shortest === null || longest === null) return 'erased'
  return shortest === longest ? String(longest) : `${shortest} to ${longest}`
}

interface KeysProps extends LedgerProps {
  readonly keys: readonly ArrivedKey[]
}

/** What may be misspelt first. */
function Keys({ keys, question }: KeysProps) {
  const rows = keys.toSorted((one, other) => other.near.length - one.near.length)
  return (
    <Table
      name="Keys that arrived"
      rows={rows}
      keyOf={({ key }) => key}
      columns={[
        { title: 'Key', as: 'code', cell: ({ key }) => key },
        { title: 'Evaluations', isNumber: true, cell: ({ evaluations }) => evaluations },
        { title: 'Values', cell: formsOf },
        { title: 'Characters', isNumber: true, cell: lengthOf },
        {
          title: 'Read',
          show: (row) => <Read row={row} question={question} />,
          cell: ({ read, near }) => (read ? 'yes' : ['no', ...near].join(' ')),
        },
      ]}
    />
  )
}

function Read({ row: { read, near }, question }: LedgerProps & { readonly row: ArrivedKey }) {
  if (read) return <>by a rule</>
  if (near.length === 0) return <span class="soft">by no rule</span>
  return (
    <span class="misspelt">
      by no rule; meant was perhaps{' '}
      {near.map((name) => (
        <a key={name} href={linkToEvaluations(question, `missing = ${JSON.stringify(name)}`)}>
          <code>{name}</code>
        </a>
      ))}
    </span>
  )
}
