/** Names what is edited, saves it or gives it up, and says what became of it. */

import { may } from '../api/session.ts'
import { TextField } from './fields.tsx'
import { Failed } from './states.tsx'
import type { Editing, Saving } from './useEditing.ts'

interface NameProps {
  readonly of: Pick<Editing<{ readonly name: string }>, 'content' | 'change'>
}

export function NameField({ of: { content, change } }: NameProps) {
  return (
    <TextField
      label="Name"
      value={content.name}
      required
      maxLength={128}
      readOnly={!may('author')}
      onChange={(name) => change({ name })}
    />
  )
}

interface ActionsProps {
  readonly of: Saving
  /** Whether it can be saved as it is. */
  readonly isRight?: boolean
}

export function EditActions({ of: saving, isRight = true }: ActionsProps) {
  if (!may('author')) return null
  const { isChanged, said, warnings = [], failure, discard } = saving
  return (
    <>
      <div class="actions">
        <button type="submit" class="primary" disabled={!isChanged || !isRight}>
          Save
        </button>
        {isChanged && discard && (
          <button type="button" onClick={discard}>
            Discard changes
          </button>
        )}
        <span role="status" class="soft">
          {said}
        </span>
      </div>
      {warnings.map((message) => (
        <p key={message} class="warning">
          {message}
        </p>
      ))}
      {failure && <Failed failure={failure} />}
    </>
  )
}
