/** Draws a share between the bounds that its few cases allow. */

import type { Share } from '../../api/schema.ts'
import { count } from '../../parts/values.tsx'

interface IntervalProps {
  readonly name: string
  readonly of: Share | null
  /** The right end of the scale. */
  readonly max: number
  readonly say: (value: number) => string
  /** Where it says nothing: a lift of one. */
  readonly mark?: number
}

export function IntervalBar({ name, of, max, say, mark }: IntervalProps) {
  if (!of) return <span class="soft">no labels</span>
  const { value, low, high } = of
  const at = (one: number) => Math.min(100, (one / max) * 100)
  return (
    <span class="interval">
      <span class="interval-words">
        <b>{say(value)}</b>{' '}
        <span class="soft">
          {say(low)} to {say(high)}, of {count(of.of)}
        </span>
      </span>
      <svg
        viewBox="0 0 100 10"
        preserveAspectRatio="none"
        role="img"
        aria-label={`${name} ${say(value)}, between ${say(low)} and ${say(high)}`}
      >
        <rect class="track" y="4" width="100" height="2" />
        <rect class="range" x={at(low)} y="2.5" width={at(high) - at(low)} height="5" />
        {mark !== undefined && <path class="mark-line" d={`M${at(mark)} 0V10`} />}
        <path class="point" d={`M${at(value)} 0V10`} />
      </svg>
    </span>
  )
}
