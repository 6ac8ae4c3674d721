/** Lists the accounts with their tokens, and opens new ones. */

import { useState } from 'preact/hooks'
import { go, here, linkTo } from '../../api/address.ts'
import { ask } from '../../api/client.ts'
import { forget, useAnswer } from '../../api/query.ts'
import type { AccountView } from '../../api/schema.ts'
import { FormDialog } from '../../parts/formDialog.tsx'
import { Moment } from '../../parts/moment.tsx'
import { Empty, Pending } from '../../parts/states.tsx'
import { Table } from '../../parts/table.tsx'

export function AccountList() {
  const [isNew, setNew] = useState(false)
  const cursor = here.value.query.get('cursor') ?? undefined
  const answer = useAnswer('GET /v2/operator/accounts', {
    query: { limit: 100, ...(cursor && { cursor }) },
  })
  const { value } = answer
  return (
    <>
      <div class="head">
        <h1>Accounts</h1>
        <button type="button" class="button primary" onClick={() => setNew(true)}>
          New account
        </button>
      </div>
      <Pending of={answer} lines={6} />
      {value?.accounts.length === 0 && (
        <Empty title="No accounts yet">
          <p>An account has flows, rules and tokens of its own.</p>
        </Empty>
      )}
      {value && value.accounts.length > 0 && <Accounts accounts={value.accounts} />}
      <div class="actions">
        {cursor !== undefined && <a href={linkTo('/accounts')}>First page</a>}
        {value?.next_cursor !== undefined && (
          <a href={linkTo('/accounts', { cursor: value.next_cursor })}>Next page</a>
        )}
      </div>
      {isNew && <NewAccount onClose={() => setNew(false)} />}
    </>
  )
}

const living = ({ tokens }: AccountView) => tokens.filter(({ revoked_at }) => !revoked_at)

const lastUse = (account: AccountView): string | undefined =>
  living(account)
    .flatMap(({ last_used_at = '' }) => last_used_at || [])
    .toSorted()
    .at(-1)

function Accounts({ accounts }: { readonly accounts: readonly AccountView[] }) {
  return (
    <Table
      name="Accounts"
      rows={accounts}
      keyOf={({ account_id }) => account_id}
      columns={[
        {
          title: 'Name',
          href: ({ account_id }) => linkTo(`/accounts/${account_id}`),
          cell: ({ name }) => name,
        },
        { title: 'Opened', as: 'moment', cell: ({ opened_at }) => opened_at },
        { title: 'Tokens', isNumber: true, cell: (account) => living(account).length },
        {
          title: 'Last use',
          show: (account) => {
            const at = lastUse(account)
            return at === undefined ? <span class="soft">never</span> : <Moment at={at} />
          },
          cell: lastUse,
        },
        { title: 'Id', as: 'id', cell: ({ account_id }) => account_id },
      ]}
    />
  )
}

function NewAccount({ onClose }: { readonly onClose: () => void }) {
  const create = async (text: (name: string) => string) => {
    const { value } = await ask('POST /v2/operator/accounts', { body: { name: text('name') } })
    await forget('GET /v2/operator/accounts')
    go(linkTo(`/accounts/${value.account_id}`))
  }
  return (
    <FormDialog title="New account" verb="Open the account" run={create} onClose={onClose}>
      <label>
        Name
        <input name="name" required maxLength={128} />
      </label>
    </FormDialog>
  )
}
