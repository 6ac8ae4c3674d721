/** Shows where a rule is used and what it did in seven days, and puts it into a recipe. */

import { linkTo } from '../../api/address.ts'
import { useAnswer } from '../../api/query.ts'
import { Empty, Pending } from '../../parts/states.tsx'
import { Table } from '../../parts/table.tsx'
import { count } from '../../parts/values.tsx'
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
              { title: 'Recipe', cell: ({ name }) => name },
              { title: 'Status', cell: ({ status }) => status },
              { title: 'Weight', isNumber: true, cell: ({ weight }) => weight },
              {
                title: 'Overrides',
                show: ({ preempts }) => preempts ?? '–',
                cell: ({ preempts }) => preempts,
              },
            ]}
          />
          <Outcomes id={id} of={value.evaluations} />
        </>
      )}
      {value && (
        <PutIntoRecipe id={id} used={value.recipes.map((recipe) => recipe.id)} onDone={refetch} />
      )}
    </section>
  )
}

interface Counts {
  readonly triggered: number
  readonly not_triggered: number
  readonly missing_data: number
  readonly unavailable: number
  readonly skipped: number
}

const outcomes = [
  ['triggered', 'Triggered', 'TRIGGERED'],
  ['not_triggered', 'Not triggered', 'NOT_TRIGGERED'],
  ['missing_data', 'Not evaluated', 'NOT_EVALUATED'],
  ['skipped', 'Skipped', 'SKIPPED'],
] as const

/** Each number leads to its evaluations. */
function Outcomes({ id, of }: { readonly id: string; readonly of: Counts }) {
  return (
    <dl class="tiles">
      {outcomes.map(([field, title, outcome]) => (
        <div key={field}>
          <dt>{title}</dt>
          <dd>
            <a href={linkTo('/evaluations', { where: `rule = ${id} and outcome = ${outcome}` })}>
              {count(of[field])}
            </a>
          </dd>
        </div>
      ))}
    </dl>
  )
}
