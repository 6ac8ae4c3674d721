/** Tries the text on recorded evaluations before it is saved, beside the version that is saved. */

import { useState } from 'preact/hooks'
import { linkTo } from '../../api/address.ts'
import { type ApiFailure, ask, serverNowMs } from '../../api/client.ts'
import type { BacktestReport } from '../../api/schema.ts'
import { OutcomeMark } from '../../parts/outcome.tsx'
import { Failed } from '../../parts/states.tsx'
import { count, percent } from '../../parts/values.tsx'

interface ImpactProps {
  readonly expression: string
  /** Undefined of a new rule. */
  readonly saved: string | undefined
  readonly isRight: boolean
}

interface Tried {
  readonly expression: string
  readonly rows: readonly (readonly [string, BacktestReport])[]
}

const columns = [
  ['FLAG', 'TRIGGERED', 'Triggered'],
  ['PASS', 'NOT_TRIGGERED', 'Not triggered'],
  ['NOT_EVALUATED', 'NOT_EVALUATED', 'Not evaluated'],
] as const

export function Impact({ expression, saved, isRight }: ImpactProps) {
  const [days, setDays] = useState(7)
  const [tried, setTried] = useState<Tried>()
  const [failure, fail] = useState<ApiFailure>()
  const [isBusy, setBusy] = useState(false)
  const run = async () => {
    setBusy(true)
    fail(undefined)
    const query = { from: new Date(serverNowMs() - days * 86_400_000).toISOString() }
    const judge = async (expression: string) =>
      (await ask('POST /v2/watch/management/backtests/preview', { query, body: { expression } }))
        .value
    try {
      const rows: (readonly [string, BacktestReport])[] = []
      if (saved !== undefined && saved !== expression) rows.push(['As saved', await judge(saved)])
      rows.push([saved === expression ? 'As saved' : 'This text', await judge(expression)])
      setTried({ expression, rows })
    } catch (error) {
      fail(error as ApiFailure)
    }
    setBusy(false)
  }
  const isOld = tried !== undefined && tried.expression !== expression
  return (
    <section class="card" aria-labelledby="impact-title">
      <h2 id="impact-title">Try it on the past</h2>
      <div class="joined">
        <label>
          Evaluations of the last
          <select value={days} onChange={(event) => setDays(Number(event.currentTarget.value))}>
            <option value={1}>day</option>
            <option value={7}>7 days</option>
            <option value={30}>30 days</option>
          </select>
        </label>
        <button type="button" disabled={!isRight || isBusy} onClick={() => void run()}>
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
      <div class="table">
        <table>
          <caption class="sr">What the rule makes of past evaluations</caption>
          <thead>
            <tr>
              <td />
              {columns.map(([, outcome]) => (
                <th key={outcome} scope="col">
                  <OutcomeMark of={outcome} />
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map(([title, report]) => (
              <tr key={title}>
                <th scope="row">{title}</th>
                {columns.map(([draft, outcome, word]) => (
                  <td key={outcome} data-title={word}>
                    <Counted report={report} draft={draft} />
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {last && last.changed.length > 0 && (
        <details>
          <summary>
            {count(last.changed.length + last.changed_more)} that were answered otherwise than this
            rule alone would
          </summary>
          <ul class="ids">
            {last.changed.slice(0, 20).map(({ id, answered, draft }) => (
              <li key={id}>
                <a href={linkTo(`/evaluations/${id}`)}>
                  <code>{id}</code>
                </a>{' '}
                <OutcomeMark of={answered} /> → {draft === 'FLAG' ? 'triggers' : 'does not trigger'}
              </li>
            ))}
          </ul>
        </details>
      )}
    </>
  )
}

/** The evaluations of which the rule makes this, with their labels if there are any. */
function Counted({ report, draft }: { readonly report: BacktestReport; readonly draft: string }) {
  const rows = report.table.filter((row) => row.draft === draft)
  const sum = (of: 'evaluations' | 'fraud' | 'legitimate') =>
    rows.reduce((total, row) => total + row[of], 0)
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
