/** Shows the tokens of an account with their last use, and revokes them. */

import { useState } from 'preact/hooks'
import { ask } from '../../api/client.ts'
import type { AccountToken, AccountView } from '../../api/schema.ts'
import { FormDialog } from '../../parts/formDialog.tsx'
import { Moment } from '../../parts/moment.tsx'
import { Empty } from '../../parts/states.tsx'
import { Table } from '../../parts/table.tsx'
import { NewToken } from './newToken.tsx'

interface TokensProps {
  readonly account: AccountView
  readonly onChanged: () => void
}

export function Tokens({ account, onChanged }: TokensProps) {
  const [isNew, setNew] = useState(false)
  const [revoking, revoke] = useState<AccountToken>()
  const { account_id, tokens } = account
  return (
    <section class="card" aria-labelledby="tokens-title">
      <div class="card-head">
        <h2 id="tokens-title">Tokens</h2>
        <button type="button" onClick={() => setNew(true)}>
          New token
        </button>
      </div>
      {tokens.length === 0 ? (
        <Empty title="No tokens yet">
          <p>Programs and people of the account come in with a token.</p>
        </Empty>
      ) : (
        <TokenTable tokens={tokens} onRevoke={revoke} />
      )}
      {isNew && (
        <NewToken
          account_id={account_id}
          onClose={() => {
            setNew(false)
            onChanged()
          }}
        />
      )}
      {revoking && (
        <Revoking
          account_id={account_id}
          token={revoking}
          onClose={() => {
            revoke(undefined)
            onChanged()
          }}
        />
      )}
    </section>
  )
}

const nameOf = ({ name, token_id }: AccountToken) => name ?? token_id

interface TableProps {
  readonly tokens: readonly AccountToken[]
  readonly onRevoke: (token: AccountToken) => void
}

function TokenTable({ tokens, onRevoke }: TableProps) {
  return (
    <Table
      name="Tokens"
      rows={tokens}
      keyOf={({ token_id }) => token_id}
      columns={[
        { title: 'Name', cell: nameOf },
        {
          title: 'Scopes',
          show: ({ scopes }) => scopes.join(', '),
          cell: ({ scopes }) => scopes.join(' '),
        },
        { title: 'Issued', as: 'moment', cell: ({ issued_at }) => issued_at },
        {
          title: 'Last use',
          as: 'moment',
          none: 'never',
          cell: ({ last_used_at }) => last_used_at,
        },
        {
          title: 'State',
          show: (token) => <State token={token} onRevoke={onRevoke} />,
          cell: ({ revoked_at, expires_at }) =>
            revoked_at ? `revoked ${revoked_at}` : expires_at ? `until ${expires_at}` : 'valid',
        },
      ]}
    />
  )
}

interface StateProps extends Pick<TableProps, 'onRevoke'> {
  readonly token: AccountToken
}

function State({ token, onRevoke }: StateProps) {
  const { revoked_at, expires_at } = token
  if (revoked_at !== undefined) {
    return (
      <span>
        revoked <Moment at={revoked_at} />
      </span>
    )
  }
  return (
    <span class="marks">
      {expires_at === undefined ? 'does not expire' : `until ${expires_at.slice(0, 10)}`}
      <button
        type="button"
        class="quiet"
        aria-label={`Revoke ${nameOf(token)}`}
        onClick={() => onRevoke(token)}
      >
        Revoke
      </button>
    </span>
  )
}

interface RevokingProps {
  readonly account_id: string
  readonly token: AccountToken
  readonly onClose: () => void
}

function Revoking({ account_id, token, onClose }: RevokingProps) {
  const path = { account_id, token_id: token.token_id }
  return (
    <FormDialog
      title={`Revoke ${nameOf(token)}?`}
      verb="Revoke it"
      keep="Keep it"
      run={() => ask('DELETE /v2/operator/accounts/{account_id}/tokens/{token_id}', { path })}
      onClose={onClose}
    >
      <p>Who uses it is refused from now on, sessions of the console too. It cannot be undone.</p>
    </FormDialog>
  )
}
