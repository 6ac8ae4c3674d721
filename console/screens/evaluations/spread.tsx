/** Draws how evaluations spread over time. */

import { useAnswer } from '../../api/query.ts'
import type { Statistics } from '../../api/schema.ts'
import { type Bucket, Chart } from '../../parts/chart.tsx'
import { Failed, Loading } from '../../parts/states.tsx'
import type { ListState, spanOf } from './listState.ts'

const hoursShownMs = 2 * 86_400_000

interface SpreadProps {
  readonly state: ListState
  readonly span: ReturnType<typeof spanOf>
  readonly onChange: (part: Partial<ListState>) => void
}

/** Over the hours of up to two days, else over days; of what only a scan finds there is none. */
export function Spread({
  state: { where, verdict, flow },
  span: { from, to },
  onChange,
}: SpreadProps) {
  const by = Date.parse(to) - Date.parse(from) <= hoursShownMs ? 'hour' : 'day'
  const isCounted = where === '' && verdict === ''
  const { value, failure, refetch } = useAnswer(
    'GET /v2/watch/statistics',
    { query: { from, to, by, ...(flow && { flow_id: flow }) } },
    { enabled: isCounted },
  )
  if (!isCounted) return null
  return (
    <section class="card spread" aria-label="Over time">
      {failure && <Failed failure={failure} retry={refetch} />}
      {value ? (
        <Chart
          name="Evaluations over time"
          by={by}
          from={value.from}
          to={value.to}
          buckets={sumBuckets(value.flows)}
          onPick={(time) => onChange({ range: 'fixed', ...time })}
        />
      ) : (
        !failure && <Loading lines={2} />
      )}
    </section>
  )
}

/** Of all flows together, in the order of time. */
function sumBuckets(flows: Statistics['flows']): readonly Bucket[] {
  const sums = new Map<string, Bucket>()
  const counted = flows.filter(({ imported }) => !imported)
  for (const { from, evaluations, flagged, unfinished } of counted.flatMap((one) => one.buckets)) {
    const sum = sums.get(from) ?? { from, evaluations: 0, flagged: 0 }
    sums.set(from, {
      from,
      evaluations: sum.evaluations + evaluations,
      flagged: sum.flagged + flagged,
      ...(unfinished && { unfinished }),
    })
  }
  return [...sums.values()].toSorted((one, other) => (one.from < other.from ? -1 : 1))
}
