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
    const dialog = box.current
    dialog?.showModal()
    return () => {
      // the browser gives the focus back, unless its opener is gone with what it was about
      dialog?.close()
      setTimeout(() => {
        if (document.activeElement === document.body) document.querySelector('main')?.focus()
      })
    }
  }, [])
  const cancel = (event: Event) => {
    event.preventDefault()
    onClose?.()
  }
  // a browser closes it at the second Escape, whatever is said to the first
  const closed = () => box.current && (onClose ? onClose() : box.current.showModal())
  return (
    <dialog ref={box} aria-labelledby={id} onCancel={cancel} onClose={closed}>
      <h2 id={id}>{title}</h2>
      {children}
    </dialog>
  )
}
