/** Projects sessions; removes those revoked one by one or expired. */

import type { SessionDevice } from '../../domain/sessions/sessionDevice.ts'
import type { PersonalValue } from '../../events/recording/sealing.ts'
import type { SessionEvent, SessionState } from '../../events/sessions/session.ts'
import { defineCollection, defineExpiry, defineProjection } from '../running/projection.ts'

/** By the session's id. Sessions revoked together with all others of their user stay, with an earlier epoch. */
export interface SessionDocument
  extends Pick<
    SessionState,
    'user' | 'app' | 'account' | 'epoch' | 'started_at' | 'last_seen_at' | 'expires_at'
  > {
  /** Of the last event with a device, sealed. */
  readonly device: PersonalValue<SessionDevice>
  readonly event_id: string
  readonly event_position: number
}

const identity = { name: 'sessions', version: 2 } as const
export const sessionCollection = defineCollection<SessionDocument>({
  projection: identity,
  indexes: [['user', 'epoch', 'expires_at'], ['expires_at']],
})

type Shown = Exclude<SessionEvent, { type: 'RefreshRepeated' }>

export const sessionsProjection = defineProjection<Shown, SessionDocument>({
  ...identity,
  collections: [sessionCollection],
  // one that has expired is never refreshed
  expiries: [defineExpiry({ collection: sessionCollection, field: 'expires_at' })],
  eventTypes: ['SessionStarted', 'SessionRefreshed', 'SessionRevoked'],
  targets: ({ event }) => [{ collection: sessionCollection, id: event.data.session_id }],
  apply: (session, { event, id = '', position }) => {
    const source = { event_id: id, event_position: position }
    switch (event.type) {
      case 'SessionStarted': {
        const { user_id: user, app_id: app, account_id: account, epoch, ...started } = event.data
        const { started_at, expires_at, device } = started
        const times = { started_at, last_seen_at: started_at, expires_at }
        return { user, app, account, epoch, ...times, device, ...source }
      }
      case 'SessionRefreshed': {
        if (!session) return null
        const { refreshed_at: last_seen_at, expires_at, device } = event.data
        return { ...session, last_seen_at, expires_at, ...(device && { device, ...source }) }
      }
      case 'SessionRevoked':
        return null
    }
  },
})

/** The event with the device of a session, with the fields that opening it needs. */
export function deviceEvent(
  session_id: string,
  { user, event_id: id, event_position: position, device }: SessionDocument,
) {
  const data = { session_id, user_id: user, device }
  // both event types with a device have the same field of the same subject
  return { id, event: { type: 'SessionStarted', data }, position } as const
}
