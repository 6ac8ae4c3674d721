/** Adds, turns over and retires the signing keys of an application. */

import { appNotFound, Failure } from '../../domain/failure.ts'
import {
  type AppEvent,
  type AppState,
  type SigningKey,
  signingKeysDue,
  supersededKeys,
  verifyingKeys,
} from '../../events/sessions/app.ts'

/** How many keys of an application may verify at once. */
const verifyingMax = 10

interface Place {
  readonly appId: string
  readonly account: string
}

/** A key that nobody has had: its id and its public half. Asked for only when it is needed. */
export type NewSigningKey = () => Pick<SigningKey, 'kid' | 'public_key'>

/** The event of a key that signs from now on. */
export function signingKeyAdded(appId: string, key: NewSigningKey, nowMs: number): AppEvent {
  return { type: 'SigningKeyAdded', data: { app_id: appId, ...key(), added_at: nowMs } }
}

/**
 * The decision: a new key signs, those before it verify until they are retired. Throws `app_not_found`, and `conflict` when too many
 * verify.
 */
export function rotateSigningKey({ appId, account }: Place, key: NewSigningKey, nowMs: number) {
  return (state: AppState | undefined): readonly AppEvent[] => {
    const app = ownApp(state, account)
    if (verifyingKeys(app).length >= verifyingMax) {
      const message = `An application has at most ${verifyingMax} signing keys; retire one first.`
      throw new Failure('conflict', message)
    }
    return [signingKeyAdded(appId, key, nowMs)]
  }
}

/**
 * The decision: again is no error. Throws `app_not_found`, `not_found` for a key that the application has not, and `conflict` for the one
 * that signs.
 */
export function retireSigningKey({ appId, account }: Place, kid: string, nowMs: number) {
  return (state: AppState | undefined): readonly AppEvent[] => {
    const { signing_keys: keys } = ownApp(state, account)
    const key = keys.find((known) => known.kid === kid)
    if (!key) throw new Failure('not_found', 'The application has no such signing key.')
    if (key.retired_at !== undefined) return []
    if (key === keys.at(-1)) {
      throw new Failure('conflict', 'This key signs; rotate first, and retire it then.')
    }
    return [signingKeyRetired(appId, kid, nowMs)]
  }
}

function signingKeyRetired(appId: string, kid: string, nowMs: number): AppEvent {
  return { type: 'SigningKeyRetired', data: { app_id: appId, kid, retired_at: nowMs } }
}

/**
 * The decision: when its time has come, a key that is too old is followed by another, and those are retired under which no token can be
 * valid any more. An application that is retired gets none, and loses all.
 */
export function turnSigningKeys(appId: string, key: NewSigningKey, nowMs: number) {
  return (state: AppState | undefined): readonly AppEvent[] => {
    if (!state) return []
    const due = signingKeysDue(state)
    if (due === undefined || due > nowMs) return []
    const retired = supersededKeys(state, nowMs).map(({ kid }) =>
      signingKeyRetired(appId, kid, nowMs),
    )
    if (state.retired_at !== undefined) return retired
    const current = state.signing_keys.at(-1)
    const isOld = !current || current.added_at + rotationMs(state) <= nowMs
    return isOld ? [...retired, signingKeyAdded(appId, key, nowMs)] : retired
  }
}

function rotationMs({ settings: { tokens } }: AppState): number {
  return tokens.signing_key_days * 24 * 60 * 60 * 1_000
}

/** The application. Throws `app_not_found` when it is not registered, is another account's, or is retired: the same for all. */
export function ownApp(state: AppState | undefined, account: string): AppState {
  if (state?.account !== account || state.retired_at !== undefined) throw appNotFound()
  return state
}
