/** Loads a recipe, or begins a new one, with the flows that run it. */

import { useMemo } from 'preact/hooks'
import { readDraft } from '../../api/drafts.ts'
import { useAnswer } from '../../api/query.ts'
import { session } from '../../api/session.ts'
import { Failed, Loading } from '../../parts/states.tsx'
import type { ViewProps } from '../screen.ts'
import { Editing } from './editing.tsx'
import { blank, type Draft, draftOf, type Saved } from './recipeDraft.ts'
import './recipe.css'

export function RecipeScreen({ params: { id = '' } }: ViewProps) {
  const isNew = id === 'new'
  const loaded = useAnswer(
    'GET /v2/watch/management/recipes/{id}',
    { path: { id } },
    { enabled: !isNew },
  )
  const flows = useAnswer('GET /v2/watch/management/flows', { query: { limit: 200 } })
  const { value: now } = session
  const draftName = `${'who' in now ? now.who.account_id : ''}:recipe:${id}`
  const draft = useMemo(() => readDraft<Draft>(draftName), [draftName])
  const failed = [loaded, flows].find(({ failure }) => failure)
  const isLoaded = (isNew || loaded.value) && flows.value
  if (!isLoaded) {
    return (
      <>
        <h1>Recipe</h1>
        {failed?.failure ? (
          <Failed failure={failed.failure} retry={failed.refetch} />
        ) : (
          <Loading lines={8} />
        )}
      </>
    )
  }
  const saved: Saved | undefined = loaded.value && { recipe: loaded.value, etag: loaded.etag }
  return (
    <Editing
      key={id}
      saved={saved}
      flows={flows.value?.flows.filter(({ recipes }) => recipes.includes(id)) ?? []}
      initial={draft ?? (saved ? draftOf(saved) : blank)}
      isRestored={draft !== undefined}
      draftName={draftName}
      onSaved={loaded.refetch}
    />
  )
}
