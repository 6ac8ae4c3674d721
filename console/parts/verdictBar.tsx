/** Draws how verdicts share out, with those in the middle that lacked evidence. */

import type { BacktestRow } from '../api/schema.ts'
import { OutcomeMark } from './outcome.tsx'
import { count, percent } from './values.tsx'

interface Shares {
  readonly flagged: number
  readonly uncertain: number
  readonly passed: number
}

/** Uncertain are those that hang on what is not on record, and those in which a rule lacked evidence. */
function sharesOf(table: readonly BacktestRow[]): Shares {
  const sum = (draft: BacktestRow['draft'], of: (row: BacktestRow) => number) =>
    table.filter((row) => row.draft === draft).reduce((total, row) => total + of(row), 0)
  const whole = ({ evaluations, partial }: BacktestRow) => evaluations - partial
  const all = table.reduce((total, row) => total + row.evaluations, 0)
  const flagged = sum('FLAG', whole)
  const passed = sum('PASS', whole)
  return { flagged, passed, uncertain: all - flagged - passed }
}

export function VerdictBar({ table }: { readonly table: readonly BacktestRow[] }) {
  const { flagged, uncertain, passed } = sharesOf(table)
  const all = flagged + uncertain + passed
  if (all === 0) return null
  const width = (part: number) => (part / all) * 100
  const say = (part: number) => `${count(part)}, ${percent(part / all)}`
  return (
    <div class="verdict-bar">
      <svg viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
        <rect class="flag" width={width(flagged)} height="10" />
        <rect class="unknown" x={width(flagged)} width={width(uncertain)} height="10" />
        <rect class="pass" x={width(flagged + uncertain)} width={width(passed)} height="10" />
      </svg>
      <ul>
        <li>
          <OutcomeMark of="FLAG" detail={say(flagged)} />
        </li>
        <li>
          <OutcomeMark of="NOT_EVALUATED" detail={`${say(uncertain)} lacked evidence`} />
        </li>
        <li>
          <OutcomeMark of="PASS" detail={say(passed)} />
        </li>
      </ul>
    </div>
  )
}
