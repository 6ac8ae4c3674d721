/** Edits a recipe, beside what it makes of the past, and saves it. */

import { useEffect, useState } from 'preact/hooks'
import { go, linkTo } from '../../api/address.ts'
import { dropDraft, writeDraft } from '../../api/drafts.ts'
import type { Flow, RecipeInput } from '../../api/schema.ts'
import { may } from '../../api/session.ts'
import { CopyId } from '../../parts/copyId.tsx'
import { Failed } from '../../parts/states.tsx'
import { Conflict } from './conflict.tsx'
import { Members } from './members.tsx'
import { PastVerdicts } from './pastVerdicts.tsx'
import { type Draft, draftOf, isSame, type Saved } from './recipeDraft.ts'
import { type Saving, useSave } from './useSave.ts'

interface EditingProps {
  /** Undefined of a new recipe. */
  readonly saved: Saved | undefined
  /** Those that run it. */
  readonly flows: readonly Flow[]
  readonly initial: Draft
  readonly isRestored: boolean
  readonly draftName: string
  readonly onSaved: () => void
}

export function Editing({ saved, flows, initial, isRestored, draftName, onSaved }: EditingProps) {
  const [draft, setDraft] = useState<Draft>(initial)
  const isChanged = !saved || !isSame(draft.content, draftOf(saved).content)
  useEffect(() => {
    if (isChanged) writeDraft(draftName, draft)
    else dropDraft(draftName)
  }, [isChanged, draft, draftName])
  const saving = useSave(saved?.recipe.id, {
    firstSaid: isRestored ? 'Your unsaved changes of before are back.' : '',
    onSaved: (now) => {
      dropDraft(draftName)
      setDraft(draftOf(now))
      if (saved) onSaved()
      else go(linkTo(`/recipes/${now.recipe.id}`), 'replace')
    },
  })
  const submit = (event: Event) => {
    event.preventDefault()
    void saving.save(draft.content, draft.etag)
  }
  return (
    <form onSubmit={submit}>
      <Head saved={saved} />
      <div class="recipe-grid">
        <section class="card" aria-label="Recipe">
          <Fields
            content={draft.content}
            onChange={(content) => setDraft((now) => ({ ...now, content }))}
          />
          <Actions
            saving={saving}
            isChanged={isChanged}
            onDiscard={saved && (() => setDraft(draftOf(saved)))}
          />
        </section>
        {saved && may('author') && may('analyse') && (
          <PastVerdicts recipe={saved.recipe} content={draft.content} flows={flows} />
        )}
      </div>
      {saving.isConflict && saved && (
        <Conflict
          id={saved.recipe.id}
          mine={draft.content}
          onKeep={(etag) => void saving.save(draft.content, etag)}
          onTheirs={(theirs) => {
            setDraft(draftOf(theirs))
            saving.endConflict()
            onSaved()
          }}
          onClose={saving.endConflict}
        />
      )}
    </form>
  )
}

function Head({ saved }: Pick<EditingProps, 'saved'>) {
  if (!saved) return <h1>New recipe</h1>
  const { id, name } = saved.recipe
  return (
    <div class="head">
      <h1>
        <bdi>{name}</bdi>
      </h1>
      <CopyId id={id} />
      <a href={linkTo(`/versions/recipes/${id}`)}>Versions</a>
      {may('analyse') && <a href={linkTo(`/recipes/${id}/comparison`)}>Compare with another</a>}
    </div>
  )
}

const statuses = [
  ['DRAFT', 'draft: it does not run'],
  ['SHADOW', 'shadow: it runs and is recorded, and decides nothing'],
  ['LIVE', 'live: it decides'],
  ['INACTIVE', 'inactive: it no longer runs'],
] as const

interface FieldsProps {
  readonly content: RecipeInput
  readonly onChange: (content: RecipeInput) => void
}

function Fields({ content, onChange }: FieldsProps) {
  const isReadOnly = !may('author')
  return (
    <>
      <label>
        Name
        <input
          value={content.name}
          required
          maxLength={128}
          readOnly={isReadOnly}
          onInput={({ currentTarget: { value: name } }) => onChange({ ...content, name })}
        />
      </label>
      <label>
        Status
        <select
          value={content.status}
          disabled={isReadOnly}
          onChange={({ currentTarget: { value } }) =>
            onChange({ ...content, status: value as RecipeInput['status'] })
          }
        >
          {statuses.map(([status, words]) => (
            <option key={status} value={status}>
              {words}
            </option>
          ))}
        </select>
      </label>
      {content.base_recipe_id !== undefined && (
        <p class="soft">
          It extends the managed recipe <code>{content.base_recipe_id}</code>.
        </p>
      )}
      <Members content={content} isReadOnly={isReadOnly} onChange={onChange} />
    </>
  )
}

interface ActionsProps {
  readonly saving: Saving
  readonly isChanged: boolean
  /** Absent of a new recipe. */
  readonly onDiscard: (() => void) | undefined
}

function Actions({ saving, isChanged, onDiscard }: ActionsProps) {
  if (!may('author')) return null
  return (
    <>
      <div class="actions">
        <button type="submit" class="primary" disabled={!isChanged}>
          Save
        </button>
        {isChanged && onDiscard && (
          <button type="button" onClick={onDiscard}>
            Discard changes
          </button>
        )}
        <span role="status" class="soft">
          {saving.said}
        </span>
      </div>
      {saving.warnings.map((message) => (
        <p key={message} class="warning">
          {message}
        </p>
      ))}
      {saving.failure && <Failed failure={saving.failure} />}
    </>
  )
}
