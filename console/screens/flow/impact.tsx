/** Tries a flow with other recipes on the verdicts that it gave. */

import { useState } from 'preact/hooks'
import type { BacktestReport } from '../../api/schema.ts'
import { preview } from '../../api/tried.ts'
import { BacktestTable, ChangedVerdicts } from '../../parts/backtestTable.tsx'
import { Failed, Loading } from '../../parts/states.tsx'
import { count } from '../../parts/values.tsx'
import { VerdictBar } from '../../parts/verdictBar.tsx'

interface ImpactProps {
  readonly id: string
  readonly recipes: readonly string[]
  readonly isChanged: boolean
}

interface Tried {
  readonly of: string
  readonly report?: BacktestReport
  readonly failure?: Error
}

export function Impact({ id, recipes, isChanged }: ImpactProps) {
  const [tried, show] = useState<Tried>()
  const [isBusy, setBusy] = useState(false)
  const of = recipes.join()
  const run = async () => {
    setBusy(true)
    const answer = await preview({ flow_id: id, draft: { recipes } }).then(
      (report) => ({ of, report }),
      (failure: Error) => ({ of, failure }),
    )
    show(answer)
    setBusy(false)
  }
  const report = tried?.report
  return (
    <section class="card" aria-labelledby="impact-title" aria-busy={isBusy}>
      <div class="card-head">
        <h2 id="impact-title">On the verdicts of the past</h2>
        <button type="button" disabled={isBusy || recipes.length === 0} onClick={() => void run()}>
          Try {isChanged ? 'the change' : 'it'}
        </button>
        <span class="soft">the newest 2,000 evaluations of the flow</span>
      </div>
      {isBusy && <Loading lines={4} />}
      {!isBusy && tried?.failure && <Failed failure={tried.failure} retry={() => void run()} />}
      {!isBusy && report && report.evaluations === 0 && (
        <p class="soft">The flow was asked for no verdict yet.</p>
      )}
      {!isBusy && report && report.evaluations > 0 && (
        <div class={tried.of === of ? '' : 'old'}>
          {tried.of !== of && (
            <p class="warning">
              This was before your last change.{' '}
              <button type="button" class="quiet" onClick={() => void run()}>
                Try again
              </button>
            </p>
          )}
          <p>
            Of <b class="number">{count(report.evaluations)}</b> evaluations:
          </p>
          <VerdictBar table={report.table} />
          <BacktestTable report={report} />
          <ChangedVerdicts report={report} />
        </div>
      )}
    </section>
  )
}
