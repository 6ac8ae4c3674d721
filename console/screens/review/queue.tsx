/** Lists what of a search waits, the oldest first, and takes from it. */

import { useState } from 'preact/hooks'
import { go, linkTo } from '../../api/address.ts'
import { ask } from '../../api/client.ts'
import { forget, useAnswer } from '../../api/query.ts'
import type { ReviewQueue, SavedSearch } from '../../api/schema.ts'
import { may, session } from '../../api/session.ts'
import { Empty, Failed, Pending } from '../../parts/states.tsx'
import { Table } from '../../parts/table.tsx'
import { useWork } from '../../parts/useWork.ts'
import { Review } from './review.tsx'

type Waiting = ReviewQueue['waiting'][number]
const queueKey = 'GET /v2/watch/management/searches/{search_id}/review'

interface QueueProps {
  readonly search: SavedSearch
  /** The evaluation in the address; empty for none. */
  readonly on: string
}

/** What was answered last, which can be taken back. */
interface LastAnswer {
  readonly id: string
  readonly answer: string
}

/** Takes, and takes back: one request at a time. */
function useTaking(searchId: string) {
  const [last, remember] = useState<LastAnswer>()
  const [isDone, end] = useState(false)
  const { failure, isBusy, run } = useWork()
  const path = { search_id: searchId }
  const take = async (body: { readonly evaluation_id?: string }, how?: 'replace') => {
    const key = 'POST /v2/watch/management/searches/{search_id}/review/take'
    const { review } = (await ask(key, { path, body })).value
    end(!review)
    await forget(queueKey)
    go(linkTo('/review', { search: searchId, on: review?.evaluation_id }), how)
  }
  return {
    ...{ last, isDone, failure, isBusy },
    next: () => run(() => take({})),
    nextAfter: (answered: LastAnswer) => {
      remember(answered)
      run(() => take({}, 'replace'))
    },
    undo: ({ id }: LastAnswer) =>
      run(async () => {
        const key = 'POST /v2/watch/management/searches/{search_id}/review/answer'
        await ask(key, { path, body: { evaluation_id: id, answer: 'withdrawn' } })
        remember(undefined)
        await take({ evaluation_id: id })
      }),
  }
}

export function Queue({ search, on }: QueueProps) {
  const { last, isDone, failure, isBusy, next, nextAfter, undo } = useTaking(search.id)
  const mayAnswer = may('feedback')
  return (
    <>
      <div class="head review-head">
        <h1>
          <a href={linkTo('/review')}>Review</a> <bdi>{search.name}</bdi>
        </h1>
        {on !== '' && <a href={linkTo('/review', { search: search.id })}>What waits</a>}
      </div>
      {!mayAnswer && (
        <p class="warning">
          Taking and answering needs the scope feedback, too: this token reads only.
        </p>
      )}
      {last && (
        <p class="answered" role="status">
          On record: <b>{last.answer}</b>.{' '}
          <button type="button" disabled={isBusy} onClick={() => undo(last)}>
            Take it back
          </button>
        </p>
      )}
      {failure && <Failed failure={failure} />}
      {on === '' ? (
        <Listed search={search} isDone={isDone}>
          {mayAnswer && (
            <button type="button" class="primary take-next" disabled={isBusy} onClick={next}>
              Take the next
            </button>
          )}
        </Listed>
      ) : (
        <Review
          key={on}
          searchId={search.id}
          id={on}
          mayAnswer={mayAnswer}
          onAnswered={(answer) => nextAfter({ id: on, answer })}
        />
      )}
    </>
  )
}

interface ListedProps {
  readonly search: SavedSearch
  readonly isDone: boolean
  readonly children: preact.ComponentChildren
}

function Listed({ search, isDone, children }: ListedProps) {
  const answer = useAnswer(queueKey, { path: { search_id: search.id } })
  const { value, failure } = answer
  if (failure || !value) return <Pending of={answer} lines={8} />
  const { waiting, more } = value
  if (waiting.length === 0) {
    return (
      <Empty title={isDone ? 'All is answered' : 'Nothing waits'}>
        <p>
          What the search found in the last 30 days has a person's word.{' '}
          <a href={linkTo('/evaluations', { where: search.where, flow: search.flow_id })}>
            See all that it finds
          </a>
        </p>
      </Empty>
    )
  }
  return (
    <section class="card" aria-labelledby="waiting-title">
      <div class="card-head">
        <h2 id="waiting-title">
          {more ? 'The oldest ' : ''}
          {waiting.length} waiting
        </h2>
        {children}
      </div>
      {search.where !== undefined && (
        <p>
          <code>{search.where}</code>
        </p>
      )}
      <Table
        name="Waiting for review"
        rows={waiting}
        keyOf={({ evaluation_id }) => evaluation_id}
        columns={[
          {
            title: 'Evaluated',
            as: 'moment',
            href: ({ evaluation_id }) =>
              linkTo('/review', { search: search.id, on: evaluation_id }),
            cell: ({ evaluated_at }) => evaluated_at,
          },
          { title: 'Verdict', as: 'outcome', cell: ({ verdict }) => verdict },
          { title: 'Flow', cell: ({ flow_name, flow_id }) => flow_name ?? flow_id },
          {
            title: 'Taken by',
            show: ({ claim }) => <Claimer claim={claim} />,
            cell: ({ claim }) => claim?.name ?? claim?.by ?? '',
          },
        ]}
      />
    </section>
  )
}

function Claimer({ claim }: { readonly claim: Waiting['claim'] | undefined }) {
  if (!claim) return <span class="soft">nobody</span>
  const { value } = session
  const isOwn = 'who' in value && value.who.token_id === claim.by
  return (
    <>
      {isOwn ? <b>you</b> : <bdi>{claim.name ?? claim.by}</bdi>}{' '}
      <span class="soft">until {claim.until.slice(11, 16)} UTC</span>
    </>
  )
}
