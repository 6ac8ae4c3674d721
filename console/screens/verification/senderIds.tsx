/** Shows the sender IDs of the account with what was decided on each, and submits them. */

import { useState } from 'preact/hooks'
import { ask } from '../../api/client.ts'
import { forget, useAnswer } from '../../api/query.ts'
import { may } from '../../api/session.ts'
import { FormDialog } from '../../parts/formDialog.tsx'
import { Command, Empty, Failed, Loading } from '../../parts/states.tsx'
import { SenderTable } from './senderTable.tsx'

const path = '/v2/verification/management/sender-id'

export function SenderIds() {
  const { value, failure, refetch } = useAnswer(`GET ${path}`, {})
  const [isNew, setNew] = useState(false)
  const submit = async (text: (name: string) => string) => {
    await ask(`POST ${path}`, { body: { sender_id: text('sender_id') } })
    await forget(`GET ${path}`)
  }
  return (
    <section class="card" aria-labelledby="senders-title">
      <div class="card-head">
        <h2 id="senders-title">Sender IDs</h2>
        {may('manage') && (
          <button type="button" onClick={() => setNew(true)}>
            New sender ID
          </button>
        )}
      </div>
      {failure && <Failed failure={failure} retry={refetch} />}
      {!value && !failure && <Loading lines={5} />}
      {value?.sender_ids.length === 0 && (
        <Empty title="No sender IDs yet">
          <p>What phones show as the sender of a message, once the operator has approved it:</p>
          <Command>npx vigil sender-ids submit "Ada Shop"</Command>
        </Empty>
      )}
      {value && value.sender_ids.length > 0 && <SenderTable rows={value.sender_ids.toReversed()} />}
      {isNew && (
        <FormDialog title="New sender ID" verb="Submit" run={submit} onClose={() => setNew(false)}>
          <label>
            Sender, as phones show it
            <input name="sender_id" required maxLength={64} autocomplete="off" />
          </label>
          <p class="soft">
            The operator approves or rejects it; a rejected one may be tried again.
          </p>
        </FormDialog>
      )}
    </section>
  )
}
