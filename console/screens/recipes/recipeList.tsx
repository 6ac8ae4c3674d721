/** Lists the recipes of the account, with the flows that run them. */

import { linkTo } from '../../api/address.ts'
import { useAnswer } from '../../api/query.ts'
import type { Flow, Recipe } from '../../api/schema.ts'
import { may } from '../../api/session.ts'
import { Empty, Failed, Loading } from '../../parts/states.tsx'
import { Table } from '../../parts/table.tsx'

export function RecipeList() {
  const { value, failure, refetch } = useAnswer('GET /v2/watch/management/recipes', {
    query: { limit: 200 },
  })
  const flows = useAnswer('GET /v2/watch/management/flows', { query: { limit: 200 } })
  return (
    <>
      <div class="head">
        <h1>Recipes</h1>
        {may('author') && may('analyse') && <a href={linkTo('/backtests')}>Backtests</a>}
        {may('author') && (
          <a class="button primary" href={linkTo('/recipes/new')}>
            New recipe
          </a>
        )}
      </div>
      {failure && <Failed failure={failure} retry={refetch} />}
      {flows.failure && <Failed failure={flows.failure} retry={flows.refetch} />}
      {!value && !failure && <Loading lines={8} />}
      {value?.recipes.length === 0 && (
        <Empty title="No recipes yet">
          <p>
            A recipe adds up the weights of the rules that trigger, and flags from a threshold on.
          </p>
        </Empty>
      )}
      {value && value.recipes.length > 0 && (
        <Recipes recipes={value.recipes} flows={flows.value?.flows ?? []} />
      )}
      {flows.value && flows.value.flows.length > 0 && <FlowVersions flows={flows.value.flows} />}
      {value?.next_cursor !== undefined && <p class="soft">The first 200 recipes are shown.</p>}
    </>
  )
}

function FlowVersions({ flows }: { readonly flows: readonly Flow[] }) {
  return (
    <p class="marks">
      <span class="soft">Versions of the flows:</span>
      {flows.map(({ id, name }) => (
        <a key={id} href={linkTo(`/versions/flows/${id}`)}>
          <bdi>{name}</bdi>
        </a>
      ))}
    </p>
  )
}

interface RecipesProps {
  readonly recipes: readonly Recipe[]
  readonly flows: readonly Flow[]
}

function Recipes({ recipes, flows }: RecipesProps) {
  const namesOf = ({ id }: Recipe) =>
    flows.filter((flow) => flow.recipes.includes(id)).map(({ name }) => name)
  return (
    <Table
      name="Recipes"
      rows={recipes}
      keyOf={({ id }) => id}
      columns={[
        { title: 'Name', href: ({ id }) => linkTo(`/recipes/${id}`), cell: ({ name }) => name },
        {
          title: 'Status',
          isShort: true,
          show: ({ status }) => <span class="badge">{status.toLowerCase()}</span>,
          cell: ({ status }) => status,
        },
        { title: 'Flags from', isNumber: true, cell: ({ threshold }) => threshold },
        { title: 'Rules', isNumber: true, cell: ({ rules }) => rules.length },
        {
          title: 'Flows',
          show: (recipe) => <bdi>{namesOf(recipe).join(', ') || '–'}</bdi>,
          cell: (recipe) => namesOf(recipe).join('; '),
        },
      ]}
    />
  )
}
