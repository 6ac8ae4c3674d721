/** Asks for a token, and exchanges it for a session. */

import { useEffect, useRef, useState } from 'preact/hooks'
import { signIn } from '../api/session.ts'
import { Failed } from '../parts/states.tsx'

export function SignIn({ isAgain = false }: { readonly isAgain?: boolean }) {
  const field = useRef<HTMLInputElement>(null)
  const [failure, fail] = useState<Error>()
  const [isBusy, setBusy] = useState(false)
  useEffect(() => field.current?.focus(), [])
  const submit = async (event: Event) => {
    event.preventDefault()
    const input = field.current
    if (!input) return
    setBusy(true)
    fail(undefined)
    try {
      await signIn(input.value.trim())
    } catch (error) {
      fail(error as Error)
      setBusy(false)
    } finally {
      // it stays nowhere in the page
      input.value = ''
    }
  }
  return (
    <form class="sign-in" onSubmit={(event) => void submit(event)}>
      {!isAgain && (
        <>
          <svg viewBox="0 0 32 32" aria-hidden="true" class="mark">
            <path d="M7 9l9 15 9-15" />
            <circle cx="16" cy="11" r="2.6" />
          </svg>
          <h1>Sign in to Vigil</h1>
        </>
      )}
      <label>
        API token
        <input
          name="token"
          type="password"
          autocomplete="off"
          required
          spellcheck={false}
          ref={field}
          placeholder="vgl_…"
        />
      </label>
      <p class="soft">
        It is exchanged for a session of eight hours and kept nowhere in the browser.{' '}
        <code>npm start</code> prints the token of the demo account; the operator issues others.
      </p>
      {failure && <Failed failure={failure} />}
      <button type="submit" class="primary" disabled={isBusy}>
        Sign in
      </button>
    </form>
  )
}
