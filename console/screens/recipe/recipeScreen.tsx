/** Loads a recipe, or begins a new one, with the flows that run it. */

import { useAnswer } from '../../api/query.ts'
import { Pending } from '../../parts/states.tsx'
import type { ViewProps } from '../screen.ts'
import { Editing } from './editing.tsx'
import './recipe.css'

export function RecipeScreen({ params: { id = '' } }: ViewProps) {
  const enabled = id !== 'new'
  const loaded = useAnswer('GET /v2/watch/management/recipes/{id}', { path: { id } }, { enabled })
  const flows = useAnswer('GET /v2/watch/management/flows', { query: { limit: 200 } })
  if (enabled && !loaded.value) return <Pending of={loaded} title="Recipe" lines={8} />
  if (!flows.value) return <Pending of={flows} title="Recipe" lines={8} />
  const running = flows.value.flows.filter(({ recipes }) => recipes.includes(id))
  return <Editing key={id} loaded={loaded} flows={running} />
}
