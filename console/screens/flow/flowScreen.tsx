/** Loads a flow, or begins a new one, with the recipes that there are. */

import { useAnswer } from '../../api/query.ts'
import { Pending } from '../../parts/states.tsx'
import type { ViewProps } from '../screen.ts'
import { Editing } from './editing.tsx'
import './flow.css'

export function FlowScreen({ params: { id = '' } }: ViewProps) {
  const enabled = id !== 'new'
  const loaded = useAnswer('GET /v2/watch/management/flows/{id}', { path: { id } }, { enabled })
  const recipes = useAnswer('GET /v2/watch/management/recipes', { query: { limit: 200 } })
  if (enabled && !loaded.value) return <Pending of={loaded} title="Flow" lines={8} />
  if (!recipes.value) return <Pending of={recipes} title="Flow" lines={8} />
  return <Editing key={id} loaded={loaded} recipes={recipes.value.recipes} />
}
