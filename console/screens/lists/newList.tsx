/** Makes a list. */

import { useState } from 'preact/hooks'
import { go, linkTo } from '../../api/address.ts'
import { ask } from '../../api/client.ts'
import { forget } from '../../api/query.ts'
import type { ListInput } from '../../api/schema.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { Failed } from '../../parts/states.tsx'

export const kindWords: Readonly<Record<ListInput['kind'], string>> = {
  phone_number: 'phone numbers',
  email_address: 'mail addresses',
  email_domain: 'mail domains',
  ip_range: 'IP addresses and ranges',
  text: 'texts',
}

export function NewList({ onClose }: { readonly onClose: () => void }) {
  const [failure, fail] = useState<Error>()
  const create = async (event: Event) => {
    event.preventDefault()
    const fields = new FormData(event.currentTarget as HTMLFormElement)
    const text = (name: string) => String(fields.get(name) ?? '').trim()
    const body: ListInput = {
      name: text('name'),
      kind: text('kind') as ListInput['kind'],
      ...(text('description') && { description: text('description') }),
    }
    try {
      const { value } = await ask('POST /v2/watch/management/lists', { body })
      await forget('GET /v2/watch/management/lists')
      go(linkTo(`/lists/${value.id}`))
    } catch (error) {
      fail(error as Error)
    }
  }
  return (
    <Dialog title="New list" onClose={onClose}>
      {failure && <Failed failure={failure} />}
      <form onSubmit={(event) => void create(event)}>
        <label>
          Name, by which rules ask it
          <input name="name" required maxLength={64} pattern="[A-Za-z_][A-Za-z0-9_]*" />
        </label>
        <label>
          Of
          <select name="kind">
            {Object.entries(kindWords).map(([kind, words]) => (
              <option key={kind} value={kind}>
                {words}
              </option>
            ))}
          </select>
        </label>
        <label>
          Description
          <input name="description" maxLength={256} />
        </label>
        <p class="soft">Name and kind cannot change.</p>
        <div class="actions">
          <button type="submit" class="primary">
            Make the list
          </button>
          <button type="button" onClick={onClose}>
            Cancel
          </button>
        </div>
      </form>
    </Dialog>
  )
}
