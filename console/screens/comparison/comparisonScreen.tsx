/** Compares the verdicts of two recipes over the evaluations that ran both, by label. */

import { go, here, linkTo } from '../../api/address.ts'
import { useAnswer } from '../../api/query.ts'
import type { ComparedOutcome, RecipeComparison } from '../../api/schema.ts'
import { Select } from '../../parts/fields.tsx'
import { Moment } from '../../parts/moment.tsx'
import { Empty, Pending } from '../../parts/states.tsx'
import { Table } from '../../parts/table.tsx'
import { useNames } from '../../parts/useNames.ts'
import { count, percent } from '../../parts/values.tsx'
import type { ViewProps } from '../screen.ts'

export function ComparisonScreen({ params: { id = '' } }: ViewProps) {
  const names = useNames('recipes')
  const other = here.value.query.get('with') ?? ''
  const nameOf = (recipe: string) => names.get(recipe) ?? recipe
  return (
    <>
      <div class="head">
        <h1>Compare recipes</h1>
        <span class="soft">over the last seven days, UTC</span>
      </div>
      <div class="joined head">
        <p>
          <a href={linkTo(`/recipes/${id}`)}>
            <bdi>{nameOf(id)}</bdi>
          </a>{' '}
          with
        </p>
        <Select
          label="Recipe"
          value={other}
          options={[...names].filter(([recipe]) => recipe !== id)}
          none="choose one"
          onChange={(value) => go(linkTo(`/recipes/${id}/comparison`, { with: value }))}
        />
      </div>
      {other === '' ? (
        <Empty title="With which recipe?">
          <p>Both must have run in the same evaluations, live or as a shadow.</p>
        </Empty>
      ) : (
        <Compared id={id} other={other} titles={[nameOf(id), nameOf(other)]} />
      )}
    </>
  )
}

interface ComparedProps {
  readonly id: string
  readonly other: string
  readonly titles: readonly [string, string]
}

function Compared({ id, other, titles }: ComparedProps) {
  const answer = useAnswer('GET /v2/watch/management/recipes/{id}/comparison', {
    path: { id },
    query: { with: other },
  })
  const { value, refetch } = answer
  if (!value) return <Pending of={answer} lines={6} />
  const { agreements, differences, from, to } = value
  const both = agreements + differences
  if (both === 0) {
    return (
      <Empty title="No evaluation ran both yet">
        <p>A shadow begins with the request after it was added. Ask again later.</p>
        <button type="button" onClick={refetch}>
          Ask again
        </button>
      </Empty>
    )
  }
  return (
    <section class="card" aria-labelledby="agree-title">
      <h2 id="agree-title">
        They agree in {percent(agreements / both)} of {count(both)} evaluations
      </h2>
      <p class="soft">
        From <Moment at={from} /> to <Moment at={to} />
      </p>
      <Outcomes comparison={value} titles={titles} />
    </section>
  )
}

interface OutcomesProps {
  readonly comparison: RecipeComparison
  readonly titles: readonly [string, string]
}

const figures = [
  ['Fraud', 'fraud'],
  ['Legitimate', 'legitimate'],
  ['No label', 'unlabelled'],
] as const

function Outcomes({ comparison: { outcomes, from, to }, titles }: OutcomesProps) {
  const evidence = ({ partial_evidence }: ComparedOutcome) =>
    partial_evidence ? 'something was missing' : 'complete'
  return (
    <Table
      name="Verdicts of both"
      rows={outcomes.filter(({ evaluations }) => evaluations > 0)}
      keyOf={(row) => `${row.recipe} ${row.with} ${row.partial_evidence}`}
      columns={[
        { title: titles[0], isShort: true, as: 'outcome', cell: ({ recipe }) => recipe },
        {
          title: titles[1] === titles[0] ? `${titles[1]} (other)` : titles[1],
          isShort: true,
          as: 'outcome',
          cell: (row) => row.with,
        },
        { title: 'Evidence', cell: evidence },
        {
          title: 'Evaluations',
          isNumber: true,
          href: ({ where }) => linkTo('/evaluations', { where, range: 'fixed', from, to }),
          cell: ({ evaluations }) => evaluations,
        },
        ...figures.map(([title, field]) => ({
          title,
          isNumber: true,
          cell: (row: ComparedOutcome) => row[field],
        })),
      ]}
    />
  )
}
