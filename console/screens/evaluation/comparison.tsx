/** Says why another evaluation came out otherwise. */

import { useState } from 'preact/hooks'
import { go, linkTo } from '../../api/address.ts'
import { useAnswer } from '../../api/query.ts'
import type { EvaluationDifferenceItem } from '../../api/schema.ts'
import { TextField } from '../../parts/fields.tsx'
import { OutcomeMark } from '../../parts/outcome.tsx'
import { Pending } from '../../parts/states.tsx'
import { Table } from '../../parts/table.tsx'
import { Value } from '../../parts/values.tsx'

export function Comparison({ id, other }: { readonly id: string; readonly other: string }) {
  const [text, setText] = useState(other)
  const compare = (event: Event) => {
    event.preventDefault()
    go(linkTo(`/evaluations/${id}`, { with: text.trim() }))
  }
  return (
    <section class="card" aria-labelledby="comparison-title">
      <h2 id="comparison-title">Compare with another</h2>
      <form class="joined" onSubmit={compare}>
        <TextField label="Evaluation" value={text} placeholder="evl_…" onChange={setText} />
        <button type="submit">Compare</button>
      </form>
      {other !== '' && <Difference id={id} other={other} />}
    </section>
  )
}

function Difference({ id, other }: { readonly id: string; readonly other: string }) {
  const answer = useAnswer('GET /v2/watch/evaluations/{evaluation_id}/difference', {
    path: { evaluation_id: id },
    query: { with: other },
  })
  const { value, failure } = answer
  if (failure || !value) return <Pending of={answer} />
  return (
    <>
      <p class="marks">
        This one <OutcomeMark of={value.a.verdict} /> the other{' '}
        <a href={linkTo(`/evaluations/${other}`)}>
          <OutcomeMark of={value.b.verdict} />
        </a>
      </p>
      {value.causes.map(({ differences }, index) => (
        <Differences
          key={index}
          name={`Cause ${index + 1} of the other verdict`}
          items={differences}
        />
      ))}
      {value.causes.length === 0 && <p class="soft">Nothing between them turns the verdict.</p>}
      {value.others.length > 0 && <Differences name="Other differences" items={value.others} />}
    </>
  )
}

function Differences({
  name,
  items,
}: {
  readonly name: string
  readonly items: readonly EvaluationDifferenceItem[]
}) {
  const subject = (item: EvaluationDifferenceItem) =>
    item.name ?? item.rule_name ?? item.recipe_name ?? item.kind
  return (
    <>
      <h3>{name}</h3>
      <Table
        name={name}
        rows={items}
        keyOf={(item) => JSON.stringify(item)}
        columns={[
          { title: 'What', show: ({ kind }) => kind.replace('_', ' '), cell: ({ kind }) => kind },
          { title: 'Of', cell: subject },
          { title: 'Here', show: ({ a }) => <Value of={a} />, cell: ({ a }) => JSON.stringify(a) },
          { title: 'There', show: ({ b }) => <Value of={b} />, cell: ({ b }) => JSON.stringify(b) },
        ]}
      />
    </>
  )
}
