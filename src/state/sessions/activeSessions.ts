/** Finds the active sessions of a user in the read models. */

import type { UserState } from '../../events/sessions/user.ts'
import {
  activeCollection,
  type FoundDocument,
  findDocuments,
  getDocument,
  type Readers,
} from '../../projections/running/documents.ts'
import { defineParkedCollection } from '../../projections/running/parkedEvents.ts'
import { type SessionDocument, sessionCollection } from '../../projections/sessions/sessions.ts'

/** Above the limit of a user, since concurrent starts may exceed it. */
const sessionsMax = 1_000

export interface ActiveSessionsQuery extends Pick<UserState, 'epoch' | 'kept_session_id'> {
  readonly user: string
  /** Milliseconds since the Unix epoch. */
  readonly nowMs: number
}

/** The active sessions of an existing user, the one seen last first. */
export async function findActiveSessions(
  readers: Readers,
  { user, epoch, kept_session_id: kept, nowMs }: ActiveSessionsQuery,
): Promise<readonly FoundDocument<SessionDocument>[]> {
  const [found, goneOn] = await Promise.all([
    findDocuments(readers, sessionCollection, {
      where: { user, epoch, expires_at: { gt: nowMs } },
      sort: ['-expires_at'],
      limit: sessionsMax,
    }),
    kept === undefined ? undefined : getDocument(readers, sessionCollection, kept),
  ])
  const isOfBefore = goneOn?.body.user === user && goneOn.body.epoch !== epoch
  const active = isOfBefore && goneOn.body.expires_at > nowMs ? [...found, goneOn] : found
  return active.toSorted(compareBy('last_seen_at'))
}

/** Whether events of sessions are parked, so that the read model may be wrong. Throws `unavailable`. */
export async function isSessionParked(readers: Readers): Promise<boolean> {
  const { version } = activeCollection(readers, sessionCollection)
  const parked = defineParkedCollection({ name: sessionCollection.projection, version })
  return (await readers.documents.find(parked, { where: {}, limit: 1 })).length > 0
}

/** The latest first; ties by id, so that the order is one. */
export function compareBy<Field extends 'started_at' | 'last_seen_at'>(field: Field) {
  type Timed = FoundDocument<Pick<SessionDocument, Field>>
  return (one: Timed, other: Timed): number =>
    other.body[field] - one.body[field] || (one.id < other.id ? 1 : -1)
}
