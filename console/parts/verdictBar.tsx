/** Draws how the verdicts of a draft share out. */

import type { BacktestRow } from '../api/schema.ts'
import { OutcomeMark } from './outcome.tsx'
import { count, percent } from './values.tsx'

const outcomes = ['FLAG', 'NOT_EVALUATED', 'PASS'] as const

export function VerdictBar({ table }: { readonly table: readonly BacktestRow[] }) {
  const all = table.reduce((total, row) => total + row.evaluations, 0)
  const parts = outcomes.map((outcome, index) => {
    const sum = (of: readonly BacktestRow['draft'][]) =>
      table
        .filter(({ draft }) => of.includes(draft))
        .reduce((total, row) => total + row.evaluations, 0)
    return { outcome, evaluations: sum([outcome]), before: sum(outcomes.slice(0, index)) }
  })
  if (all === 0) return null
  return (
    <div class="verdict-bar">
      <svg viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
        {parts.map(({ outcome, evaluations, before }) => (
          <rect
            key={outcome}
            class={outcome.toLowerCase()}
            x={(before / all) * 100}
            width={(evaluations / all) * 100}
            height="10"
          />
        ))}
      </svg>
      <ul>
        {parts
          .filter(({ outcome, evaluations }) => outcome !== 'NOT_EVALUATED' || evaluations > 0)
          .map(({ outcome, evaluations }) => (
            <li key={outcome}>
              <OutcomeMark of={outcome} />{' '}
              <span class="number">
                {count(evaluations)} <span class="soft">{percent(evaluations / all)}</span>
              </span>
            </li>
          ))}
      </ul>
    </div>
  )
}
