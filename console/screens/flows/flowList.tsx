/** Lists the flows of the account with the recipes that decide in them. */

import { linkTo } from '../../api/address.ts'
import { useAnswer } from '../../api/query.ts'
import type { Flow } from '../../api/schema.ts'
import { may } from '../../api/session.ts'
import { Command, Empty, Pending } from '../../parts/states.tsx'
import { Table } from '../../parts/table.tsx'
import { useNames } from '../../parts/useNames.ts'

export function FlowList() {
  const answer = useAnswer('GET /v2/watch/management/flows', {
    query: { limit: 200 },
  })
  const { value } = answer
  return (
    <>
      <div class="head">
        <h1>Flows</h1>
        {may('author') && (
          <a class="button primary" href={linkTo('/flows/new')}>
            New flow
          </a>
        )}
      </div>
      <Pending of={answer} lines={6} />
      {value?.flows.length === 0 && (
        <Empty title="No flows yet">
          <p>A flow is a place where people are checked, such as the signup. Programs name it:</p>
          <Command>npx vigil eval FLOW --phone +33612345678</Command>
        </Empty>
      )}
      {value && value.flows.length > 0 && <Flows flows={value.flows} />}
      {value?.next_cursor !== undefined && <p class="soft">The first 200 flows are shown.</p>}
    </>
  )
}

function Flows({ flows }: { readonly flows: readonly Flow[] }) {
  const names = useNames('recipes')
  const nameOf = (id: string) => names.get(id) ?? id
  return (
    <Table
      name="Flows"
      rows={flows}
      keyOf={({ id }) => id}
      columns={[
        { title: 'Name', href: ({ id }) => linkTo(`/flows/${id}`), cell: ({ name }) => name },
        {
          title: 'Recipes',
          show: ({ recipes }) =>
            recipes.length === 0 ? (
              <span class="soft">none: it passes everybody</span>
            ) : (
              <span class="marks">
                {recipes.map((id) => (
                  <a key={id} href={linkTo(`/recipes/${id}`)}>
                    <bdi>{nameOf(id)}</bdi>
                  </a>
                ))}
              </span>
            ),
          cell: ({ recipes }) => recipes.map(nameOf).join('; '),
        },
        {
          title: 'Verdicts',
          show: ({ id }) => <a href={linkTo('/evaluations', { flow: id })}>evaluations</a>,
          cell: () => '',
        },
        { title: 'Id', as: 'id', cell: ({ id }) => id },
      ]}
    />
  )
}
