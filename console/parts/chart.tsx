/** Draws evaluations over time with the flagged ones in front, and has the same as a table. */

import './chart.css'
import { ShortTable } from './shortTable.tsx'

export interface Bucket {
  readonly from: string
  readonly evaluations: number
  readonly flagged: number
  /** It is not over: it says less than the others. */
  readonly unfinished?: true
}

interface ChartProps {
  readonly name: string
  readonly by: 'hour' | 'day'
  /** Ends of the whole span, which has buckets only where there is something. */
  readonly from: string
  readonly to: string
  readonly buckets: readonly Bucket[]
  /** What a click on a bucket, or on its time in the table, does with its ends. */
  readonly onPick?: (time: { readonly from: string; readonly to: string }) => void
}

const unitsMs = { hour: 3_600_000, day: 86_400_000 } as const
const height = 64

const dayLabel = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  timeZone: 'UTC',
})
const hourLabel = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
  timeZone: 'UTC',
})

export function Chart({ name, by, from, to, buckets, onPick }: ChartProps) {
  const startMs = Date.parse(from)
  const slots = Math.max(1, Math.round((Date.parse(to) - startMs) / unitsMs[by]))
  const most = Math.max(1, ...buckets.map(({ evaluations }) => evaluations))
  const label = by === 'day' ? dayLabel : hourLabel
  const pick = (bucket: Bucket) =>
    onPick?.({
      from: bucket.from,
      to: new Date(Date.parse(bucket.from) + unitsMs[by]).toISOString(),
    })
  const sum = (of: 'evaluations' | 'flagged') => buckets.reduce((all, one) => all + one[of], 0)
  return (
    <figure class="chart">
      <svg
        viewBox={`0 0 ${slots * 10} ${height}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`${name}: ${sum('evaluations')} evaluations, ${sum('flagged')} flagged, at most ${most} in one ${by}`}
      >
        {buckets.map((bucket) => {
          const x = Math.round((Date.parse(bucket.from) - startMs) / unitsMs[by]) * 10 + 1
          const tall = (count: number) => (count / most) * (height - 2)
          const all = tall(bucket.evaluations)
          const flagged = tall(bucket.flagged)
          return (
            // biome-ignore lint/a11y/noStaticElementInteractions: the table has it for keys
            <g
              key={bucket.from}
              class={bucket.unfinished ? 'unfinished' : ''}
              onClick={() => pick(bucket)}
            >
              <title>
                {`${label.format(Date.parse(bucket.from))} UTC: ${bucket.evaluations} evaluations, ${bucket.flagged} flagged${bucket.unfinished ? ', not over yet' : ''}`}
              </title>
              {onPick && <rect class="picked" x={x - 1} y="0" width="10" height={height} />}
              <rect class="all" x={x} y={height - all} width="8" height={all} />
              <rect class="flagged" x={x} y={height - flagged} width="8" height={flagged} />
            </g>
          )
        })}
      </svg>
      <figcaption>
        <span>{label.format(startMs)}</span>
        <span class="legend">
          <i class="all" /> evaluations <i class="flagged" /> flagged, by {by}, UTC
        </span>
        <span>{label.format(Date.parse(to) - 1)}</span>
      </figcaption>
      <details>
        <summary>As a table</summary>
        <ShortTable
          name={name}
          rows={buckets}
          keyOf={(bucket) => bucket.from}
          columns={[
            {
              title: 'From',
              show: (row) =>
                onPick ? (
                  <button type="button" class="quiet" onClick={() => pick(row)}>
                    {row.from}
                  </button>
                ) : (
                  row.from
                ),
              cell: (row) => row.from,
            },
            { title: 'Evaluations', isNumber: true, cell: (row) => row.evaluations },
            { title: 'Flagged', isNumber: true, cell: (row) => row.flagged },
          ]}
        />
      </details>
    </figure>
  )
}
