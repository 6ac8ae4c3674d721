/** Shows an id that a click copies whole. */

import { useState } from 'preact/hooks'

interface CopyProps {
  readonly id: string
  /** Characters shown of the end; all unless given. */
  readonly shown?: number
}

export function CopyId({ id, shown }: CopyProps) {
  const [said, say] = useState('')
  const copy = async (event: MouseEvent) => {
    const button = event.currentTarget as HTMLElement
    try {
      await navigator.clipboard.writeText(id)
      say('copied')
    } catch {
      // on plain http there is no clipboard
      getSelection()?.selectAllChildren(button.querySelector('code') ?? button)
      say('selected: copy it with the keyboard')
    }
    setTimeout(() => say(''), 4_000)
  }
  const text = shown === undefined ? id : `${id.slice(0, 4)}…${id.slice(-shown)}`
  return (
    <button type="button" class="copy" onClick={(event) => void copy(event)} title={`Copy ${id}`}>
      <code>{said.startsWith('selected') ? id : text}</code>
      <span role="status">{said}</span>
    </button>
  )
}
