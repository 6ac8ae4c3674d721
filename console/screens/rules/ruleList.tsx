/** Lists the rules of the account. */

import { linkTo } from '../../api/address.ts'
import { useAnswer } from '../../api/query.ts'
import { may } from '../../api/session.ts'
import { Command, Empty, Failed, Loading } from '../../parts/states.tsx'
import { Table } from '../../parts/table.tsx'

export function RuleList() {
  const { value, failure, refetch } = useAnswer('GET /v2/watch/management/rules', {
    query: { limit: 200 },
  })
  return (
    <>
      <div class="head">
        <h1>Rules</h1>
        {may('analyse', 'audit') && <a href={linkTo('/report')}>Report</a>}
        {may('author') && (
          <a class="button primary" href={linkTo('/rules/new')}>
            New rule
          </a>
        )}
      </div>
      {failure && <Failed failure={failure} retry={refetch} />}
      {!value && !failure && <Loading lines={8} />}
      {value?.rules.length === 0 && (
        <Empty title="No rules yet">
          <p>A rule is a condition on what arrives with a request. Write the first one here, or:</p>
          <Command>
            {'npx vigil rules create "Large cart" \'double(signal.ext.cart_total) > 500.0\''}
          </Command>
        </Empty>
      )}
      {value && value.rules.length > 0 && (
        <Table
          name="Rules"
          rows={value.rules}
          keyOf={({ id }) => id}
          columns={[
            { title: 'Name', href: ({ id }) => linkTo(`/rules/${id}`), cell: ({ name }) => name },
            {
              title: 'Condition',
              show: ({ expression }) => <code class="clip">{expression}</code>,
              cell: ({ expression }) => expression,
            },
            { title: 'Id', as: 'id', cell: ({ id }) => id },
          ]}
        />
      )}
      {value?.next_cursor !== undefined && <p class="soft">The first 200 rules are shown.</p>}
    </>
  )
}
