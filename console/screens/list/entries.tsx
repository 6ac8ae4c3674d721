/** Shows the entries of a list page by page, and removes them. */

import { useState } from 'preact/hooks'
import { go, here, linkTo } from '../../api/address.ts'
import { FormDialog } from '../../parts/formDialog.tsx'
import { Empty, Pending } from '../../parts/states.tsx'
import { Table } from '../../parts/table.tsx'
import { History } from './history.tsx'
import { type Entry, removeEntry, type Source, useEntries } from './source.ts'

export function Entries({ source }: { readonly source: Source }) {
  const { path, query } = here.value
  const cursor = query.get('cursor') ?? undefined
  const answer = useEntries(source, cursor)
  const { value } = answer
  const [removing, remove] = useState<string>()
  const [asked, askFor] = useState<string>()
  return (
    <section class="card" aria-labelledby="entries-title">
      <div class="card-head">
        <h2 id="entries-title">Entries</h2>
        <LookUp onAsk={askFor} />
      </div>
      <Pending of={answer} lines={6} />
      {value?.entries.length === 0 && (
        <Empty title={cursor ? 'No more entries' : 'Nothing is on this list'} />
      )}
      {value && value.entries.length > 0 && (
        <EntryTable entries={value.entries} onRemove={remove} onHistory={askFor} />
      )}
      <div class="actions">
        {cursor !== undefined && <a href={linkTo(path)}>First page</a>}
        {value?.next_cursor !== undefined && (
          <button
            type="button"
            onClick={() => {
              go(linkTo(path, { cursor: value.next_cursor }))
              document.querySelector('main')?.focus()
            }}
          >
            Next page
          </button>
        )}
      </div>
      {removing !== undefined && (
        <Removing source={source} value={removing} onClose={() => remove(undefined)} />
      )}
      {asked !== undefined && (
        <History source={source} value={asked} onClose={() => askFor(undefined)} />
      )}
    </section>
  )
}

function LookUp({ onAsk }: { readonly onAsk: (value: string) => void }) {
  const [typed, type] = useState('')
  const submit = (event: Event) => {
    event.preventDefault()
    if (typed.trim() !== '') onAsk(typed.trim())
  }
  return (
    <form class="look-up" onSubmit={submit}>
      <input
        type="search"
        aria-label="Value to look up"
        placeholder="a value"
        value={typed}
        onInput={({ currentTarget: { value } }) => type(value)}
      />
      <button type="submit">Look up</button>
    </form>
  )
}

interface EntryTableProps {
  readonly entries: readonly Entry[]
  readonly onRemove: (value: string) => void
  readonly onHistory: (value: string) => void
}

function EntryTable({ entries, onRemove, onHistory }: EntryTableProps) {
  return (
    <Table
      name="Entries"
      rows={entries}
      keyOf={({ value }) => value}
      file={<span class="soft">The file of all entries is above.</span>}
      columns={[
        { title: 'Value', as: 'code', cell: ({ value }) => value },
        {
          title: 'Reason',
          show: ({ reason }) => reason && <bdi>{reason}</bdi>,
          cell: ({ reason }) => reason,
        },
        { title: 'Since', as: 'moment', cell: ({ created_at }) => created_at },
        {
          title: 'Until',
          show: ({ expires_at }) => <Until at={expires_at} />,
          cell: ({ expires_at }) => expires_at,
        },
        {
          title: 'Change',
          show: ({ value }) => (
            <span class="row-actions">
              <button
                type="button"
                class="quiet"
                aria-label={`History of ${value}`}
                onClick={() => onHistory(value)}
              >
                History
              </button>
              <button
                type="button"
                class="quiet"
                aria-label={`Remove ${value}`}
                onClick={() => onRemove(value)}
              >
                Remove
              </button>
            </span>
          ),
          cell: () => '',
        },
      ]}
    />
  )
}

/** What is to come has no age. */
function Until({ at }: { readonly at: string | undefined }) {
  if (at === undefined) return <span class="soft">always</span>
  return <time dateTime={at}>{at.slice(0, 16).replace('T', ' ')} UTC</time>
}

interface RemovingProps {
  readonly source: Source
  readonly value: string
  readonly onClose: () => void
}

function Removing({ source, value, onClose }: RemovingProps) {
  return (
    <FormDialog
      title={`Remove ${value}?`}
      verb="Remove it"
      run={(text) => removeEntry(source, value, text('reason'))}
      onClose={onClose}
    >
      <label>
        Reason
        <input name="reason" maxLength={256} autocomplete="off" />
      </label>
    </FormDialog>
  )
}
