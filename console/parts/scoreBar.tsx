/** Draws a score against its threshold, with the bounds it had if everything had arrived. */

import { clamp } from './scoreBounds.ts'

interface Score {
  readonly score: number
  readonly threshold: number
  readonly low: number
  readonly high: number
}

export function ScoreBar({ score, threshold, low, high }: Score) {
  const isOpen = low !== high
  const bounds = isOpen ? `, between ${low} and ${high} with all evidence` : ''
  return (
    <div class="score">
      <p class="score-words">
        <b class="number">{score}</b> of <b class="number">{threshold}</b> to flag
        {isOpen && (
          <span class="soft">
            {' '}
            · {low} to {high} with all evidence
          </span>
        )}
      </p>
      <svg
        class="score-bar"
        viewBox="0 0 100 10"
        preserveAspectRatio="none"
        role="img"
        aria-label={`Score ${score} of threshold ${threshold}${bounds}`}
      >
        <rect class="track" x="0" y="3" width="100" height="4" rx="1" />
        <rect
          class={score >= threshold ? 'reached' : 'filled'}
          x="0"
          y="3"
          width={clamp(score)}
          height="4"
        />
        {isOpen && <path class="bounds" d={`M${low} 2.5V7.5M${low} 5H${high}M${high} 2.5V7.5`} />}
        <rect class="threshold" x={clamp(threshold) - 0.15} y="0" width="0.3" height="10" />
      </svg>
    </div>
  )
}
