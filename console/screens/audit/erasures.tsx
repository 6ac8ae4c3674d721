/** Erases a person, and shows the certificate of an erasure. */

import { useState } from 'preact/hooks'
import { go, here, linkTo } from '../../api/address.ts'
import { ask } from '../../api/client.ts'
import { useAnswer } from '../../api/query.ts'
import { may } from '../../api/session.ts'
import { CopyId } from '../../parts/copyId.tsx'
import { TextField } from '../../parts/fields.tsx'
import { FormDialog } from '../../parts/formDialog.tsx'
import { Moment } from '../../parts/moment.tsx'
import { Pending } from '../../parts/states.tsx'
import { Tiles } from '../../parts/tiles.tsx'
import { count } from '../../parts/values.tsx'

export function Erasures() {
  const id = here.value.query.get('erasure') ?? ''
  const show = (event: SubmitEvent) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget as HTMLFormElement)
    go(linkTo('/audit', { tab: 'erasure', erasure: String(form.get('erasure') ?? '').trim() }))
  }
  return (
    <>
      <form class="audit-form" onSubmit={show} key={id}>
        <label>
          Certificate
          <input name="erasure" defaultValue={id} placeholder="era_…" required />
        </label>
        <button type="submit">Show</button>
      </form>
      {id !== '' && <Certificate id={id} />}
      {may('manage') ? (
        <Erase />
      ) : (
        <p class="warning">Erasing a person needs the scope manage, too: this token reads only.</p>
      )}
    </>
  )
}

function Certificate({ id }: { readonly id: string }) {
  const answer = useAnswer('GET /v2/watch/subjects/erasures/{erasure_id}', {
    path: { erasure_id: id },
  })
  const { value } = answer
  return (
    <section class="card" aria-labelledby="certificate-title">
      <h2 id="certificate-title">Certificate of an erasure</h2>
      <Pending of={answer} />
      {value && (
        <>
          <p>
            A person known by {value.kind.replace('_', ' ')} was erased:{' '}
            <Moment at={value.erased_at} />
          </p>
          <p class="marks">
            <CopyId id={value.id} /> <span class="soft">asked by</span>{' '}
            <CopyId id={value.requested_by} />
          </p>
          {value.reason !== undefined && (
            <p>
              Reason: <bdi>{value.reason}</bdi>
            </p>
          )}
          <Tiles
            of={(['keys', 'evaluations', 'dispatches', 'users'] as const).map((name) => ({
              title: name === 'keys' ? 'keys destroyed' : `${name} forgotten`,
              figure: count(value[name]),
            }))}
          />
        </>
      )}
    </section>
  )
}

const reasonLabel = (
  <>
    Reason <span class="soft">(must name nobody)</span>
  </>
)

function Erase() {
  const [who, type] = useState('')
  const [reason, explain] = useState('')
  const [isAsking, setAsking] = useState(false)
  const kind = who.includes('@') ? 'email_address' : 'phone_number'
  const erase = async () => {
    const body = { [kind]: who.trim(), ...(reason.trim() !== '' && { reason: reason.trim() }) }
    const { value } = await ask('POST /v2/watch/subjects/erase', { body })
    type('')
    explain('')
    go(linkTo('/audit', { tab: 'erasure', erasure: value.id }))
  }
  return (
    <section class="card" aria-labelledby="erase-title">
      <h2 id="erase-title">Erase a person</h2>
      <p>
        The keys of all that is known of the person are destroyed, for good. Verdicts stay on record
        without their evidence.
      </p>
      <form
        class="audit-form"
        onSubmit={(event) => {
          event.preventDefault()
          setAsking(true)
        }}
      >
        <TextField label="Phone number or e-mail address" value={who} required onChange={type} />
        <TextField label={reasonLabel} value={reason} maxLength={200} onChange={explain} />
        <button type="submit">Erase…</button>
      </form>
      {isAsking && (
        <FormDialog
          title="Erase this person for good?"
          verb="Erase for good"
          keep="Keep"
          run={erase}
          onClose={() => setAsking(false)}
        >
          <p>
            {kind === 'email_address' ? 'The address' : 'The number'}{' '}
            <b>
              <bdi>{who}</bdi>
            </b>
            , in all that is on record. It cannot be undone.
          </p>
        </FormDialog>
      )}
    </section>
  )
}
