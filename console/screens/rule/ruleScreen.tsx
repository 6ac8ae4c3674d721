/** Loads a rule, or begins a new one, and shows its editor with what it did so far. */

import { useMemo } from 'preact/hooks'
import { readDraft } from '../../api/drafts.ts'
import { useAnswer } from '../../api/query.ts'
import { may, session } from '../../api/session.ts'
import { Failed, Loading } from '../../parts/states.tsx'
import type { ViewProps } from '../screen.ts'
import { Editing } from './editing.tsx'
import { type Draft, draftOf, type Saved } from './ruleDraft.ts'
import { Usage } from './usage.tsx'
import { Versions } from './versions.tsx'
import './rule.css'

const blank: Draft = { name: '', expression: '' }

export function RuleScreen({ params: { id = '' } }: ViewProps) {
  const isNew = id === 'new'
  const loaded = useAnswer(
    'GET /v2/watch/management/rules/{id}',
    { path: { id } },
    { enabled: !isNew },
  )
  const draftName = useDraftName(id)
  const draft = useMemo(() => readDraft<Draft>(draftName), [draftName])
  if (!isNew && !loaded.value) {
    return (
      <>
        <h1>Rule</h1>
        {loaded.failure ? (
          <Failed failure={loaded.failure} retry={loaded.refetch} />
        ) : (
          <Loading lines={8} />
        )}
      </>
    )
  }
  const saved: Saved | undefined = loaded.value && { rule: loaded.value, etag: loaded.etag }
  return (
    <>
      <Editing
        key={id}
        id={isNew ? undefined : id}
        saved={saved}
        initial={draft ?? (saved ? draftOf(saved) : blank)}
        isRestored={draft !== undefined}
        draftName={draftName}
        onSaved={loaded.refetch}
      />
      {saved && may('author') && <Usage id={id} />}
      {saved && <Versions id={id} current={saved} onRestored={loaded.refetch} />}
    </>
  )
}

/** Drafts are of an account, so that another that signs in does not see them. */
function useDraftName(id: string): string {
  const { value } = session
  return `${'who' in value ? value.who.account_id : ''}:rule:${id}`
}
