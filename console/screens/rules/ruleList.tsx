/** Lists the rules of the account. */

import { linkTo } from '../../api/address.ts'
import { useAnswer } from '../../api/query.ts'
import { may } from '../../api/session.ts'
import { Command, Empty, Pending } from '../../parts/states.tsx'
import { Table } from '../../parts/table.tsx'

export function RuleList() {
  const answer = useAnswer('GET /v2/watch/management/rules', {
    query: { limit: 200 },
  })
  const { value } = answer
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
      <Pending of={answer} lines={8} />
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
