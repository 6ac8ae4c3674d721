/** Shows where a rule is used, and puts it into a recipe. */

import { linkTo } from '../../api/address.ts'
import { useAnswer } from '../../api/query.ts'
import { Empty, Pending } from '../../parts/states.tsx'
import { Table } from '../../parts/table.tsx'
import { PutIntoRecipe } from './putIntoRecipe.tsx'

export function Usage({ id }: { readonly id: string }) {
  const answer = useAnswer('GET /v2/watch/management/rules/{id}/usage', {
    path: { id },
  })
  const { value, refetch } = answer
  return (
    <section class="card" aria-labelledby="usage-title">
      <h2 id="usage-title">Where it runs</h2>
      <Pending of={answer} />
      {value?.recipes.length === 0 && (
        <Empty title="In no recipe yet">
          <p>A rule decides nothing until a recipe gives it a weight.</p>
        </Empty>
      )}
      {value && value.recipes.length > 0 && (
        <>
          <Table
            name="Recipes with the rule"
            rows={value.recipes}
            keyOf={(recipe) => recipe.id}
            columns={[
              {
                title: 'Recipe',
                href: ({ id: of }) => linkTo(`/recipes/${of}`),
                cell: ({ name }) => name,
              },
              { title: 'Status', cell: ({ status }) => status },
              { title: 'Weight', isNumber: true, cell: ({ weight }) => weight },
              {
                title: 'Overrides',
                show: ({ preempts }) => preempts ?? '–',
                cell: ({ preempts }) => preempts,
              },
            ]}
          />
          <p>
            <a href={linkTo('/evaluations', { where: `rule = ${id} and outcome = TRIGGERED` })}>
              Evaluations in which it triggered
            </a>{' '}
            · <a href={linkTo('/report')}>Report of all rules</a>
          </p>
        </>
      )}
      {value && (
        <PutIntoRecipe id={id} used={value.recipes.map((recipe) => recipe.id)} onDone={refetch} />
      )}
    </section>
  )
}
