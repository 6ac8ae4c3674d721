/** Shows what a user is known by, and where they are signed in. */

import { linkTo } from '../../api/address.ts'
import { useAnswer } from '../../api/query.ts'
import type { Identifier, User } from '../../api/schema.ts'
import { may } from '../../api/session.ts'
import { CopyId } from '../../parts/copyId.tsx'
import { Moment } from '../../parts/moment.tsx'
import { Empty, Failed, Loading } from '../../parts/states.tsx'
import { Table } from '../../parts/table.tsx'
import { Value } from '../../parts/values.tsx'
import { WhoHasSeen } from '../../parts/whoHasSeen.tsx'
import type { ViewProps } from '../screen.ts'
import { Sessions } from './sessions.tsx'

export function UserScreen({ params: { app = '', id = '' } }: ViewProps) {
  const path = { appID: app, userID: id }
  const { value, failure, refetch } = useAnswer('GET /v2/session/apps/{appID}/users/{userID}', {
    path,
  })
  return (
    <>
      <div class="head">
        <h1>User</h1>
        <CopyId id={id} />
        {value && (
          <span class="soft">
            of <code>{app}</code> since <Moment at={value.created_at} />
          </span>
        )}
      </div>
      {failure && <Failed failure={failure} retry={refetch} />}
      {!value && !failure && <Loading lines={8} />}
      {value && <KnownBy user={value} />}
      {value && <Sessions path={path} />}
    </>
  )
}

function KnownBy({ user: { identifiers } }: { readonly user: User }) {
  return (
    <section class="card" aria-labelledby="known-title">
      <h2 id="known-title">Known by</h2>
      {identifiers.length === 0 ? (
        <Empty title="The person has been erased" />
      ) : (
        <Table
          name="Known by"
          rows={identifiers}
          keyOf={({ type, value }) => `${type} ${JSON.stringify(value)}`}
          columns={[
            { title: 'Value', show: ({ value }) => <Value of={value} />, cell: textOf },
            { title: 'Kind', show: ({ type }) => <code>{type}</code>, cell: ({ type }) => type },
            { title: 'On record', show: (one) => <OnRecord of={one} />, cell: () => '' },
          ]}
        />
      )}
    </section>
  )
}

const textOf = ({ value }: Identifier) => (typeof value === 'string' ? value : 'sealed')

/** What else there is of the person, where they can be asked for by this. */
function OnRecord({ of: { type, value } }: { readonly of: Identifier }) {
  const name = { phone_number: 'phone', email_address: 'email' }[type]
  if (name === undefined || typeof value !== 'string') return null
  const where = `${name} = ${JSON.stringify(value)}`
  return (
    <span class="marks">
      {may('analyse') && <a href={linkTo('/evaluations', { where, range: '30d' })}>Evaluations</a>}
      <WhoHasSeen person={value} />
    </span>
  )
}
