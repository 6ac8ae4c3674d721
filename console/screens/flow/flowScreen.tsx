/** Loads a flow, or begins a new one, with the recipes that there are. */

import { useMemo } from 'preact/hooks'
import { readDraft } from '../../api/drafts.ts'
import { useAnswer } from '../../api/query.ts'
import { session } from '../../api/session.ts'
import { Failed, Loading } from '../../parts/states.tsx'
import type { ViewProps } from '../screen.ts'
import { Editing } from './editing.tsx'
import { blank, type Draft, draftOf, type Saved } from './flowDraft.ts'
import './flow.css'

export function FlowScreen({ params: { id = '' } }: ViewProps) {
  const isNew = id === 'new'
  const loaded = useAnswer(
    'GET /v2/watch/management/flows/{id}',
    { path: { id } },
    { enabled: !isNew },
  )
  const recipes = useAnswer('GET /v2/watch/management/recipes', { query: { limit: 200 } })
  const { value: now } = session
  const draftName = `${'who' in now ? now.who.account_id : ''}:flow:${id}`
  const draft = useMemo(() => readDraft<Draft>(draftName), [draftName])
  const failed = [loaded, recipes].find(({ failure }) => failure)
  if (!((isNew || loaded.value) && recipes.value)) {
    return (
      <>
        <h1>Flow</h1>
        {failed?.failure ? (
          <Failed failure={failed.failure} retry={failed.refetch} />
        ) : (
          <Loading lines={8} />
        )}
      </>
    )
  }
  const saved: Saved | undefined = loaded.value && { flow: loaded.value, etag: loaded.etag }
  return (
    <Editing
      key={id}
      saved={saved}
      recipes={recipes.value.recipes}
      initial={draft ?? (saved ? draftOf(saved) : blank)}
      isRestored={draft !== undefined}
      draftName={draftName}
      onSaved={loaded.refetch}
    />
  )
}
