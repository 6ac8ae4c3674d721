/** Shows what an account may do, and its tokens with their last use. */

import { ask } from '../../api/client.ts'
import { useAnswer } from '../../api/query.ts'
import type { AccountSdkKey, AccountView } from '../../api/schema.ts'
import { CopyId } from '../../parts/copyId.tsx'
import { Moment } from '../../parts/moment.tsx'
import { Failed, Pending } from '../../parts/states.tsx'
import { Table } from '../../parts/table.tsx'
import { useWork } from '../../parts/useWork.ts'
import type { ViewProps } from '../screen.ts'
import { Tokens } from './tokens.tsx'
import './account.css'

export function AccountScreen({ params: { id = '' } }: ViewProps) {
  const path = { account_id: id }
  const answer = useAnswer('GET /v2/operator/accounts/{account_id}', { path })
  const { value, refetch } = answer
  if (!value) return <Pending of={answer} title="Account" lines={8} />
  return (
    <>
      <div class="head">
        <h1>
          <bdi>{value.name}</bdi>
        </h1>
        <CopyId id={id} />
        <span class="soft">
          opened <Moment at={value.opened_at} />
        </span>
      </div>
      <Pending of={answer} />
      <Access account={value} onChanged={refetch} />
      <Tokens account={value} onChanged={refetch} />
      {value.sdk_keys.length > 0 && <SdkKeys keys={value.sdk_keys} />}
    </>
  )
}

const rights = [
  ['authoring', 'writes rules, recipes and flows of its own'],
  ['management', 'manages phone lists and settings of verification'],
  ['trusted_user', 'may say that a user is trusted'],
  ['custom_suffix', 'may end messages with a text of its own'],
] as const

interface AccessProps {
  readonly account: AccountView
  readonly onChanged: () => void
}

function Access({ account, onChanged }: AccessProps) {
  const { failure, isBusy, run } = useWork()
  const change = (right: (typeof rights)[number][0]) => {
    const { account_id, authoring, management, trusted_user, custom_suffix } = account
    const body = { authoring, management, trusted_user, custom_suffix, [right]: !account[right] }
    run(async () => {
      await ask('PUT /v2/operator/accounts/{account_id}/access', { path: { account_id }, body })
      onChanged()
    })
  }
  return (
    <section class="card" aria-labelledby="access-title" aria-busy={isBusy}>
      <h2 id="access-title">The account</h2>
      <div class="rights">
        {rights.map(([right, words]) => (
          <label key={right}>
            <input type="checkbox" checked={account[right]} onChange={() => change(right)} />
            {words}
          </label>
        ))}
      </div>
      {failure && <Failed failure={failure} />}
    </section>
  )
}

function SdkKeys({ keys }: { readonly keys: readonly AccountSdkKey[] }) {
  return (
    <section class="card" aria-labelledby="keys-title">
      <h2 id="keys-title">Keys of front ends</h2>
      <Table
        name="Keys of front ends"
        rows={keys}
        keyOf={({ key_id }) => key_id}
        columns={[
          { title: 'Name', cell: ({ name, key_id }) => name ?? key_id },
          { title: 'Key', as: 'id', cell: ({ sdk_key }) => sdk_key },
          {
            title: 'Pages',
            show: ({ origins = [] }) => origins.join(', ') || <span class="soft">any</span>,
            cell: ({ origins = [] }) => origins.join(' '),
          },
          {
            title: 'Last use',
            as: 'moment',
            none: 'never',
            cell: ({ last_used_at }) => last_used_at,
          },
          {
            title: 'State',
            show: ({ revoked_at }) => (revoked_at ? <Moment at={revoked_at} /> : 'valid'),
            cell: ({ revoked_at }) => revoked_at ?? 'valid',
          },
        ]}
      />
    </section>
  )
}
