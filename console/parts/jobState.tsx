/** Shows how far a job is: its state in words, and its progress while it runs. */

import type { ListedBacktest } from '../api/schema.ts'
import { percent } from './values.tsx'

const words = {
  RUNNING: 'runs',
  DONE: 'done',
  CANCELLED: 'cancelled',
  INTERRUPTED: 'interrupted',
  FAILED: 'failed',
} as const

export function JobState({ job: { state, done } }: { readonly job: ListedBacktest }) {
  return (
    <span class="marks">
      <span class={state === 'FAILED' ? 'badge fraud' : 'badge'}>{words[state]}</span>
      {state !== 'DONE' && (
        <>
          <progress max={1} value={done} aria-label="Done" />
          <span class="number">{percent(done)}</span>
        </>
      )}
    </span>
  )
}

const things = { rule: 'A rule alone', draft: 'A draft', weights: 'Other weights' } as const

export const nameOfJob = ({ tried }: Pick<ListedBacktest, 'tried'>): string => things[tried]
