/** Shows a backtest: how far it is, what it found so far, and the verdicts that it turns. */

import { linkTo } from '../../api/address.ts'
import { ask } from '../../api/client.ts'
import { forget, useAnswer } from '../../api/query.ts'
import type { Backtest } from '../../api/schema.ts'
import { may } from '../../api/session.ts'
import { findTried } from '../../api/tried.ts'
import { BacktestTable, ChangedVerdicts } from '../../parts/backtestTable.tsx'
import { CopyId } from '../../parts/copyId.tsx'
import { JobState, nameOfJob } from '../../parts/jobState.tsx'
import { Moment } from '../../parts/moment.tsx'
import { Command, Failed, Loading } from '../../parts/states.tsx'
import { useNames } from '../../parts/useNames.ts'
import { useRepeat } from '../../parts/useRepeat.ts'
import { useWork } from '../../parts/useWork.ts'
import { count } from '../../parts/values.tsx'
import { VerdictBar } from '../../parts/verdictBar.tsx'
import type { ViewProps } from '../screen.ts'

export function BacktestScreen({ params: { id = '' } }: ViewProps) {
  const { value, failure, refetch } = useAnswer(
    'GET /v2/watch/management/backtests/{backtest_id}',
    { path: { backtest_id: id } },
    { enabled: may('analyse') },
  )
  useRepeat(refetch, value?.state === 'RUNNING' && !failure)
  return (
    <>
      <div class="head">
        <h1>Backtest</h1>
        <CopyId id={id} />
        <a href={linkTo('/backtests')}>All backtests</a>
      </div>
      {!may('analyse') && <p>This token may not see backtests: it needs the scope analyse.</p>}
      {failure && <Failed failure={failure} retry={refetch} />}
      {!value && !failure && may('analyse') && <Loading lines={8} />}
      {value && (
        <>
          <Progress job={value} onChanged={refetch} />
          <Report report={value} />
        </>
      )}
    </>
  )
}

interface ProgressProps {
  readonly job: Backtest
  readonly onChanged: () => void
}

function Progress({ job, onChanged }: ProgressProps) {
  const { failure, run } = useWork()
  const flows = useNames('flows')
  const recipes = useNames('recipes')
  const act = (work: () => Promise<unknown>) =>
    run(async () => {
      try {
        await work()
        onChanged()
      } finally {
        await forget('GET /v2/watch/management/backtests')
      }
    })
  const { flow_id, recipe_id } = job
  return (
    <section class="card" aria-label="Progress">
      <p>
        <b>{nameOfJob(job)}</b>
        {recipe_id !== undefined && (
          <>
            {' of '}
            <a href={linkTo(`/recipes/${recipe_id}`)}>
              <bdi>{recipes.get(recipe_id) ?? recipe_id}</bdi>
            </a>
          </>
        )}
        {flow_id !== undefined && (
          <>
            {' in '}
            <bdi>{flows.get(flow_id) ?? flow_id}</bdi>
          </>
        )}
        , from <Moment at={job.from} /> to <Moment at={job.to} />
      </p>
      <JobState job={job} />
      {job.reason !== undefined && <p class="warning">{job.reason}</p>}
      <Actions job={job} onAct={act} />
      {failure && <Failed failure={failure} />}
    </section>
  )
}

interface ActionsProps {
  readonly job: Backtest
  readonly onAct: (work: () => Promise<unknown>) => void
}

function Actions({ job: { id, state }, onAct }: ActionsProps) {
  const path = { backtest_id: id }
  if (state === 'DONE') return null
  if (state === 'RUNNING') {
    const cancel = () => ask('POST /v2/watch/management/backtests/{backtest_id}/cancel', { path })
    return (
      <div class="actions">
        <button type="button" onClick={() => onAct(cancel)}>
          Cancel
        </button>
      </div>
    )
  }
  const tried = findTried(id)
  if (!tried) {
    return (
      <>
        <p class="soft">What it tried is not on record. It goes on where that is:</p>
        <Command>{`npx vigil backtest FILE --resume ${id}`}</Command>
      </>
    )
  }
  const { body } = tried
  const resume = () =>
    ask('POST /v2/watch/management/backtests/{backtest_id}/resume', { path, body })
  return (
    <div class="actions">
      <button type="button" class="primary" onClick={() => onAct(resume)}>
        Go on
      </button>
    </div>
  )
}

function Report({ report }: { readonly report: Backtest }) {
  const { evaluations, by_draft, anyway, tried, state } = report
  if (evaluations === 0) {
    const words = state === 'RUNNING' ? 'Nothing found so far.' : 'It met no evaluation.'
    return <p class="soft">{words}</p>
  }
  const changedAnyway = anyway.to_flag + anyway.to_pass
  return (
    <>
      <section class="card" aria-labelledby="found-title">
        <h2 id="found-title">{state === 'DONE' ? 'What it found' : 'What it found so far'}</h2>
        <p>
          Of <b>{count(evaluations)}</b> evaluations it turns <b>{count(by_draft.to_flag)}</b> to
          flag and <b>{count(by_draft.to_pass)}</b> to pass
          {tried !== 'rule' && changedAnyway > 0 && (
            <>
              ; <b>{count(changedAnyway)}</b> verdicts have changed since they were answered,
              without it
            </>
          )}
          .
        </p>
        <VerdictBar table={report.table} />
        <BacktestTable report={report} />
      </section>
      <section class="card" aria-labelledby="turned-title">
        <h2 id="turned-title">Verdicts that it turns</h2>
        <ChangedVerdicts report={report} />
      </section>
    </>
  )
}
