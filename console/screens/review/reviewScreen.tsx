/** Shows the queues of the account, one queue, or the evaluation under review, by the address. */

import { here, linkTo } from '../../api/address.ts'
import { useAnswer } from '../../api/query.ts'
import type { SavedSearch } from '../../api/schema.ts'
import { Empty, Pending } from '../../parts/states.tsx'
import { Table } from '../../parts/table.tsx'
import { Queue } from './queue.tsx'
import './review.css'

export function ReviewScreen() {
  const answer = useAnswer('GET /v2/watch/management/searches', {})
  const { query } = here.value
  const id = query.get('search') ?? ''
  const { value } = answer
  if (!value) return <Pending of={answer} title="Review" lines={6} />
  const search = value.searches.find((one) => one.id === id)
  if (search) return <Queue key={id} search={search} on={query.get('on') ?? ''} />
  return (
    <>
      <h1>Review</h1>
      {id !== '' && <p class="warning">There is no search with the id in the address.</p>}
      <Searches searches={value.searches} />
    </>
  )
}

function Searches({ searches }: { readonly searches: readonly SavedSearch[] }) {
  if (searches.length === 0) {
    return (
      <Empty title="No searches are saved yet">
        <p>
          What a saved search finds waits here for a person's word.{' '}
          <a href={linkTo('/evaluations', { where: 'fragile = true', verdict: 'PASS' })}>
            Look for what is doubtful
          </a>
          , and save the search.
        </p>
      </Empty>
    )
  }
  return (
    <section class="card" aria-labelledby="queues-title">
      <h2 id="queues-title">Searches to review</h2>
      <Table
        name="Searches to review"
        rows={searches}
        keyOf={({ id }) => id}
        columns={[
          {
            title: 'Search',
            href: ({ id }) => linkTo('/review', { search: id }),
            cell: ({ name }) => name,
          },
          {
            title: 'Conditions',
            as: 'code',
            none: 'all evaluations',
            cell: ({ where }) => where,
          },
        ]}
      />
    </section>
  )
}
