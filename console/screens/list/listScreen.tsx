/** Shows a list: what is on it, how it came there, and how it is changed. */

import { useState } from 'preact/hooks'
import { go, linkTo } from '../../api/address.ts'
import { ask } from '../../api/client.ts'
import { forget, useAnswer } from '../../api/query.ts'
import type { List } from '../../api/schema.ts'
import { may } from '../../api/session.ts'
import { CopyId } from '../../parts/copyId.tsx'
import { FormDialog } from '../../parts/formDialog.tsx'
import { Pending } from '../../parts/states.tsx'
import type { ViewProps } from '../screen.ts'
import { AddEntry } from './addEntry.tsx'
import { Entries } from './entries.tsx'
import { ImportFile } from './importFile.tsx'
import { exportAddressOf, sourceOf } from './source.ts'
import '../../parts/question.css'
import './list.css'

export function ListScreen({ params: { id = '' } }: ViewProps) {
  const source = sourceOf(id)
  return (
    <>
      {'id' in source ? (
        <Head id={id} />
      ) : (
        <div class="head">
          <h1>{source.action === 'allow' ? 'Allowed numbers' : 'Blocked numbers'}</h1>
          <span class="soft">
            rules read <code>list.{source.action}</code>
          </span>
        </div>
      )}
      {may('id' in source ? 'author' : 'manage') ? (
        <Content id={id} />
      ) : (
        <p>
          This token may not see the entries: it needs the scope{' '}
          {'id' in source ? 'author' : 'manage'}.
        </p>
      )}
    </>
  )
}

function Content({ id }: { readonly id: string }) {
  const source = sourceOf(id)
  const [isImporting, setImporting] = useState(false)
  return (
    <>
      <section class="card" aria-labelledby="add-title">
        <div class="card-head">
          <h2 id="add-title">Add an entry</h2>
          <button type="button" onClick={() => setImporting(true)}>
            Import a file
          </button>
          <a href={exportAddressOf(source)} download={`${id}.csv`}>
            Export all as CSV
          </a>
        </div>
        <AddEntry source={source} />
      </section>
      <Entries key={id} source={source} />
      {isImporting && <ImportFile source={source} onClose={() => setImporting(false)} />}
    </>
  )
}

function Head({ id }: { readonly id: string }) {
  const answer = useAnswer('GET /v2/watch/management/lists/{id}', { path: { id } })
  const { value } = answer
  const [isDeleting, setDeleting] = useState(false)
  if (!value) return <Pending of={answer} title="List" lines={2} />
  return (
    <>
      <div class="head">
        <h1>
          <code>{value.name}</code>
        </h1>
        <CopyId id={id} />
        {may('author') && (
          <button type="button" class="button" onClick={() => setDeleting(true)}>
            Delete the list
          </button>
        )}
      </div>
      {value.description !== undefined && (
        <p>
          <bdi>{value.description}</bdi>
        </p>
      )}
      <p class="soft">
        Rules ask <code>inList("{value.name}", …)</code>
      </p>
      {isDeleting && <Deleting list={value} onClose={() => setDeleting(false)} />}
    </>
  )
}

interface DeletingProps {
  readonly list: List
  readonly onClose: () => void
}

function Deleting({ list: { id, name }, onClose }: DeletingProps) {
  const remove = async () => {
    await ask('DELETE /v2/watch/management/lists/{id}', { path: { id } })
    go(linkTo('/lists'), 'replace')
    await forget('GET /v2/watch/management/lists')
  }
  return (
    <FormDialog
      title={`Delete ${name}?`}
      verb="Delete the list and its entries"
      keep="Keep it"
      run={remove}
      onClose={onClose}
    >
      <p>All its entries go with it. It cannot be undone. A list that a rule asks stays.</p>
    </FormDialog>
  )
}
