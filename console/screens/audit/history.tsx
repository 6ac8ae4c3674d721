/** Lists the events of the account, the newest first, with what each says. */

import { go, here, linkTo } from '../../api/address.ts'
import { useAnswer } from '../../api/query.ts'
import { Empty, Failed, Loading } from '../../parts/states.tsx'
import { Table } from '../../parts/table.tsx'

const pageRows = 50

export function History() {
  const { query } = here.value
  const [type = '', actor = '', person = '', before] = ['type', 'actor', 'person', 'before'].map(
    (name) => query.get(name) ?? '',
  )
  const { value, failure, refetch } = useAnswer('GET /v2/watch/audit/events', {
    query: {
      ...{ limit: pageRows, type, actor },
      ...(person.includes('@') ? { email_address: person } : { phone_number: person }),
      ...(before && { before: Number(before) }),
    },
  })
  const search = (event: SubmitEvent) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget as HTMLFormElement)
    const text = (name: string) => String(form.get(name) ?? '').trim()
    const [of, by, about] = ['type', 'actor', 'person'].map(text)
    go(linkTo('/audit', { type: of, actor: by, person: about }))
  }
  const rows = (value?.events ?? []).toSorted((a, b) => Number(b.position) - Number(a.position))
  return (
    <>
      <form class="audit-form" onSubmit={search} key={`${type} ${actor} ${person}`}>
        <label>
          Type
          <input name="type" defaultValue={type} placeholder="RulePublished" />
        </label>
        <label>
          By
          <input name="actor" defaultValue={actor} placeholder="tok_… or operator" />
        </label>
        <label>
          Person
          <input name="person" defaultValue={person} placeholder="phone number or mail address" />
        </label>
        <button type="submit" class="primary">
          Show
        </button>
      </form>
      <section class="card" aria-labelledby="history-title">
        <h2 id="history-title">What happened</h2>
        {type === 'PersonOpened' && person && (
          <p class="soft">
            Long lists and exports are on record without names:{' '}
            <a href={linkTo('/audit', { type })}>show them, too</a>.
          </p>
        )}
        {failure && <Failed failure={failure} retry={refetch} />}
        {!value && !failure && <Loading lines={10} />}
        {value && rows.length === 0 && <Empty title="No event is like this" />}
        {rows.length > 0 && (
          <Table
            name="History"
            rows={rows}
            keyOf={({ id }) => id}
            columns={[
              { title: 'Recorded', as: 'moment', cell: ({ recorded_at }) => recorded_at },
              {
                title: 'What',
                show: ({ summary, type: of, content }) => (
                  <details class="event">
                    <summary>
                      <bdi>{summary}</bdi>
                    </summary>
                    <p class="soft">{of}</p>
                    <pre>{JSON.stringify(content, undefined, 2)}</pre>
                  </details>
                ),
                cell: ({ summary }) => summary,
              },
              {
                title: 'By',
                as: 'code',
                href: ({ actor: by }) => linkTo('/audit', { actor: by }),
                cell: ({ actor: by }) => by,
              },
              { title: 'Position', isNumber: true, cell: ({ position }) => position },
            ]}
          />
        )}
        {value?.next_before !== undefined && rows.length > 0 && (
          <a
            class="button"
            href={linkTo('/audit', { type, actor, person, before: value.next_before })}
          >
            Older
          </a>
        )}
      </section>
    </>
  )
}
