/** Issues a token, and shows it once. */

import { useState } from 'preact/hooks'
import { ask } from '../../api/client.ts'
import type { TokenInput } from '../../api/schema.ts'
import { CopyId } from '../../parts/copyId.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Failed } from '../../parts/states.tsx'

const scopes = [
  ['eval', 'asks for verdicts'],
  ['feedback', 'reports what became of them'],
  ['manage', 'phone lists, settings, sessions'],
  ['author', 'rules, recipes, flows, lists'],
  ['analyse', 'sees evaluations with persons'],
  ['audit', 'reads all, persons sealed'],
  ['operate', 'metrics'],
] as const

interface NewTokenProps {
  readonly account_id: string
  readonly onClose: () => void
}

export function NewToken({ account_id, onClose }: NewTokenProps) {
  const [failure, fail] = useState<Error>()
  const [token, show] = useState<string>()
  const issue = async (event: Event) => {
    event.preventDefault()
    const fields = new FormData(event.currentTarget as HTMLFormElement)
    const [name, expires] = ['name', 'expires'].map((field) => String(fields.get(field) ?? ''))
    const body: TokenInput = {
      scopes: fields.getAll('scope') as unknown as TokenInput['scopes'],
      ...(name?.trim() && { name: name.trim() }),
      ...(expires && { expires_at: `${expires}T00:00:00Z` }),
    }
    try {
      const path = { account_id }
      const { value } = await ask('POST /v2/operator/accounts/{account_id}/tokens', { path, body })
      show(value.token)
    } catch (error) {
      fail(error as Error)
    }
  }
  if (token !== undefined) {
    return (
      <Dialog title="The token" onClose={onClose}>
        <p>It is shown this once: copy it now.</p>
        <p>
          <CopyId id={token} />
        </p>
        <div class="actions">
          <button type="button" class="primary" onClick={onClose}>
            I have it
          </button>
        </div>
      </Dialog>
    )
  }
  return (
    <Dialog title="New token" onClose={onClose}>
      <form onSubmit={(event) => void issue(event)}>
        <label>
          Name
          <input name="name" maxLength={128} autocomplete="off" />
        </label>
        <fieldset class="rights">
          <legend class="label">Scopes</legend>
          {scopes.map(([scope, words]) => (
            <label key={scope}>
              <input type="checkbox" name="scope" value={scope} />
              <span>
                <b>{scope}</b> <span class="soft">{words}</span>
              </span>
            </label>
          ))}
        </fieldset>
        <label>
          Until, UTC; without a date it does not expire
          <input name="expires" type="date" />
        </label>
        {failure && <Failed failure={failure} />}
        <div class="actions">
          <button type="submit" class="primary">
            Issue the token
          </button>
          <button type="button" onClick={onClose}>
            Cancel
          </button>
        </div>
      </form>
    </Dialog>
  )
}
