/** Signs in and out, and knows what the token of the session may do. */

import { signal } from '@preact/signals'
import { here } from './address.ts'
import { ApiFailure, ask, nameScreen, send, whenSignedOut } from './client.ts'
import { clearDrafts } from './drafts.ts'
import { queries } from './query.ts'
import type { Whoami } from './schema.ts'

/** `operator`: what no scope opens, for the token of the operator alone. */
export type Scope = Whoami['scopes'][number] | 'operator'

/** `asking` until it is known whether there is a session; `none` where there is none. */
export type Session =
  | { readonly state: 'asking' | 'none' }
  | { readonly state: 'unreachable'; readonly failure: ApiFailure }
  | { readonly state: 'open' | 'over'; readonly who: Whoami }

export const session = signal<Session>({ state: 'asking' })

nameScreen(() => here.value.path.split('/')[1] || 'overview')

// the page and its text stay below the sign-in
whenSignedOut(() => {
  const { value } = session
  session.value = 'who' in value ? { state: 'over', who: value.who } : { state: 'none' }
})

/** Finds out whether the browser has a session. */
export async function resume(): Promise<void> {
  try {
    const { value: who } = await ask('GET /v2/whoami', {})
    session.value = { state: 'open', who }
  } catch (error) {
    if (error instanceof ApiFailure && error.status !== 401) {
      session.value = { state: 'unreachable', failure: error }
    }
  }
}

/** Throws `ApiFailure` for a wrong token, and an `Error` where the browser did not keep the cookie. */
export async function signIn(token: string): Promise<void> {
  const headers = { Authorization: `Bearer ${token}` }
  await send('/console/session', { method: 'POST', headers })
  const before = session.value
  const { value: who } = await ask('GET /v2/whoami', {}).catch((error) => {
    if (!(error instanceof ApiFailure) || error.status !== 401) throw error
    const cause =
      location.protocol === 'http:'
        ? 'the service is behind TLS and this page is not'
        : 'its settings refuse cookies'
    throw new Error(`The token is right, but the browser did not keep the session: ${cause}.`)
  })
  // of another account nothing may stay on the screen
  if ('who' in before && before.who.account_id !== who.account_id) queries.clear()
  session.value = { state: 'open', who }
  await queries.invalidateQueries()
}

export async function signOut(): Promise<void> {
  await send('/console/session', { method: 'DELETE' })
  clearDrafts()
  queries.clear()
  session.value = { state: 'none' }
}

/** Whether the token has one of the scopes, if there are any. */
export function may(...scopes: readonly Scope[]): boolean {
  const { value } = session
  if (!('who' in value)) return false
  const { kind, scopes: own } = value.who
  if (scopes.length === 0) return true
  return scopes.some((scope) => (scope === 'operator' ? kind === 'operator' : own.includes(scope)))
}
