/** Asks in a dialog before something is done; one that could not be done says why, and stays open. */

import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { Dialog } from './dialog.tsx'
import { Failed } from './states.tsx'

interface FormDialogProps {
  readonly title: string
  readonly children?: ComponentChildren
  /** On the button that does it. */
  readonly verb: string
  /** On the button that does not, where that is the one to press in doubt. */
  readonly keep?: string
  /** `text`: of a field, by its name. */
  readonly run: (text: (name: string) => string) => Promise<unknown>
  readonly onClose: () => void
}

export function FormDialog({ title, children, verb, keep, run, onClose }: FormDialogProps) {
  const [failure, fail] = useState<Error>()
  const submit = async (event: Event) => {
    event.preventDefault()
    const fields = new FormData(event.currentTarget as HTMLFormElement)
    try {
      await run((name) => String(fields.get(name) ?? '').trim())
      onClose()
    } catch (error) {
      fail(error as Error)
    }
  }
  return (
    <Dialog title={title} onClose={onClose}>
      <form onSubmit={(event) => void submit(event)}>
        {children}
        {failure && <Failed failure={failure} />}
        <div class="actions">
          <button type="submit" class={keep ? 'danger' : 'primary'}>
            {verb}
          </button>
          <button type="button" class={keep ? 'primary' : ''} onClick={onClose}>
            {keep ?? 'Cancel'}
          </button>
        </div>
      </form>
    </Dialog>
  )
}
