/** Starts sessions. */

import { sessionEnd, type TokenLifetimes } from '../../domain/appSettings.ts'
import type { SessionDevice } from '../../domain/sessionDevice.ts'
import type { SessionEvent, SessionState } from '../../events/sessions/session.ts'

interface NewSession {
  readonly sessionId: string
  readonly userId: string
  readonly appId: string
  readonly account: string
  /** The user's, as it was when the session was let in. */
  readonly epoch: number
  readonly device: SessionDevice
  /** Of the first refresh token. */
  readonly tokenHash: string
  readonly scopes: readonly string[]
  /** Of the application. */
  readonly lifetimes: TokenLifetimes
}

/** The decision. */
export function startSession(session: NewSession, nowMs: number) {
  const { sessionId, userId, appId, account, epoch, device, tokenHash, scopes } = session
  return (state: SessionState | undefined): readonly SessionEvent[] => {
    if (state) throw new Error('a session was started twice')
    const data = {
      session_id: sessionId,
      user_id: userId,
      app_id: appId,
      account_id: account,
      epoch,
      device,
      refresh_token_hash: tokenHash,
      scopes,
      started_at: nowMs,
      expires_at: sessionEnd(session.lifetimes, { startedAt: nowMs, nowMs }),
    }
    return [{ type: 'SessionStarted', data }]
  }
}
