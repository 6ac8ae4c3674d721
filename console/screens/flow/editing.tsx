/** Edits a flow: its name, and which recipes decide in it. */

import { useEffect, useState } from 'preact/hooks'
import { go, linkTo } from '../../api/address.ts'
import type { ApiFailure } from '../../api/client.ts'
import { dropDraft, writeDraft } from '../../api/drafts.ts'
import { forget } from '../../api/query.ts'
import type { FlowInput, Recipe } from '../../api/schema.ts'
import { may } from '../../api/session.ts'
import { CopyId } from '../../parts/copyId.tsx'
import { Failed } from '../../parts/states.tsx'
import { Conflict } from './conflict.tsx'
import { type Draft, draftOf, isSame, put, type Saved } from './flowDraft.ts'
import { Impact } from './impact.tsx'

interface EditingProps {
  /** Undefined of a new flow. */
  readonly saved: Saved | undefined
  /** All of the account. */
  readonly recipes: readonly Recipe[]
  readonly initial: Draft
  readonly isRestored: boolean
  readonly draftName: string
  readonly onSaved: () => void
}

export function Editing(props: EditingProps) {
  const { saved, recipes, draftName, onSaved } = props
  const { draft, setDraft, isChanged, saving } = useEditing(props)
  const id = saved?.flow.id
  const submit = (event: Event) => {
    event.preventDefault()
    void saving.save(draft.etag)
  }
  return (
    <>
      <form onSubmit={submit}>
        <Head saved={saved} />
        <section class="card" aria-label="Flow">
          <Fields
            content={draft.content}
            recipes={recipes}
            onChange={(content) => setDraft((now) => ({ ...now, content }))}
          />
          {may('author') && (
            <div class="actions">
              <button type="submit" class="primary" disabled={!isChanged}>
                Save
              </button>
              {isChanged && saved && (
                <button type="button" onClick={() => setDraft(draftOf(saved))}>
                  Discard changes
                </button>
              )}
              <span role="status" class="soft">
                {saving.said}
              </span>
            </div>
          )}
          {saving.failure && <Failed failure={saving.failure} />}
        </section>
      </form>
      {id !== undefined && may('author') && may('analyse') && (
        <Impact id={id} recipes={draft.content.recipes} isChanged={isChanged} />
      )}
      {saving.isConflict && id !== undefined && (
        <Conflict
          id={id}
          mine={draft.content}
          onKeep={(etag) => void saving.save(etag)}
          onTheirs={(theirs) => {
            dropDraft(draftName)
            setDraft(draftOf(theirs))
            saving.endConflict()
            onSaved()
          }}
          onClose={saving.endConflict}
        />
      )}
    </>
  )
}

function useEditing({ saved, initial, isRestored, draftName, onSaved }: EditingProps) {
  const [draft, setDraft] = useState<Draft>(initial)
  const [failure, fail] = useState<ApiFailure>()
  const [isConflict, setConflict] = useState(false)
  const [said, say] = useState(isRestored ? 'Your unsaved changes of before are back.' : '')
  const isChanged = !saved || !isSame(draft.content, draftOf(saved).content)
  useEffect(() => {
    if (isChanged) writeDraft(draftName, draft)
    else dropDraft(draftName)
  }, [isChanged, draft, draftName])
  const save = async (etag: string | undefined) => {
    fail(undefined)
    say('')
    try {
      const { value, etag: newest } = await put(saved?.flow.id, draft.content, etag)
      const { warnings = [], ...flow } = value
      setConflict(false)
      dropDraft(draftName)
      setDraft(draftOf({ flow, etag: newest }))
      await forget('GET /v2/watch/management/flows', 'GET /v2/watch/management/flows/{id}/versions')
      say(['Saved as a new version.', ...warnings.map(({ message }) => message)].join(' '))
      if (saved) onSaved()
      else go(linkTo(`/flows/${flow.id}`), 'replace')
    } catch (error) {
      const refused = error as ApiFailure
      if (refused.status === 412) setConflict(true)
      else fail(refused)
    }
  }
  const saving = { failure, isConflict, said, save, endConflict: () => setConflict(false) }
  return { draft, setDraft, isChanged, saving }
}

function Head({ saved }: Pick<EditingProps, 'saved'>) {
  if (!saved) return <h1>New flow</h1>
  const { id, name } = saved.flow
  return (
    <div class="head">
      <h1>
        <bdi>{name}</bdi>
      </h1>
      <CopyId id={id} />
      <a href={linkTo(`/versions/flows/${id}`)}>Versions</a>
      <a href={linkTo('/evaluations', { flow: id })}>Evaluations</a>
    </div>
  )
}

const statuses = {
  LIVE: 'live: it decides',
  SHADOW: 'shadow: it is recorded and decides nothing',
  DRAFT: 'draft: it does not run',
  INACTIVE: 'inactive: it no longer runs',
} as const

interface FieldsProps {
  readonly content: FlowInput
  readonly recipes: readonly Recipe[]
  readonly onChange: (content: FlowInput) => void
}

function Fields({ content, recipes, onChange }: FieldsProps) {
  const isReadOnly = !may('author')
  const known = new Set(recipes.map(({ id }) => id))
  // managed ones, and those beyond the first 200
  const others = content.recipes.filter((id) => !known.has(id))
  const toggle = (id: string) =>
    onChange({
      ...content,
      recipes: content.recipes.includes(id)
        ? content.recipes.filter((one) => one !== id)
        : [...content.recipes, id],
    })
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
      <fieldset class="members-of-flow" disabled={isReadOnly}>
        <legend>Recipes; one that flags is enough</legend>
        {recipes.length + others.length === 0 && (
          <p class="soft">
            There is no recipe yet. <a href={linkTo('/recipes/new')}>Write one</a>
          </p>
        )}
        {[...recipes, ...others.map((id) => ({ id, name: id, status: undefined }))].map(
          ({ id, name, status }) => (
            <div key={id}>
              <label>
                <input
                  type="checkbox"
                  checked={content.recipes.includes(id)}
                  onChange={() => toggle(id)}
                />
                <bdi>{name}</bdi>
              </label>
              {status && <span class="soft">{statuses[status]}</span>}
              <a href={linkTo(`/recipes/${id}`)} aria-label={`Open ${name}`}>
                open
              </a>
            </div>
          ),
        )}
      </fieldset>
    </>
  )
}
