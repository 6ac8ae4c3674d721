/** Edits a recipe, beside what it makes of the past, and saves it. */

import { linkTo } from '../../api/address.ts'
import type { Followed } from '../../api/query.ts'
import type { Flow, Recipe, RecipeInput } from '../../api/schema.ts'
import { may } from '../../api/session.ts'
import { ConflictDialog } from '../../parts/conflictDialog.tsx'
import { CopyId } from '../../parts/copyId.tsx'
import { EditActions, NameField } from '../../parts/editActions.tsx'
import { Select } from '../../parts/fields.tsx'
import { type Editing as InWork, useEditing } from '../../parts/useEditing.ts'
import { Members } from './members.tsx'
import { PastVerdicts } from './pastVerdicts.tsx'

const blank: RecipeInput = { name: '', status: 'DRAFT', threshold: 50, rules: [] }

interface EditingProps {
  readonly loaded: Followed<Recipe>
  /** Those that run it. */
  readonly flows: readonly Flow[]
}

export function Editing({ loaded, flows }: EditingProps) {
  const editing = useEditing<RecipeInput>({ kind: 'recipes', loaded, blank })
  const saved = loaded.value
  return (
    <form onSubmit={editing.save}>
      {saved ? <Head of={saved} /> : <h1>New recipe</h1>}
      <div class="beside recipe-grid">
        <section class="card" aria-label="Recipe">
          <Fields of={editing} />
          <EditActions of={editing} />
        </section>
        {saved && may('author') && may('analyse') && (
          <PastVerdicts recipe={saved} content={editing.content} flows={flows} />
        )}
      </div>
      {editing.conflict && <ConflictDialog {...editing.conflict} />}
    </form>
  )
}

function Head({ of: { id, name } }: { readonly of: Recipe }) {
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

function Fields({ of: editing }: { readonly of: InWork<RecipeInput> }) {
  const { content, change } = editing
  const isReadOnly = !may('author')
  return (
    <>
      <NameField of={editing} />
      <Select
        label="Status"
        value={content.status}
        options={statuses}
        disabled={isReadOnly}
        onChange={(status) => status && change({ status })}
      />
      {content.base_recipe_id !== undefined && (
        <p class="soft">
          It extends the managed recipe <code>{content.base_recipe_id}</code>.
        </p>
      )}
      <Members content={content} isReadOnly={isReadOnly} onChange={change} />
    </>
  )
}
