/** Lists the last backtests, with how far they are. */

import { linkTo } from '../../api/address.ts'
import { useAnswer } from '../../api/query.ts'
import { may } from '../../api/session.ts'
import { JobState, nameOfJob } from '../../parts/jobState.tsx'
import { Command, Empty, Failed, Pending } from '../../parts/states.tsx'
import { Table } from '../../parts/table.tsx'
import { useNames } from '../../parts/useNames.ts'
import { useRepeat } from '../../parts/useRepeat.ts'

export function BacktestList() {
  return (
    <>
      <div class="head">
        <h1>Backtests</h1>
        <span class="soft">the last twenty</span>
      </div>
      {may('analyse') ? (
        <Backtests />
      ) : (
        <p>This token may not run backtests: it needs the scope analyse.</p>
      )}
    </>
  )
}

function Backtests() {
  const answer = useAnswer('GET /v2/watch/management/backtests', {})
  const { value, failure, refetch } = answer
  const names = {
    ...Object.fromEntries(useNames('flows')),
    ...Object.fromEntries(useNames('recipes')),
  }
  const nameOf = (id: string | undefined) => (id === undefined ? '–' : (names[id] ?? id))
  const isRunning = value?.backtests.some(({ state }) => state === 'RUNNING') ?? false
  useRepeat(refetch, isRunning && !failure)
  if (!value) return <Pending of={answer} lines={6} />
  return (
    <>
      {failure && <Failed failure={failure} retry={refetch} />}
      {value.backtests.length === 0 ? (
        <Empty title="No backtests yet">
          <p>
            Move a weight of a <a href={linkTo('/recipes')}>recipe</a> and start one there, or:
          </p>
          <Command>npx vigil backtest rule.yaml --from 30d</Command>
        </Empty>
      ) : (
        <Table
          name="Backtests"
          rows={value.backtests}
          keyOf={({ id }) => id}
          columns={[
            {
              title: 'Tried',
              show: (job) => <a href={linkTo(`/backtests/${job.id}`)}>{nameOfJob(job)}</a>,
              cell: nameOfJob,
            },
            { title: 'Flow', cell: ({ flow_id }) => nameOf(flow_id) },
            { title: 'Recipe', cell: ({ recipe_id }) => nameOf(recipe_id) },
            {
              title: 'State',
              show: (job) => <JobState job={job} />,
              cell: ({ state }) => state,
            },
            { title: 'Started', as: 'moment', cell: ({ started_at }) => started_at },
          ]}
        />
      )}
    </>
  )
}
