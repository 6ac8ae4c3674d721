/** Edits a flow: its name, and which recipes decide in it. */

import { linkTo } from '../../api/address.ts'
import type { Followed } from '../../api/query.ts'
import type { Flow, FlowInput, Recipe } from '../../api/schema.ts'
import { may } from '../../api/session.ts'
import { ConflictDialog } from '../../parts/conflictDialog.tsx'
import { CopyId } from '../../parts/copyId.tsx'
import { EditActions, NameField } from '../../parts/editActions.tsx'
import { useEditing } from '../../parts/useEditing.ts'
import { Impact } from './impact.tsx'

const blank: FlowInput = { name: '', recipes: [] }

interface EditingProps {
  readonly loaded: Followed<Flow>
  /** All of the account. */
  readonly recipes: readonly Recipe[]
}

export function Editing({ loaded, recipes }: EditingProps) {
  const editing = useEditing<FlowInput>({ kind: 'flows', loaded, blank })
  const saved = loaded.value
  const chosen = editing.content.recipes
  return (
    <>
      <form onSubmit={editing.save}>
        {saved ? <Head of={saved} /> : <h1>New flow</h1>}
        <section class="card" aria-label="Flow">
          <NameField of={editing} />
          <Members all={recipes} chosen={chosen} onChange={editing.change} />
          <EditActions of={editing} />
        </section>
      </form>
      {saved && may('author') && may('analyse') && (
        <Impact id={saved.id} recipes={chosen} isChanged={editing.isChanged} />
      )}
      {editing.conflict && <ConflictDialog {...editing.conflict} />}
    </>
  )
}

function Head({ of: { id, name } }: { readonly of: Flow }) {
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

interface MembersProps {
  readonly all: readonly Recipe[]
  readonly chosen: readonly string[]
  readonly onChange: (part: Pick<FlowInput, 'recipes'>) => void
}

function Members({ all, chosen, onChange }: MembersProps) {
  const known = new Set(all.map(({ id }) => id))
  // managed ones, and those beyond the first 200
  const others = chosen.filter((id) => !known.has(id))
  const toggle = (id: string) =>
    onChange({
      recipes: chosen.includes(id) ? chosen.filter((one) => one !== id) : [...chosen, id],
    })
  return (
    <fieldset class="members-of-flow" disabled={!may('author')}>
      <legend class="label">Recipes; one that flags is enough</legend>
      {all.length + others.length === 0 && (
        <p class="soft">
          There is no recipe yet. <a href={linkTo('/recipes/new')}>Write one</a>
        </p>
      )}
      {[...all, ...others.map((id) => ({ id, name: id, status: undefined }))].map(
        ({ id, name, status }) => (
          <div key={id}>
            <label>
              <input type="checkbox" checked={chosen.includes(id)} onChange={() => toggle(id)} />
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
  )
}
