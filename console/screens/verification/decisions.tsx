/** Shows the sender IDs that accounts have submitted, for the operator, who approves or rejects them. */

import { useState } from 'preact/hooks'
import { here, linkTo } from '../../api/address.ts'
import { ask } from '../../api/client.ts'
import { forget, useAnswer } from '../../api/query.ts'
import type { SubmittedSenderId } from '../../api/schema.ts'
import { FormDialog } from '../../parts/formDialog.tsx'
import { Command, Empty, Failed, Loading } from '../../parts/states.tsx'
import { SenderTable } from './senderTable.tsx'

const statuses = ['pending', 'approved', 'rejected'] as const

export function Decisions() {
  const { query } = here.value
  const status = statuses.find((one) => one === query.get('status')) ?? 'pending'
  const cursor = query.get('cursor') ?? undefined
  const { value, failure, refetch } = useAnswer('GET /v2/operator/sender-ids', {
    query: { status, limit: 100, ...(cursor && { cursor }) },
  })
  return (
    <section class="card" aria-labelledby="senders-title">
      <h2 id="senders-title">Sender IDs</h2>
      <nav class="tabs" aria-label="Sender IDs by state">
        {statuses.map((one) => (
          <a
            key={one}
            href={linkTo('/verification', { status: one })}
            aria-current={one === status ? 'page' : undefined}
          >
            {one}
          </a>
        ))}
      </nav>
      {failure && <Failed failure={failure} retry={refetch} />}
      {!value && !failure && <Loading lines={5} />}
      {value?.sender_ids.length === 0 && (
        <Empty title={status === 'pending' ? 'Nothing waits for a decision' : 'There are none'}>
          <p>At a terminal:</p>
          <Command>{`npx vigil sender-ids review --status ${status}`}</Command>
        </Empty>
      )}
      {value && value.sender_ids.length > 0 && <Submitted rows={value.sender_ids} />}
      {value?.next_cursor !== undefined && (
        <a href={linkTo('/verification', { status, cursor: value.next_cursor })}>Next page</a>
      )}
    </section>
  )
}

interface Decision {
  readonly one: SubmittedSenderId
  /** Of the account. */
  readonly name: string
  readonly verb: 'Approve' | 'Reject'
}

const verbsOf = {
  pending: ['Approve', 'Reject'],
  approved: ['Reject'],
  rejected: ['Approve'],
} as const

function Submitted({ rows }: { readonly rows: readonly SubmittedSenderId[] }) {
  const [decision, decide] = useState<Decision>()
  const { value } = useAnswer('GET /v2/operator/accounts', { query: { limit: 100 } })
  const names = new Map(value?.accounts.map(({ account_id, name }) => [account_id, name]))
  const nameOf = ({ account_id }: SubmittedSenderId) => names.get(account_id) ?? account_id
  return (
    <>
      <SenderTable
        rows={rows}
        more={[
          {
            title: 'Account',
            show: (one) => (
              <a href={linkTo(`/accounts/${one.account_id}`)}>
                <bdi>{nameOf(one)}</bdi>
              </a>
            ),
            cell: ({ account_id }) => account_id,
          },
          {
            title: 'Decision',
            show: (one) => (
              <span class="row-actions">
                {verbsOf[one.status].map((verb) => (
                  <button
                    key={verb}
                    type="button"
                    class="quiet"
                    aria-label={`${verb} ${one.sender_id} of ${nameOf(one)}`}
                    onClick={() => decide({ one, verb, name: nameOf(one) })}
                  >
                    {verb}
                  </button>
                ))}
              </span>
            ),
            cell: () => '',
          },
        ]}
      />
      {decision && <Deciding {...decision} onClose={() => decide(undefined)} />}
    </>
  )
}

function Deciding({ one, name, verb, onClose }: Decision & { readonly onClose: () => void }) {
  const { account_id, sender_id } = one
  const path = { account_id }
  const base = 'POST /v2/operator/accounts/{account_id}/sender-ids'
  const decide = async (text: (name: string) => string) => {
    const reason = text('reason')
    if (verb === 'Reject') await ask(`${base}/reject`, { path, body: { sender_id, reason } })
    else await ask(`${base}/approve`, { path, body: { sender_id, ...(reason && { reason }) } })
    await forget('GET /v2/operator/sender-ids')
  }
  return (
    <FormDialog title={`${verb} ${sender_id}?`} verb={verb} run={decide} onClose={onClose}>
      <p>
        Messages of <bdi>{name}</bdi> would show it as their sender.
      </p>
      <label>
        Reason, which the account reads
        <input name="reason" required={verb === 'Reject'} maxLength={500} autocomplete="off" />
      </label>
    </FormDialog>
  )
}
