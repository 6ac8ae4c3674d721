/** Opens a modal dialog of the browser; focus returns to its opener when it closes, or to the page. */

import type { ComponentChildren } from 'preact'
import { useId, useLayoutEffect, useRef } from 'preact/hooks'

interface DialogProps {
  readonly title: string
  readonly children: ComponentChildren
  /** Told of Escape; a dialog without it stays. */
  readonly onClose?: () => void
}

/** Open as long as it is rendered. */
export function Dialog({ title, children, onClose }: DialogProps) {
  const box = useRef<HTMLDialogElement>(null)
  const id = useId()
  // at once: what is typed next is meant for it
  useLayoutEffect(() => {
    const opener = document.activeElement
    box.current?.showModal()
    return () => {
      // what it was opened from may be gone with what it was about
      const next = opener?.isConnected ? opener : document.querySelector('main')
      if (next instanceof HTMLElement) next.focus()
    }
  }, [])
  const cancel = (event: Event) => {
    event.preventDefault()
    onClose?.()
  }
  // a browser closes it at the second Escape, whatever is said to the first
  const closed = () => (onClose ? onClose() : box.current?.showModal())
  return (
    <dialog ref={box} aria-labelledby={id} onCancel={cancel} onClose={closed}>
      <h2 id={id}>{title}</h2>
      {children}
    </dialog>
  )
}
