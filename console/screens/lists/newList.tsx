/** Makes a list. */

import { go, linkTo } from '../../api/address.ts'
import { ask } from '../../api/client.ts'
import { forget } from '../../api/query.ts'
import type { ListInput } from '../../api/schema.ts'
import { FormDialog } from '../../parts/formDialog.tsx'

export const kindWords: Readonly<Record<ListInput['kind'], string>> = {
  phone_number: 'phone numbers',
  email_address: 'mail addresses',
  email_domain: 'mail domains',
  ip_range: 'IP addresses and ranges',
  text: 'texts',
}

export function NewList({ onClose }: { readonly onClose: () => void }) {
  const create = async (text: (name: string) => string) => {
    const body: ListInput = {
      name: text('name'),
      kind: text('kind') as ListInput['kind'],
      ...(text('description') && { description: text('description') }),
    }
    const { value } = await ask('POST /v2/watch/management/lists', { body })
    await forget('GET /v2/watch/management/lists')
    go(linkTo(`/lists/${value.id}`))
  }
  return (
    <FormDialog title="New list" verb="Make the list" run={create} onClose={onClose}>
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
    </FormDialog>
  )
}
