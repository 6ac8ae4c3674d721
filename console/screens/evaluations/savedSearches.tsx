/** Lists the searches that the account has saved, and saves the one on the screen. */

import { useState } from 'preact/hooks'
import { linkTo } from '../../api/address.ts'
import { ask } from '../../api/client.ts'
import { forget, useAnswer } from '../../api/query.ts'
import { may } from '../../api/session.ts'
import { FormDialog } from '../../parts/formDialog.tsx'
import { Failed } from '../../parts/states.tsx'
import { type ListState, whereOf } from './listState.ts'

const searchesKey = 'GET /v2/watch/management/searches'
/** The others are behind a click. */
const shownMax = 8

export function SavedSearches({ state }: { readonly state: ListState }) {
  const { value, failure, refetch } = useAnswer(searchesKey, {})
  const [isSaving, open] = useState(false)
  const [refused, refuse] = useState<Error>()
  const where = whereOf({ ...state, flow: '' })
  const all = value?.searches ?? []
  const current = all.find(
    (one) => (one.where ?? '') === where && (one.flow_id ?? '') === state.flow,
  )
  const drop = async (search_id: string) => {
    const key = 'DELETE /v2/watch/management/searches/{search_id}'
    await ask(key, { path: { search_id } }).then(() => refuse(undefined), refuse)
    await forget(searchesKey)
  }
  if (failure) return <Failed failure={failure} retry={refetch} />
  const links = (some: typeof all) =>
    some.map((one) => (
      <a
        key={one.id}
        class="chip"
        href={linkTo('/evaluations', { where: one.where, flow: one.flow_id })}
        aria-current={one === current ? 'true' : undefined}
      >
        <bdi>{one.name}</bdi>
      </a>
    ))
  return (
    <section class="marks saved" aria-label="Saved searches">
      {all.length > 0 && <span class="soft">Saved</span>}
      {links(all.slice(0, shownMax))}
      {all.length > shownMax && (
        <details>
          <summary>{all.length - shownMax} more</summary>
          <div class="marks saved">{links(all.slice(shownMax))}</div>
        </details>
      )}
      {current ? (
        <>
          <a href={linkTo('/review', { search: current.id })}>Review</a>
          {may('analyse') && (
            <button type="button" class="quiet" onClick={() => void drop(current.id)}>
              Delete this search
            </button>
          )}
        </>
      ) : (
        may('analyse') &&
        (where !== '' || state.flow !== '') && (
          <button type="button" class="quiet" onClick={() => open(true)}>
            Save this search
          </button>
        )
      )}
      {refused && <Failed failure={refused} />}
      {isSaving && <Saving where={where} flow={state.flow} onClose={() => open(false)} />}
    </section>
  )
}

interface SavingProps {
  readonly where: string
  readonly flow: string
  readonly onClose: () => void
}

function Saving({ where, flow, onClose }: SavingProps) {
  const save = async (text: (name: string) => string) => {
    const about = { ...(where !== '' && { where }), ...(flow !== '' && { flow_id: flow }) }
    await ask('POST /v2/watch/management/searches', { body: { name: text('name'), ...about } })
    await forget(searchesKey)
  }
  return (
    <FormDialog title="Save this search" verb="Save" run={save} onClose={onClose}>
      <p>Everybody of the account sees it, and can review what it finds. The time is not saved.</p>
      {where !== '' && (
        <p>
          <code>{where}</code>
        </p>
      )}
      <label>
        Name
        <input name="name" maxLength={128} required autocomplete="off" />
      </label>
    </FormDialog>
  )
}
