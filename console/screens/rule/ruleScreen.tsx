/** Loads a rule, or begins a new one, and shows its editor with what it did so far. */

import { useAnswer } from '../../api/query.ts'
import { may } from '../../api/session.ts'
import { Pending } from '../../parts/states.tsx'
import type { ViewProps } from '../screen.ts'
import { Editing } from './editing.tsx'
import { Usage } from './usage.tsx'
import './rule.css'

export function RuleScreen({ params: { id = '' } }: ViewProps) {
  const enabled = id !== 'new'
  const loaded = useAnswer('GET /v2/watch/management/rules/{id}', { path: { id } }, { enabled })
  if (enabled && !loaded.value) return <Pending of={loaded} title="Rule" lines={8} />
  return (
    <>
      <Editing key={id} loaded={loaded} />
      {loaded.value && may('author') && <Usage id={id} />}
    </>
  )
}
