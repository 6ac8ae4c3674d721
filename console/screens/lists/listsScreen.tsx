/** Shows the lists that rules look up, and the phone lists that every account has. */

import { useState } from 'preact/hooks'
import { linkTo } from '../../api/address.ts'
import { useAnswer } from '../../api/query.ts'
import { may } from '../../api/session.ts'
import { Command, Empty, Pending } from '../../parts/states.tsx'
import { Table } from '../../parts/table.tsx'
import { kindWords, NewList } from './newList.tsx'

export function ListsScreen() {
  const [isNew, setNew] = useState(false)
  return (
    <>
      <div class="head">
        <h1>Lists</h1>
        {may('author') && (
          <button type="button" class="button primary" onClick={() => setNew(true)}>
            New list
          </button>
        )}
      </div>
      {may('manage', 'audit') && (
        <section class="card" aria-labelledby="phones-title">
          <h2 id="phones-title">Phone numbers</h2>
          <p class="marks">
            <a href={linkTo('/lists/allow')}>Allowed numbers</a>
            <a href={linkTo('/lists/block')}>Blocked numbers</a>
          </p>
          <p class="soft">
            Rules read them as <code>list.allow</code> and <code>list.block</code>.
          </p>
        </section>
      )}
      {may('author', 'audit') && <Lists />}
      {isNew && <NewList onClose={() => setNew(false)} />}
    </>
  )
}

function Lists() {
  const answer = useAnswer('GET /v2/watch/management/lists', {
    query: { limit: 200 },
  })
  const { value } = answer
  return (
    <section class="card" aria-labelledby="lists-title">
      <h2 id="lists-title">Lists of rules</h2>
      <Pending of={answer} lines={5} />
      {value?.lists.length === 0 && (
        <Empty title="No lists yet">
          <p>A rule asks a list by its name, such as the addresses of the staff:</p>
          <Command>{'inList("vip", target.email_address)'}</Command>
        </Empty>
      )}
      {value && value.lists.length > 0 && (
        <Table
          name="Lists"
          rows={value.lists}
          keyOf={({ id }) => id}
          columns={[
            {
              title: 'Name',
              as: 'code',
              href: ({ id }) => linkTo(`/lists/${id}`),
              cell: ({ name }) => name,
            },
            {
              title: 'Of',
              show: ({ kind }) => kindWords[kind],
              cell: ({ kind }) => kind,
            },
            { title: 'Description', cell: ({ description }) => description },
            { title: 'Id', as: 'id', cell: ({ id }) => id },
          ]}
        />
      )}
    </section>
  )
}
