/** Adds one entry to a list. */

import { useState } from 'preact/hooks'
import { Failed } from '../../parts/states.tsx'
import { useWork } from '../../parts/useWork.ts'
import { addEntry, columnOf, type Source } from './source.ts'

export function AddEntry({ source }: { readonly source: Source }) {
  const { failure, isBusy, run } = useWork()
  const [said, say] = useState('')
  const add = (event: Event) => {
    event.preventDefault()
    const form = event.currentTarget as HTMLFormElement
    const fields = new FormData(form)
    const text = (name: string) => String(fields.get(name) ?? '').trim()
    const expires = text('expires')
    say('')
    run(async () => {
      const kept = await addEntry(source, {
        value: text('value'),
        ...(text('reason') && { reason: text('reason') }),
        ...(expires && { expires_at: `${expires}T00:00:00Z` }),
      })
      form.reset()
      say(`${kept} is on the list.`)
      form.querySelector('input')?.focus()
    })
  }
  return (
    <form onSubmit={add}>
      <div class="question">
        <label class="wide">
          {columnOf(source) === 'value' ? 'Value' : 'Phone number, with +'}
          <input name="value" required maxLength={320} autocomplete="off" />
        </label>
        <label class="wide">
          Reason
          <input name="reason" maxLength={256} autocomplete="off" />
        </label>
        <label>
          Until, UTC
          <input name="expires" type="date" />
        </label>
        <button type="submit" class="primary" disabled={isBusy}>
          Add
        </button>
      </div>
      <p role="status" class="soft">
        <bdi>{said}</bdi>
      </p>
      {failure && <Failed failure={failure} />}
    </form>
  )
}
