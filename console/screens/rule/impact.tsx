/** Tries the text on recorded evaluations before it is saved, beside the version that is saved. */

import { useState } from 'preact/hooks'
import { linkTo } from '../../api/address.ts'
import { ask, serverNowMs } from '../../api/client.ts'
import type { BacktestReport } from '../../api/schema.ts'
import { Select } from '../../parts/fields.tsx'
import { OutcomeMark } from '../../parts/outcome.tsx'
import { Failed } from '../../parts/states.tsx'
import { Table } from '../../parts/table.tsx'
import { useWork } from '../../parts/useWork.ts'
import { count, percent } from '../../parts/values.tsx'

interface ImpactProps {
  readonly expression: string
  /** Undefined of a new rule. */
  readonly saved: string | undefined
  readonly isRight: boolean
}

/** Of a text, by its title. */
type Row = readonly [string, BacktestReport]

interface Tried {
  readonly expression: string
  readonly rows: readonly Row[]
}

const spans = [
  [1, 'day'],
  [7, '7 days'],
  [30, '30 days'],
] as const
const columns = [
  ['FLAG', 'TRIGGERED', 'Triggered'],
  ['PASS', 'NOT_TRIGGERED', 'Not triggered'],
  ['NOT_EVALUATED', 'NOT_EVALUATED', 'Not evaluated'],
] as const

export function Impact({ expression, saved, isRight }: ImpactProps) {
  const [days, setDays] = useState<(typeof spans)[number][0]>(7)
  const [tried, setTried] = useState<Tried>()
  const { failure, isBusy, run } = useWork()
  const tryIt = async () => {
    const query = { from: new Date(serverNowMs() - days * 86_400_000).toISOString() }
    const judge = async (expression: string) =>
      (await ask('POST /v2/watch/management/backtests/preview', { query, body: { expression } }))
        .value
    const rows: Row[] = []
    if (saved !== undefined && saved !== expression) rows.push(['Before', await judge(saved)])
    rows.push(['This text', await judge(expression)])
    setTried({ expression, rows })
  }
  const isOld = tried !== undefined && tried.expression !== expression
  return (
    <section class="card" aria-labelledby="impact-title">
      <h2 id="impact-title">Try it on the past</h2>
      <div class="joined">
        <Select
          label="Evaluations of the last"
          value={days}
          options={spans}
          onChange={(chosen) => chosen && setDays(chosen)}
        />
        <button type="button" disabled={!isRight || isBusy} onClick={() => run(tryIt)}>
          {isBusy ? 'Trying…' : 'Try'}
        </button>
      </div>
      {failure && <Failed failure={failure} />}
      {tried && (
        <div class={isOld ? 'old' : ''} aria-live="polite">
          {isOld && <p class="warning">The text has changed since: try it again.</p>}
          <Outcomes rows={tried.rows} />
        </div>
      )}
    </section>
  )
}

function Outcomes({ rows }: Pick<Tried, 'rows'>) {
  const last = rows.at(-1)?.[1]
  if (last?.evaluations === 0) return <p class="soft">There were no evaluations in this time.</p>
  return (
    <>
      <Table
        name="What the rule makes of past evaluations"
        rows={rows}
        keyOf={([title]) => title}
        columns={[
          { title: 'Condition', isShort: true, cell: ([title]) => title },
          ...columns.map(([draft, outcome, title]) => ({
            title,
            heading: <OutcomeMark of={outcome} />,
            show: ([, report]: Row) => <Counted report={report} draft={draft} />,
            cell: ([, report]: Row) => countOf(report, draft, 'evaluations'),
          })),
        ]}
      />
      {last && last.changed.length > 0 && (
        <details>
          <summary>
            {count(last.changed.length + last.changed_more)} evaluations on which the rule and the
            verdict given disagree
          </summary>
          <ul class="ids">
            {last.changed.slice(0, 20).map(({ id, answered, draft }) => (
              <li key={id}>
                <a href={linkTo(`/evaluations/${id}`)}>
                  <code>{id}</code>
                </a>{' '}
                <OutcomeMark of={answered} /> the rule{' '}
                {draft === 'FLAG' ? 'triggers' : 'does not trigger'}
              </li>
            ))}
          </ul>
        </details>
      )}
    </>
  )
}

type Figure = 'evaluations' | 'fraud' | 'legitimate'

const countOf = ({ table }: BacktestReport, draft: string, of: Figure) =>
  table.filter((row) => row.draft === draft).reduce((total, row) => total + row[of], 0)

/** The evaluations of which the rule makes this, with their labels if there are any. */
function Counted({ report, draft }: { readonly report: BacktestReport; readonly draft: string }) {
  const sum = (of: Figure) => countOf(report, draft, of)
  const share = report.evaluations === 0 ? null : sum('evaluations') / report.evaluations
  return (
    <div>
      <b class="number">{count(sum('evaluations'))}</b> <span class="soft">{percent(share)}</span>
      {sum('fraud') + sum('legitimate') > 0 && (
        <span class="soft labels">
          {count(sum('fraud'))} fraud, {count(sum('legitimate'))} legitimate
        </span>
      )}
    </div>
  )
}
