/** Finds a user of an application by what they are known by, and lists all of them. */

import { go, here, linkTo } from '../../api/address.ts'
import { useAnswer } from '../../api/query.ts'
import type { App, User } from '../../api/schema.ts'
import { CopyId } from '../../parts/copyId.tsx'
import { Moment } from '../../parts/moment.tsx'
import { Command, Empty, Failed, Loading } from '../../parts/states.tsx'
import { Table } from '../../parts/table.tsx'
import { Value } from '../../parts/values.tsx'
import '../../parts/question.css'

export function UsersScreen() {
  const { value, failure, refetch } = useAnswer('GET /v2/session/apps', { query: { limit: 200 } })
  return (
    <>
      <div class="head">
        <h1>Users</h1>
      </div>
      {failure && <Failed failure={failure} retry={refetch} />}
      {!value && !failure && <Loading lines={8} />}
      {value?.apps.length === 0 && (
        <Empty title="No applications yet">
          <p>Users sign in to an application, such as a shop:</p>
          <Command>npx vigil apps register "Corner shop" --id corner1</Command>
        </Empty>
      )}
      {value && value.apps.length > 0 && <Users apps={value.apps} />}
    </>
  )
}

const pageSize = 50

function Users({ apps }: { readonly apps: readonly App[] }) {
  const { query } = here.value
  const app = query.get('app') ?? apps.find(({ retired_at }) => !retired_at)?.app_id ?? ''
  const known = query.get('known')?.trim() ?? ''
  const cursor = query.get('cursor') ?? undefined
  const { value, failure, refetch } = useAnswer('GET /v2/session/apps/{appID}/users', {
    path: { appID: app },
    query: known ? readIdentifier(known) : { limit: pageSize, ...(cursor && { cursor }) },
  })
  return (
    <>
      <Find key={`${app} ${known}`} apps={apps} app={app} known={known} />
      <section class="card" aria-labelledby="users-title">
        <h2 id="users-title">{known ? 'Found' : 'All users'}</h2>
        {failure && <Failed failure={failure} retry={refetch} />}
        {!value && !failure && <Loading lines={8} />}
        {value && <UserTable app={app} known={known} users={value.users} />}
        <div class="actions">
          {(known || cursor) && <a href={linkTo('/users', { app })}>All users</a>}
          {value?.next_cursor !== undefined && (
            <a href={linkTo('/users', { app, cursor: value.next_cursor })}>Next page</a>
          )}
        </div>
      </section>
    </>
  )
}

/** `type=value`; of a number or an address its type is plain, and anything else is what the customer calls the user. */
function readIdentifier(text: string): { readonly type: string; readonly value: string } {
  const [, named, rest] = /^([a-z][a-z0-9_]{0,31})=(.+)$/s.exec(text) ?? []
  if (named !== undefined && rest !== undefined) return { type: named, value: rest }
  if (text.includes('@')) return { type: 'email_address', value: text }
  return { type: text.startsWith('+') ? 'phone_number' : 'customer_user_id', value: text }
}

interface FindProps {
  readonly apps: readonly App[]
  readonly app: string
  readonly known: string
}

function Find({ apps, app, known }: FindProps) {
  const find = (event: Event) => {
    event.preventDefault()
    const fields = new FormData(event.currentTarget as HTMLFormElement)
    const [of, typed] = ['app', 'known'].map((name) => String(fields.get(name)).trim())
    const isId = /^usr_[0-9a-z]{26}$/.test(typed ?? '')
    go(isId ? linkTo(`/users/${of}/${typed}`) : linkTo('/users', { app: of, known: typed }))
  }
  return (
    <search>
      <form class="question" onSubmit={find}>
        <label class="wide">
          Phone number, mail address or id
          <input
            type="search"
            name="known"
            defaultValue={known}
            placeholder="+33612345678, or type=value"
          />
        </label>
        <label>
          Application
          <select
            name="app"
            value={app}
            onChange={({ currentTarget: { form } }) => form?.requestSubmit()}
          >
            {apps.map(({ app_id, name, retired_at }) => (
              <option key={app_id} value={app_id}>
                {name}
                {retired_at !== undefined && ' (retired)'}
              </option>
            ))}
          </select>
        </label>
        <button type="submit" class="primary">
          Find
        </button>
      </form>
    </search>
  )
}

interface TableProps {
  readonly app: string
  readonly known: string
  readonly users: readonly User[]
}

function UserTable({ app, known, users }: TableProps) {
  if (users.length === 0 && known) return <Empty title="Nobody is known by this" />
  if (users.length === 0) {
    return (
      <Empty title="No users yet">
        <p>The back end of the application creates them; by hand:</p>
        <Command>{`npx vigil users create ${app} --id phone_number=+33612345678`}</Command>
      </Empty>
    )
  }
  return (
    <Table
      name="Users"
      rows={users}
      keyOf={({ id }) => id}
      columns={[
        {
          title: 'Known by',
          show: ({ id, identifiers }) => (
            <a href={linkTo(`/users/${app}/${id}`)}>
              {identifiers.length === 0 && 'nothing: erased'}
              {identifiers.map(({ value }, index) => [index > 0 && ' · ', <Value of={value} />])}
            </a>
          ),
          cell: ({ identifiers }) =>
            identifiers
              .map(({ type, value }) => `${type}=${typeof value === 'string' ? value : 'sealed'}`)
              .join(' '),
        },
        {
          title: 'Since',
          show: ({ created_at }) => <Moment at={created_at} />,
          cell: ({ created_at }) => created_at,
        },
        { title: 'Id', show: ({ id }) => <CopyId id={id} shown={6} />, cell: ({ id }) => id },
      ]}
    />
  )
}
