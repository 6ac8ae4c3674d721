/** Shows what was configured at a time, and what changed between two. */

import { useState } from 'preact/hooks'
import { go, here, linkTo } from '../../api/address.ts'
import { serverNowMs } from '../../api/client.ts'
import { useAnswer } from '../../api/query.ts'
import type { ConfigurationDifference } from '../../api/schema.ts'
import type { Cell } from '../../parts/csv.ts'
import { CsvButton } from '../../parts/csvButton.tsx'
import { Moment } from '../../parts/moment.tsx'
import { Empty, Pending } from '../../parts/states.tsx'
import { Table } from '../../parts/table.tsx'
import { TextDiff } from '../../parts/textDiff.tsx'

const dayMs = 86_400_000
const pageRows = 200

const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : (JSON.stringify(value, undefined, 1) ?? '')

interface TimesProps {
  readonly tab: string
  readonly fields: readonly { readonly name: string; readonly title: string; readonly at: string }[]
}

/** In UTC, like every row. */
function Times({ tab, fields }: TimesProps) {
  const show = (event: SubmitEvent) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget as HTMLFormElement)
    const times = fields.map(({ name }) => [name, `${String(form.get(name)).slice(0, 16)}:00.000Z`])
    go(linkTo('/audit', { tab, ...Object.fromEntries(times) }))
  }
  return (
    <form class="audit-form" onSubmit={show}>
      {fields.map(({ name, title, at }) => (
        <label key={name + at}>
          {title} (UTC)
          <input type="datetime-local" name={name} required defaultValue={at.slice(0, 16)} />
        </label>
      ))}
      <button type="submit" class="primary">
        Show
      </button>
    </form>
  )
}

/** Of the address; now is what the service takes for now. */
const timeOf = (name: string): string => here.value.query.get(name) ?? ''
const isoBefore = (agoMs: number) => new Date(serverNowMs() - agoMs).toISOString()

export function StateAsOf() {
  const [now] = useState(() => isoBefore(0))
  const as_of = timeOf('as_of')
  const answer = useAnswer('GET /v2/watch/audit/state', {
    query: { ...(as_of && { as_of }), limit: pageRows },
  })
  const { value } = answer
  return (
    <>
      <Times tab="state" fields={[{ name: 'as_of', title: 'As of', at: as_of || now }]} />
      <section class="card" aria-labelledby="state-title">
        <h2 id="state-title">What was configured</h2>
        <Pending of={answer} lines={10} />
        {value?.items.length === 0 && <Empty title="Nothing was configured then" />}
        {value && value.items.length > 0 && (
          <Table
            name="State as of"
            rows={value.items}
            keyOf={({ kind, id }) => kind + id}
            columns={[
              { title: 'Kind', isShort: true, cell: ({ kind }) => kind },
              {
                title: 'What',
                show: ({ id, content }) => (
                  <details class="event">
                    <summary>
                      <bdi>{textOf(content['name'] ?? id)}</bdi>
                    </summary>
                    <pre>{textOf(content)}</pre>
                  </details>
                ),
                cell: ({ id }) => id,
              },
              { title: 'Changed', as: 'moment', cell: ({ changed_at }) => changed_at },
              { title: 'By', as: 'code', cell: ({ changed_by }) => changed_by },
            ]}
          />
        )}
        <More isCut={value?.next_cursor !== undefined} command={`state --as-of ${as_of || now}`} />
      </section>
    </>
  )
}

export function Differences() {
  // the times stay the same while they are read
  const [weekAgo, now] = useState(() => [isoBefore(7 * dayMs), isoBefore(0)] as const)[0]
  const from = timeOf('from') || weekAgo
  const to = timeOf('to')
  const answer = useAnswer('GET /v2/watch/audit/difference', {
    query: { from, ...(to && { to }), limit: pageRows },
  })
  const { value } = answer
  return (
    <>
      <Times
        tab="differences"
        fields={[
          { name: 'from', title: 'From', at: from },
          { name: 'to', title: 'To', at: to || now },
        ]}
      />
      <section class="card" aria-labelledby="differences-title">
        <h2 id="differences-title">What changed</h2>
        <Pending of={answer} lines={10} />
        {value?.changes.length === 0 && <Empty title="Nothing changed in this time" />}
        <ul class="changes">
          {value?.changes.map(({ kind, id, name, change, changed_at, changed_by, fields }) => (
            <li key={kind + id}>
              <p>
                <span class="badge">{change}</span> {kind} <b>{<bdi>{name ?? id}</bdi>}</b>
                <br />
                <Moment at={changed_at} /> <code>{changed_by}</code>
              </p>
              {fields.map(({ path, before, after }) => (
                <details key={path}>
                  <summary>
                    <code>{path}</code>
                  </summary>
                  <TextDiff before={textOf(before)} after={textOf(after)} />
                </details>
              ))}
            </li>
          ))}
        </ul>
        {value && value.changes.length > 0 && (
          <CsvButton name="Differences" rows={() => rowsOf(value)} />
        )}
        <More
          isCut={value?.next_cursor !== undefined}
          command={`diff --from ${from} --to ${to || now}`}
        />
      </section>
    </>
  )
}

const none = { path: '', before: undefined, after: undefined }

/** A row for each field that changed; the last one says where there are more. */
function rowsOf(difference: ConfigurationDifference): readonly (readonly Cell[])[] {
  const { changes, next_cursor } = difference
  const titles = ['Kind', 'Id', 'Name', 'Change', 'Changed', 'By', 'Field', 'Before', 'After']
  const rows = changes.flatMap(({ kind, id, name, change, changed_at, changed_by, fields }) =>
    (fields.length > 0 ? fields : [none]).map(({ path, before, after }) => [
      ...[kind, id, name, change, changed_at, changed_by],
      ...[path, textOf(before), textOf(after)],
    ]),
  )
  return [titles, ...rows, ...(next_cursor ? [[`The first ${pageRows} changes, not all`]] : [])]
}

function More({ isCut, command }: { readonly isCut: boolean; readonly command: string }) {
  if (!isCut) return null
  return (
    <p class="warning">
      The first {pageRows} are shown. All of them: <code>npx vigil {command}</code>
    </p>
  )
}
